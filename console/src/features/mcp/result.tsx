import type { McpCallResult } from 'pentarch-sdk';
import { Code } from '../../components/code.tsx';
import { Duration } from '../../components/figures.tsx';
import { Badge, StatusPill } from '../../components/surface.tsx';
import styles from './mcp.module.css';

/** What a tool gave back, as data: nothing of it is rendered as markup, no address in it is opened by itself. */

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const SHOWN_IMAGES = /^image\/(png|jpeg|gif|webp|avif)$/;

const Item = ({ item, index }: { item: Readonly<Record<string, unknown>>; index: number }) => {
  const type = text(item.type);
  const mime = text(item.mimeType);
  const label = `content ${index + 1}`;
  const body =
    type === 'text' ? (
      <Code value={text(item.text)} copy={label} />
    ) : type === 'image' && SHOWN_IMAGES.test(mime) ? (
      <img
        className={styles.image}
        src={`data:${mime};base64,${text(item.data)}`}
        alt={`Given by the tool, ${mime}`}
      />
    ) : type === 'audio' && mime.startsWith('audio/') ? (
      // biome-ignore lint/a11y/useMediaCaption: what a tool records has no captions
      <audio controls src={`data:${mime};base64,${text(item.data)}`} />
    ) : (
      <Code value={item} copy={label} />
    );
  return (
    <li>
      <p className={styles.meta}>
        {type === '' ? 'unknown' : type.replaceAll('_', ' ')}
        {mime !== '' && ` · ${mime}`}
      </p>
      {body}
    </li>
  );
};

export const CallResult = ({ result }: { result: McpCallResult }) => (
  <section className={styles.result} data-error={result.is_error || undefined} aria-label="Result">
    <header className={styles.resultHead}>
      <h3>Result</h3>
      <StatusPill tone={result.is_error ? 'bad' : 'good'}>
        {result.is_error ? 'the tool reports an error' : 'completed'}
      </StatusPill>
      {result.truncated && <Badge tone="warn">cut at 1 MB</Badge>}
      <span className={styles.meta}>
        <Duration ms={result.duration_ms} />
      </span>
    </header>
    {result.content.length === 0 && result.structured_content === null && (
      <p className={styles.meta}>The tool gave nothing back.</p>
    )}
    {result.content.length > 0 && (
      <ul className={styles.items}>
        {result.content.map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change any more
          <Item key={index} item={item} index={index} />
        ))}
      </ul>
    )}
    {result.structured_content !== null && result.structured_content !== undefined && (
      <div>
        <p className={styles.meta}>structured content</p>
        <Code value={result.structured_content} copy="structured content" />
      </div>
    )}
    <p className={styles.meta}>Call {result.call_id}</p>
  </section>
);
