import type { Citation } from 'pentarch-sdk';
import { Drawer } from '../../components/dialog.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import styles from './chat.module.css';
import { usePassage } from './queries.ts';

const Highlighted = ({ text, quote }: { text: string; quote: string }) => {
  const at = quote === '' ? -1 : text.indexOf(quote);
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <mark>{quote}</mark>
      {text.slice(at + quote.length)}
    </>
  );
};

const Passage = ({ citation }: { citation: Citation }) => {
  const { data, error, refetch } = usePassage(citation);
  if (data === undefined) {
    return error === null ? (
      <Skeleton height="14rem" />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  if (data === null) {
    return (
      <>
        <p className={styles.meta}>
          The document no longer holds this passage. When the answer was written, it said:
        </p>
        <blockquote className={styles.passage}>
          <mark>{citation.quote}</mark>
        </blockquote>
      </>
    );
  }
  return (
    <>
      <p className={styles.meta}>{data.heading_path.join(' › ')}</p>
      <blockquote className={styles.passage}>
        <Highlighted text={data.content} quote={citation.quote} />
      </blockquote>
    </>
  );
};

/** What an answer rests on: the passage in its document, with the words that were used. */
export const CitationDrawer = ({
  citation,
  onClose,
}: {
  citation: Citation | undefined;
  onClose: () => void;
}) => (
  <Drawer
    open={citation !== undefined}
    onClose={onClose}
    title={citation?.title ?? ''}
    {...(citation === undefined || citation.page === null ? {} : { description: `Page ${citation.page}` })}
  >
    {citation !== undefined && <Passage citation={citation} />}
  </Drawer>
);
