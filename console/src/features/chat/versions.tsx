import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { Message } from 'pentarch-sdk';
import type { KeyboardEvent } from 'react';
import { IconButton } from '../../components/button.tsx';
import styles from './chat.module.css';

interface VersionsProps {
  of: Message['siblings'];
  /** 'answer', 'message': whose versions they are. */
  what: string;
  /** null: another one cannot be picked just now. */
  onPick: ((index: number) => void) | null;
}

/** ‹ 2/3 ›: which version of a message is shown, and the way to the others; nothing where there is one alone. */
export const Versions = ({ of: { index, count }, what, onPick }: VersionsProps) => {
  if (count < 2) return null;
  const go = (to: number): void => {
    if (to >= 0 && to < count) onPick?.(to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    go(index + (event.key === 'ArrowLeft' ? -1 : 1));
  };
  // Switched off by word and not by `disabled`, so that the focus stays at the last version too.
  const step = (by: -1 | 1, label: string) => (
    <IconButton
      label={label}
      aria-disabled={onPick === null || index + by < 0 || index + by >= count}
      icon={by < 0 ? <ChevronLeft size={14} /> : <ChevronRight size={14} />}
      onClick={() => go(index + by)}
    />
  );
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings borders and a legend that no toolbar has
    <div
      role="group"
      aria-label={`Versions of this ${what}`}
      className={styles.versions}
      onKeyDown={onKeyDown}
    >
      {step(-1, 'Previous version')}
      <span role="status" className="number">
        <span className="visually-hidden">
          Version {index + 1} of {count}
        </span>
        <span aria-hidden="true">
          {index + 1}/{count}
        </span>
      </span>
      {step(1, 'Next version')}
    </div>
  );
};
