import { Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { PALETTE_KEYS, showPalette, usePaletteKey, usePaletteShown } from '../lib/palette.ts';
import styles from './shell.module.css';

const LazyPalette = lazy(() => import('./palette.tsx'));

/** On every page. */
export const PaletteHost = () => {
  usePaletteKey();
  if (!usePaletteShown()) return null;
  return (
    <Suspense>
      <LazyPalette onClose={() => showPalette(false)} />
    </Suspense>
  );
};

export const PaletteButton = ({ onOpen }: { onOpen?: () => void }) => (
  <button
    type="button"
    className={styles.find}
    aria-haspopup="dialog"
    aria-keyshortcuts="Control+K Meta+K"
    onClick={() => {
      onOpen?.();
      showPalette(true);
    }}
  >
    <Search size={15} aria-hidden="true" />
    <span>Find</span>
    <span aria-hidden="true" className={styles.findKeys}>
      {PALETTE_KEYS.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  </button>
);
