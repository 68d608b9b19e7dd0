import { type ReactNode, useEffect, useRef, useState } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { CopyButton } from './copy-button.tsx';
import styles from './markdown.module.css';

/**
 * Text of a model, which may hold what somebody planted there: HTML in it is shown as text, nothing is ever fetched (no image
 * but one of this site), links say where they lead and open apart without telling where from.
 */

const SAFE_LINK = /^(https?:|mailto:|\/(?![/\\])|#)/i;
const OWN_IMAGE = /^(\/(?![/\\])|blob:|data:image\/(png|jpeg|gif|webp);)/i;

const schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !['picture', 'source'].includes(name)),
};

/** Its text can be copied, once there is a script that could. */
const CodeBlock = ({ children }: { children: ReactNode }) => {
  const block = useRef<HTMLPreElement>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  return (
    <div className={styles.code}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys */}
      <pre ref={block} tabIndex={0}>
        {children}
      </pre>
      {ready && (
        <div className={styles.codeCopy}>
          <CopyButton text={() => block.current?.textContent ?? ''} label="Copy code" />
        </div>
      )}
    </div>
  );
};

const components: Components = {
  a: ({ href, children }) => {
    const own = href?.startsWith('/') || href?.startsWith('#');
    return (
      <a href={href} title={href} rel="noopener noreferrer nofollow" {...(own ? {} : { target: '_blank' })}>
        {children}
      </a>
    );
  },
  img: ({ src, alt }) =>
    typeof src === 'string' && OWN_IMAGE.test(src) ? (
      <img src={src} alt={alt ?? ''} loading="lazy" />
    ) : (
      <span className={styles.blocked}>[image{alt ? `: ${alt}` : ''} – not loaded]</span>
    ),
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys
    <section className={styles.tableScroll} tabIndex={0} aria-label="Table">
      <table>{children}</table>
    </section>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
};

/** Addresses that do anything but lead somewhere are dropped before they are elements. */
const urlTransform = (url: string, key: string): string | null => {
  const safe = key === 'src' ? OWN_IMAGE : SAFE_LINK;
  return safe.test(url.trim()) ? url.trim() : null;
};

const Markdown = ({ text }: { text: string }) => (
  <div className={styles.markdown}>
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[[rehypeSanitize, schema]]}
      components={components}
      urlTransform={urlTransform}
    >
      {text}
    </ReactMarkdown>
  </div>
);

/** Its library is large: load it apart, `const Markdown = lazy(() => import('../../components/markdown.tsx'))`. */
export default Markdown;
