import { lazy, Suspense } from 'react';
import { showShortcuts, useShortcut, useShortcutsShown } from '../lib/shortcuts.ts';

const ShortcutsDialog = lazy(() => import('./shortcuts-dialog.tsx'));

/** On every page: `?` shows what the keys do. */
export const Shortcuts = () => {
  const open = useShortcutsShown();
  useShortcut('?', () => showShortcuts(true));
  if (!open) return null;
  return (
    <Suspense>
      <ShortcutsDialog onClose={() => showShortcuts(false)} />
    </Suspense>
  );
};
