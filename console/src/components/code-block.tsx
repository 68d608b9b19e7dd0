import { WrapText } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import { IconButton } from './button.tsx';
import styles from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';
import { highlight, highlighted } from './highlight/highlight.ts';
import type { Piece } from './highlight/kinds.ts';
import { type LanguageId, languageOf } from './highlight/languages.ts';

/** Code that still grows while an answer is written is coloured once it rests. */
const RESTS_MS = 150;

const useColours = (code: string, language: LanguageId | null): Piece[][] | null => {
  const [found, setFound] = useState<{ code: string; lines: Piece[][] } | null>(null);
  useEffect(() => {
    if (language === null) return;
    let wanted = true;
    const timer = setTimeout(async () => {
      const lines = await highlight(code, language);
      if (wanted && lines !== null) setFound({ code, lines });
    }, RESTS_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [code, language]);
  if (language === null) return null;
  return found?.code === code ? found.lines : highlighted(code, language);
};

const inColours = (lines: Piece[][]): ReactNode =>
  lines.map((pieces, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its number
    <span key={line}>
      {line > 0 && '\n'}
      {pieces.map(([text, kind], i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: and a piece by its place in it
        <span key={i} className={kind === null ? undefined : styles[kind]}>
          {text}
        </span>
      ))}
    </span>
  ));

/** Code of an answer, with the name of its language; it is wrapped and copied by a button, once there is a script that could. */
export const CodeBlock = ({ code, word }: { code: string; word: string }) => {
  const [ready, setReady] = useState(false);
  const [wrapped, setWrapped] = useState(false);
  useEffect(() => setReady(true), []);
  const language = languageOf(word);
  const lines = useColours(code, language?.id ?? null);
  const name = useId();
  return (
    <figure className={styles.block} aria-labelledby={name}>
      <figcaption className={styles.head}>
        <span id={name}>{language?.name ?? 'Code'}</span>
        {ready && (
          <span className={styles.actions}>
            <IconButton
              label="Wrap lines"
              aria-pressed={wrapped}
              icon={<WrapText size={14} />}
              onClick={() => setWrapped(!wrapped)}
            />
            <CopyButton text={code} label="Copy code" />
          </span>
        )}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys */}
      <pre className={wrapped ? styles.wrapped : undefined} tabIndex={0}>
        <code>{lines === null ? code : inColours(lines)}</code>
      </pre>
    </figure>
  );
};
