import { useNavigate } from '@tanstack/react-router';
import { Download, FileText, Trash2 } from 'lucide-react';
import type { Document, DocumentChunk } from 'pentarch-sdk';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Switch } from '../../components/field.tsx';
import { Bytes, Count, RelativeTime } from '../../components/figures.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { BackLink, Badge, PageHead, Panel } from '../../components/surface.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { useToast } from '../../components/toast.tsx';
import { formatLanguage } from '../../lib/format.ts';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay, useMe } from '../../lib/me.ts';
import { usePathParam, useUrlState } from '../../lib/url-state.ts';
import styles from './knowledge.module.css';
import {
  useChunks,
  useDeleteDocument,
  useDocument,
  useDocumentText,
  useDownload,
  useUpdateDocument,
} from './queries.ts';
import { ReadingState } from './reading.tsx';
import { labelOfType } from './types.ts';

const parse = (raw: Readonly<Record<string, unknown>>) => ({
  tab: raw.tab === 'text' ? 'text' : 'passages',
  /** Id of the passage that somebody was led to. */
  chunk: typeof raw.chunk === 'string' ? raw.chunk : '',
});

const Chunk = ({ chunk, wanted }: { chunk: DocumentChunk; wanted: boolean }) => {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (wanted) item.current?.scrollIntoView({ block: 'center' });
  }, [wanted]);
  return (
    <li ref={item} className={styles.chunk} data-wanted={wanted || undefined}>
      <div className={styles.chunkHead}>
        <span className="number">#{chunk.ordinal + 1}</span>
        {chunk.page !== null && <Badge>page {chunk.page}</Badge>}
        <span className="number">
          characters {chunk.start}–{chunk.end}
        </span>
        <span>{chunk.heading_path.slice(1).join(' › ')}</span>
      </div>
      <p className={styles.passage}>{chunk.content}</p>
    </li>
  );
};

const Passages = ({ id, wanted }: { id: string; wanted: string }) => {
  const rows = useChunks(id);
  const { data, hasMore, loadingMore, moreFailed, loadMore } = rows;
  const missing = wanted !== '' && data !== undefined && !data.some((one) => one.id === wanted);
  useEffect(() => {
    // The passage stands further back: read on until it is there.
    if (missing && hasMore && !loadingMore && !moreFailed) loadMore();
  }, [missing, hasMore, loadingMore, moreFailed, loadMore]);
  if (data === undefined) {
    return rows.error === null ? (
      <Skeleton height="20rem" />
    ) : (
      <ErrorState error={rows.error} onRetry={rows.retry} />
    );
  }
  if (data.length === 0) {
    return (
      <EmptyState icon={FileText} title="No passages">
        No text was found in this file. Upload a version that holds text.
      </EmptyState>
    );
  }
  return (
    <Panel flush>
      <ol aria-label="Passages">
        {data.map((chunk) => (
          <Chunk key={chunk.id} chunk={chunk} wanted={chunk.id === wanted} />
        ))}
      </ol>
      {hasMore && (
        <div className={styles.more}>
          <ShowMore rows={rows} />
        </div>
      )}
    </Panel>
  );
};

const Text = ({ id }: { id: string }) => {
  const { data, error, refetch } = useDocumentText(id);
  if (data === undefined) {
    return error === null ? (
      <Skeleton height="20rem" />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  return (
    <Panel>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys */}
      <pre className={styles.text} tabIndex={0}>
        {data}
      </pre>
    </Panel>
  );
};

/** What a file may hold that is not read on purpose. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  hidden_text: 'hidden text',
  deleted_text: 'deleted text',
  hidden_rows: 'hidden rows',
  hidden_columns: 'hidden columns',
  hidden_sheets: 'hidden sheets',
  hidden_slides: 'hidden slides',
  readings: 'readings above characters',
  pictures: 'pictures',
  attachments: 'attachments',
  embedded_files: 'files within the file',
  comments: 'comments beside the page',
  navigation: 'navigation',
  chapters: 'chapters outside of the order',
  far_cells: 'cells far to the right',
  page_furniture: 'page numbers, dates and footers',
};

const Facts = ({ document }: { document: Document }) => (
  <Panel title="About">
    <dl className={styles.facts}>
      <dt>Type</dt>
      <dd>{labelOfType(document.content_type)}</dd>
      <dt>File</dt>
      <dd>{document.filename ?? 'none: made from text'}</dd>
      <dt>Size</dt>
      <dd>
        <Bytes size={document.size_bytes} />
      </dd>
      <dt>Pages</dt>
      <dd>
        <Count value={document.page_count} />
      </dd>
      {document.unread_pages.length > 0 && (
        <>
          <dt>Pages without text</dt>
          <dd>{document.unread_pages.join(', ')}: scans or pictures, which cannot be searched</dd>
        </>
      )}
      {document.left_out.length > 0 && (
        <>
          <dt>Left out</dt>
          <dd>
            {document.left_out.map(({ what, count }) => `${LEFT_OUT[what] ?? what} (${count})`).join(', ')}
          </dd>
        </>
      )}
      <dt>Passages</dt>
      <dd>
        <Count value={document.chunk_count} />
      </dd>
      <dt>Language</dt>
      <dd>{document.language === null ? 'unknown' : formatLanguage(document.language)}</dd>
      <dt>Added</dt>
      <dd>
        <RelativeTime iso={document.created_at} />
      </dd>
      <dt>SHA-256</dt>
      <dd>
        <code className={styles.hash}>{document.sha256}</code>
      </dd>
      {Object.entries(document.metadata).map(([key, value]) => [
        <dt key={`${key}-name`}>{key}</dt>,
        <dd key={`${key}-value`}>{typeof value === 'string' ? value : JSON.stringify(value)}</dd>,
      ])}
    </dl>
  </Panel>
);

const Visibility = ({ document }: { document: Document }) => {
  const toast = useToast();
  const update = useUpdateDocument(document.id);
  return (
    <Panel>
      <Switch
        label="Whole organisation may read it"
        hint={
          document.visibility === 'role'
            ? `Now: you, and who has a role of ${document.roles.join(', ')}.`
            : 'Off: only you can find it in a search.'
        }
        checked={document.visibility === 'tenant'}
        disabled={update.isPending}
        onChange={(shared) =>
          update.mutate(
            { visibility: shared ? 'tenant' : 'private' },
            {
              onSuccess: () => toast.done(shared ? 'Shared with the organisation' : 'Private again'),
              onError: toast.failed,
            },
          )
        }
      />
    </Panel>
  );
};

const Trust = ({ document }: { document: Document }) => {
  const toast = useToast();
  const update = useUpdateDocument(document.id);
  return (
    <Panel>
      <Switch
        label="Trusted"
        hint="On: answers that have read it act without asking first. Other content or another title switches it off."
        checked={document.trusted}
        disabled={update.isPending}
        onChange={(trusted) =>
          update.mutate(
            { trusted, seen_version: document.version },
            {
              onSuccess: () => toast.done(trusted ? 'Trusted as it is' : 'No longer trusted'),
              onError: toast.failed,
            },
          )
        }
      />
    </Panel>
  );
};

const DocumentPage = () => {
  const id = usePathParam('documentId');
  useLiveRefresh(['document.'], ['knowledge']);
  const [{ tab, chunk }, setState] = useUrlState(parse);
  const { data, error, refetch } = useDocument(id);
  const remove = useDeleteDocument(id);
  const download = useDownload();
  const toast = useToast();
  const navigate = useNavigate();
  const me = useMe();
  const mayWrite = useMay('knowledge:write') && data?.created_by === me.sub;
  const mayTrust = useMay('knowledge:manage');
  const [asking, setAsking] = useState(false);
  if (data === undefined) {
    return (
      <>
        <BackLink to="/knowledge">All documents</BackLink>
        <PageHead title="Document" />
        {error === null ? (
          <Skeleton height="24rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
      </>
    );
  }
  return (
    <>
      <BackLink to="/knowledge">All documents</BackLink>
      <PageHead
        title={data.title}
        actions={
          <>
            {data.indexed_at !== null && (
              <Button
                busy={download.isPending}
                onClick={() => download.mutate(data, { onError: toast.failed })}
              >
                <Download size={16} aria-hidden="true" /> Download
              </Button>
            )}
            {mayWrite && (
              <Button onClick={() => setAsking(true)}>
                <Trash2 size={16} aria-hidden="true" /> Delete …
              </Button>
            )}
          </>
        }
      />
      {data.status !== 'indexed' && (
        <Panel title={data.status === 'failed' ? 'Could not be read' : 'Being read'}>
          <ReadingState document={data} />
        </Panel>
      )}
      <div className={styles.document}>
        <Tabs
          value={tab}
          onChange={(next) => setState({ tab: next === 'text' ? next : undefined })}
          tabs={[
            { value: 'passages', label: 'Passages', content: <Passages id={id} wanted={chunk} /> },
            { value: 'text', label: 'Text', content: <Text id={id} /> },
          ].slice(0, data.indexed_at === null ? 1 : 2)}
        />
        <div className={styles.side}>
          {mayWrite && data.indexed_at !== null && <Visibility document={data} />}
          {mayTrust && data.indexed_at !== null && <Trust document={data} />}
          <Facts document={data} />
        </div>
      </div>
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete “${data.title}”?`}
        message="It is gone from every search at once and cannot be had back. Answers that cite it keep their text."
        action="Delete document"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => {
              toast.done(`“${data.title}” is deleted`);
              void navigate({ to: '/knowledge' });
            },
            onError: toast.failed,
          })
        }
      />
    </>
  );
};

export default DocumentPage;
