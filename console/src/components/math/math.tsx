import katex from 'katex';
import 'katex/dist/katex.min.css';
import { useLayoutEffect, useRef } from 'react';
import styles from './math.module.css';

/** No commands that load, link or give HTML a class (`trust`), and bounds for size and expansion. */
const OPTIONS = {
  throwOnError: true,
  trust: false,
  maxSize: 20,
  maxExpand: 500,
  strict: 'ignore',
  errorColor: 'var(--bad)',
} as const;

/**
 * A formula, by KaTeX. It is drawn into its element and not made as a text of HTML: the policy of the page takes no `style`
 * attribute from a text.
 */
const Formula = ({ formula, display }: { formula: string; display: boolean }) => {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    if (place.current === null) return;
    try {
      katex.render(formula, place.current, { ...OPTIONS, displayMode: display });
    } catch {
      // While it is being written, or where it is none: as it stands.
      place.current.textContent = formula;
    }
  }, [formula, display]);
  return <span ref={place} className={display ? styles.display : undefined} />;
};

/** With its fonts it is large: load it apart. */
export default Formula;
