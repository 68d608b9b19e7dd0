import {
  Archive,
  ArchiveRestore,
  Download,
  Ellipsis,
  MessagesSquare,
  Pencil,
  Search,
  Share2,
} from 'lucide-react';
import type { Conversation } from 'pentarch-sdk';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Input } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx';
import { type MoreRows, ShowMore } from '../../components/show-more.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Segments } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import { ShareDialog } from '../shares/share-dialog.tsx';
import styles from './chat.module.css';
import { type Shelf, useConversationActions, useConversations } from './queries.ts';

export const titleOf = (conversation: Pick<Conversation, 'title'>): string =>
  conversation.title ?? 'New conversation';

const SHELVES: readonly { value: Shelf; label: string }[] = [
  { value: 'active', label: 'Active' },
  { value: 'archived', label: 'Archived' },
];
const SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Reads the next page when it comes into view; where that failed, only when it is asked to. */
const More = ({ rows }: { rows: MoreRows }) => {
  const mark = useRef<HTMLDivElement>(null);
  const seen = useRef(rows.loadMore);
  const waits = rows.loadingMore === true || rows.moreFailed === true;
  useEffect(() => {
    seen.current = rows.loadMore;
  });
  useEffect(() => {
    if (mark.current === null || waits) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) seen.current?.();
    });
    observer.observe(mark.current);
    return () => observer.disconnect();
  }, [waits]);
  return (
    <div ref={mark}>
      <ShowMore rows={rows} />
    </div>
  );
};

interface ListProps {
  open: string | undefined;
  onOpen: (id: string | undefined) => void;
}

export const ConversationList = ({ open, onOpen }: ListProps) => {
  const [shelf, setShelf] = useState<Shelf>('active');
  const [text, setText] = useState('');
  const [renaming, setRenaming] = useState<Conversation | null>(null);
  const [sharing, setSharing] = useState<Conversation | null>(null);
  const q = useDeferredValue(text.trim());
  const rows = useConversations(shelf, q);
  const { rename, archive, restore, download } = useConversationActions();
  const toast = useToast();
  const mayWrite = useMay('chat:write');
  const told = { onError: toast.failed };

  return (
    <div className={styles.list}>
      <div className={styles.listHead}>
        <label className={styles.search}>
          <Search size={14} aria-hidden="true" />
          <span className="visually-hidden">Search conversations</span>
          <input
            type="search"
            placeholder="Search titles and text"
            maxLength={200}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <Segments label="Which conversations" value={shelf} options={SHELVES} onChange={setShelf} />
      </div>
      {rows.data === undefined &&
        (rows.error === null ? (
          SKELETONS.map((key) => <Skeleton key={key} height="2.75rem" />)
        ) : (
          <ErrorState error={rows.error} onRetry={rows.retry} />
        ))}
      {rows.data?.length === 0 && (
        <EmptyState icon={MessagesSquare} title={q === '' ? 'Nothing here yet' : 'Nothing found'}>
          {q === ''
            ? shelf === 'active'
              ? 'Your conversations will stand here.'
              : 'What you archive is kept here and can be restored.'
            : 'Try another word; titles and texts are searched.'}
        </EmptyState>
      )}
      <ul className={styles.rows} aria-label="Conversations">
        {rows.data?.map((one) => (
          <li key={one.id} className={styles.row} data-open={one.id === open || undefined}>
            <button
              type="button"
              className={styles.rowOpen}
              aria-current={one.id === open ? 'true' : undefined}
              onClick={() => onOpen(one.id)}
            >
              <span className={styles.rowTitle}>{titleOf(one)}</span>
              <span className={styles.rowMeta}>
                <RelativeTime iso={one.updated_at} />
              </span>
            </button>
            <Menu trigger={<IconButton label={`More for ${titleOf(one)}`} icon={<Ellipsis size={16} />} />}>
              {mayWrite && (
                <MenuItem icon={<Pencil size={14} />} onSelect={() => setRenaming(one)}>
                  Rename
                </MenuItem>
              )}
              {mayWrite && (
                <MenuItem icon={<Share2 size={14} />} onSelect={() => setSharing(one)}>
                  Share
                </MenuItem>
              )}
              <MenuItem
                icon={<Download size={14} />}
                onSelect={() => download.mutate({ id: one.id, format: 'markdown' }, told)}
              >
                Export as Markdown
              </MenuItem>
              <MenuItem
                icon={<Download size={14} />}
                onSelect={() => download.mutate({ id: one.id, format: 'json' }, told)}
              >
                Export as JSON
              </MenuItem>
              {mayWrite && <MenuSeparator />}
              {mayWrite &&
                (one.status === 'active' ? (
                  <MenuItem
                    icon={<Archive size={14} />}
                    onSelect={() =>
                      archive.mutate(one.id, {
                        ...told,
                        onSuccess: () => toast.done(`“${titleOf(one)}” is archived`),
                      })
                    }
                  >
                    Archive
                  </MenuItem>
                ) : (
                  <MenuItem
                    icon={<ArchiveRestore size={14} />}
                    onSelect={() =>
                      restore.mutate(one.id, {
                        ...told,
                        onSuccess: () => toast.done(`“${titleOf(one)}” is restored`),
                      })
                    }
                  >
                    Restore
                  </MenuItem>
                ))}
            </Menu>
          </li>
        ))}
      </ul>
      {rows.hasMore && <More rows={rows} />}
      <ShareDialog conversation={sharing} onClose={() => setSharing(null)} />
      <Dialog
        open={renaming !== null}
        onClose={() => setRenaming(null)}
        title="Rename the conversation"
        actions={
          <Button kind="primary" type="submit" form="rename" busy={rename.isPending}>
            Save
          </Button>
        }
      >
        <Form
          id="rename"
          error={rename.error}
          fields={['title']}
          onSubmit={(values) => {
            if (renaming === null) return;
            rename.mutate(
              { id: renaming.id, title: String(values.get('title')) },
              { onSuccess: () => setRenaming(null) },
            );
          }}
        >
          {(fault) => (
            <Input
              label="Title"
              name="title"
              maxLength={200}
              defaultValue={renaming === null ? '' : titleOf(renaming)}
              fault={fault('title')}
            />
          )}
        </Form>
      </Dialog>
    </div>
  );
};
