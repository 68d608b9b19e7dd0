import { Component, createContext, isValidElement, lazy, type ReactNode, Suspense, useContext } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { CodeBlock } from './code-block.tsx';
import styles from './markdown.module.css';
import { DISPLAY_WORD, INLINE_MARK, MAX_DISPLAY, withMathAsCode } from './math/marks.ts';

/**
 * Text of a model, which may hold what somebody planted there: HTML in it is shown as text, nothing is ever fetched (no image
 * but one of this site), links say where they lead and open apart without telling where from.
 */

const SAFE_LINK = /^(https?:|mailto:|\/(?![/\\])|#)/i;
const FOREIGN_IMAGE = /^https?:\/\//i;
const OWN_IMAGE = /^(\/(?![/\\])|blob:|data:image\/(png|jpeg|gif|webp);)/i;

const schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['picture', 'source'].includes(name)),
};

const Formula = lazy(() => import('./math/math.tsx'));

/** As it was written until it can be drawn. */
const MathOf = ({ formula, display = false }: { formula: string; display?: boolean }) => (
  <Suspense fallback={<code>{formula}</code>}>
    <Formula formula={formula} display={display} />
  </Suspense>
);

const textOf = (children: ReactNode): string => (typeof children === 'string' ? children : '');

/** The only child of a block is its code, with the word behind the fence in its class. */
const Block = ({ children }: { children: ReactNode }) => {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children)) return <pre>{children}</pre>;
  const { className = '', children: code } = children.props;
  const text = textOf(code).replace(/\n$/, '');
  const [, word = ''] = /(?:^| )language-(\S+)/.exec(className) ?? [];
  return word === DISPLAY_WORD && text.length <= MAX_DISPLAY ? (
    <MathOf formula={text} display />
  ) : (
    <CodeBlock code={text} word={word} />
  );
};

/** A link cannot stand within another one. */
const InLink = createContext(false);

const LinkOut = ({ href, children }: { href: string | undefined; children: ReactNode }) => {
  const own = href?.startsWith('/') || href?.startsWith('#');
  return (
    <a href={href} title={href} rel="noopener noreferrer nofollow" {...(own ? {} : { target: '_blank' })}>
      {children}
    </a>
  );
};

/** One of this site is drawn. One from elsewhere is never fetched by itself: it says what it is, and opens apart by a click. */
const Picture = ({ src, alt = '' }: { src?: unknown; alt?: string | undefined }) => {
  const inLink = useContext(InLink);
  if (typeof src === 'string' && OWN_IMAGE.test(src)) return <img src={src} alt={alt} loading="lazy" />;
  const name = `image${alt === '' ? '' : `: ${alt}`}`;
  if (inLink || typeof src !== 'string') return <span className={styles.blocked}>[{name} – not loaded]</span>;
  return (
    <span className={styles.blocked}>
      [<LinkOut href={src}>{name} – open</LinkOut>]
    </span>
  );
};

const components: Components = {
  a: ({ href, children }) => (
    <InLink value={true}>
      <LinkOut href={href}>{children}</LinkOut>
    </InLink>
  ),
  img: Picture,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys
    <section className={styles.tableScroll} tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => <Block>{children}</Block>,
  code: ({ children }) => {
    const text = textOf(children);
    return text.startsWith(INLINE_MARK) ? <MathOf formula={text.slice(1)} /> : <code>{children}</code>;
  },
};

/** Addresses that do anything but lead somewhere are dropped before they are elements. */
const urlTransform = (url: string, key: string): string | null => {
  const trimmed = url.trim();
  const isSafe =
    key === 'src' ? OWN_IMAGE.test(trimmed) || FOREIGN_IMAGE.test(trimmed) : SAFE_LINK.test(trimmed);
  return isSafe ? trimmed : null;
};

const NESTED = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])(?=[ \t>]|$)){21}/;

/** Quotations and lists within each other are drawn by functions within each other: deeper ones stay as they were written. */
const notTooDeep = (text: string): string =>
  text
    .split('\n')
    .map((line) => (NESTED.test(line) ? `\\${line.trimStart()}` : line))
    .join('\n');

const Rendered = ({ text }: { text: string }) => (
  <ReactMarkdown
    remarkPlugins={[remarkGfm]}
    rehypePlugins={[[rehypeSanitize, schema]]}
    components={components}
    urlTransform={urlTransform}
  >
    {withMathAsCode(notTooDeep(text))}
  </ReactMarkdown>
);

/** A text that cannot be drawn is shown as it was written, and takes nothing else of the page along. */
class AsWritten extends Component<{ text: string; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  /** While it is being written, the next piece may end what could not be drawn. */
  override componentDidUpdate(before: { text: string }): void {
    if (this.state.failed && before.text !== this.props.text) this.setState({ failed: false });
  }

  override render(): ReactNode {
    const { text, children } = this.props;
    return this.state.failed ? <pre className={styles.asWritten}>{text}</pre> : children;
  }
}

const Markdown = ({ text }: { text: string }) => (
  <div className={styles.markdown}>
    <AsWritten text={text}>
      <Rendered text={text} />
    </AsWritten>
  </div>
);

/** Its library is large: load it apart, `const Markdown = lazy(() => import('../../components/markdown.tsx'))`. */
export default Markdown;
