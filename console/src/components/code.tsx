import styles from './code.module.css';
import { CopyButton } from './copy-button.tsx';

/** Text that is JSON is easier to read in lines; any other stays as it is. */
export const readable = (text: string): string => {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};

interface CodeProps {
  /** Text is shown as it is, or in lines where it is JSON; anything else as JSON. */
  value: unknown;
  /** Gives it a button: "Copy <what it is>". */
  copy?: string;
}

/** Data as data: nothing of it is rendered as markup. */
export const Code = ({ value, copy }: CodeProps) => {
  const text = typeof value === 'string' ? readable(value) : JSON.stringify(value, null, 2);
  return (
    <div className={`${styles.box} ${copy === undefined ? '' : styles.copied}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys */}
      <pre className={styles.code} tabIndex={0}>
        {text}
      </pre>
      {copy !== undefined && (
        <span className={styles.copy}>
          <CopyButton text={text} label={`Copy ${copy}`} />
        </span>
      )}
    </div>
  );
};
