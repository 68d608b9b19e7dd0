import { Link } from '@tanstack/react-router';
import type { Document } from 'pentarch-sdk';
import { Button } from '../../components/button.tsx';
import { Bytes } from '../../components/figures.tsx';
import { Panel, StatusPill } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import styles from './knowledge.module.css';
import { useCancelReading, useReading, useRetryDocument } from './queries.ts';

/** How far a file is that takes long to read, and what is wrong with one that could not be. */

interface Part {
  text: string;
  /** 0–1; null: nobody knows yet. */
  share: number | null;
}

/** Pages first, then passages: what is known of the whole. */
export const partOf = ({ progress }: Pick<Document, 'progress'>): Part => {
  if (progress === null) return { text: '', share: null };
  const { pages_done: pagesDone, pages, chunks_done: done, chunks } = progress;
  if (chunks !== null)
    return { text: `${done} of ${chunks} passages`, share: chunks === 0 ? 1 : done / chunks };
  if (pages !== null && pages > 0)
    return { text: `${pagesDone ?? 0} of ${pages} pages`, share: (pagesDone ?? 0) / pages };
  return { text: 'waits or is read', share: null };
};

export const ReadingState = ({ document }: { document: Document }) => {
  const toast = useToast();
  const retry = useRetryDocument();
  const { text, share } = partOf(document);
  if (document.status === 'failed') {
    return (
      <p className={styles.uploadFault}>
        {document.error?.message ?? 'It could not be read.'}{' '}
        <Button
          kind="quiet"
          busy={retry.isPending}
          onClick={() => retry.mutate(document.id, { onError: toast.failed })}
        >
          Try again
        </Button>
      </p>
    );
  }
  return (
    <>
      <progress
        className={styles.progress}
        aria-label={`${document.title} read`}
        {...(share === null ? {} : { value: share })}
      />
      <p className={styles.uploadFault} data-quiet>
        {text}
      </p>
    </>
  );
};

const ReadingRow = ({ document, mayWrite }: { document: Document; mayWrite: boolean }) => {
  const toast = useToast();
  const cancel = useCancelReading();
  const isFailed = document.status === 'failed';
  return (
    <li className={styles.upload}>
      <span className={styles.uploadName}>
        <Link to={`/knowledge/${document.id}`}>{document.title}</Link>
      </span>
      <Bytes size={document.size_bytes} />
      <StatusPill tone={isFailed ? 'bad' : 'accent'}>{isFailed ? 'failed' : 'reading'}</StatusPill>
      <ReadingState document={document} />
      {mayWrite && document.indexed_at === null && (
        <Button
          kind="quiet"
          busy={cancel.isPending}
          onClick={() => cancel.mutate(document.id, { onError: toast.failed })}
        >
          {isFailed ? 'Remove' : 'Cancel'}
          <span className="visually-hidden"> {document.title}</span>
        </Button>
      )}
    </li>
  );
};

/** Nothing while everything is read. */
export const ReadingList = ({ mayWrite }: { mayWrite: boolean }) => {
  const { data } = useReading();
  if (data === undefined || data.length === 0) return null;
  return (
    <Panel title="Being read">
      <ul className={styles.uploads} aria-label="Files being read">
        {data.map((document) => (
          <ReadingRow key={`${document.id}-${document.sha256}`} document={document} mayWrite={mayWrite} />
        ))}
      </ul>
    </Panel>
  );
};
