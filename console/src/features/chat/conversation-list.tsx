import { CheckSquare, Ellipsis, FolderMinus, MessagesSquare, Pencil, Search } from 'lucide-react';
import type { Conversation } from 'pentarch-sdk';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../components/button.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { type MoreRows, ShowMore } from '../../components/show-more.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Segments } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import { ShareDialog } from '../shares/share-dialog.tsx';
import styles from './chat.module.css';
import { DeleteDialog, FolderDialog, MoveDialog, RenameDialog } from './conversation-dialogs.tsx';
import { type Asking, ConversationRow } from './conversation-row.tsx';
import {
  type ConversationActions,
  type Shelf,
  useConversationActions,
  useConversations,
  useFolders,
} from './queries.ts';

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

interface FoldersProps {
  folders: readonly string[];
  folder: string;
  actions: ConversationActions;
  mayWrite: boolean;
  onFolder: (name: string) => void;
}

/** Which folder is shown, and what can be done with it. */
const Folders = ({ folders, folder, actions, mayWrite, onFolder }: FoldersProps) => {
  const [renaming, setRenaming] = useState<string | null>(null);
  const toast = useToast();
  if (folders.length === 0) return null;
  return (
    <div className={styles.folders}>
      <select aria-label="Folder" value={folder} onChange={({ target }) => onFolder(target.value)}>
        <option value="">All folders</option>
        {folders.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      {folder !== '' && mayWrite && (
        <Menu trigger={<IconButton label={`More for the folder ${folder}`} icon={<Ellipsis size={16} />} />}>
          <MenuItem icon={<Pencil size={14} />} onSelect={() => setRenaming(folder)}>
            Rename the folder
          </MenuItem>
          <MenuItem
            icon={<FolderMinus size={14} />}
            onSelect={() =>
              actions.renameFolder.mutate(
                { name: folder, to: null },
                {
                  onSuccess: () => {
                    onFolder('');
                    toast.done(`The folder “${folder}” is gone; its conversations stay`);
                  },
                  onError: toast.failed,
                },
              )
            }
          >
            Remove the folder, keep its conversations
          </MenuItem>
        </Menu>
      )}
      <FolderDialog
        name={renaming}
        actions={actions}
        onClose={() => setRenaming(null)}
        onRenamed={onFolder}
      />
    </div>
  );
};

interface ChosenBarProps {
  chosen: readonly Conversation[];
  shelf: Shelf;
  actions: ConversationActions;
  onAll: () => void;
  onAsk: (asking: Asking) => void;
  onDone: () => void;
}

/** What is done with several at once. */
const ChosenBar = ({ chosen, shelf, actions, onAll, onAsk, onDone }: ChosenBarProps) => {
  const toast = useToast();
  const none = chosen.length === 0;
  const shelve = shelf === 'active' ? actions.archive : actions.restore;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings borders and a legend that no toolbar has
    <div role="group" aria-label="Chosen conversations" className={styles.chosen}>
      <span role="status">{chosen.length} chosen</span>
      <Button kind="quiet" onClick={onAll}>
        All shown
      </Button>
      <Button kind="quiet" onClick={onDone}>
        Cancel
      </Button>
      <Button disabled={none} onClick={() => onAsk({ kind: 'move', conversations: chosen })}>
        Move …
      </Button>
      <Button
        disabled={none}
        busy={shelve.isPending}
        onClick={() =>
          shelve.mutate(
            chosen.map((one) => one.id),
            { onSuccess: onDone, onError: toast.failed },
          )
        }
      >
        {shelf === 'active' ? 'Archive' : 'Restore'}
      </Button>
      <Button disabled={none} onClick={() => onAsk({ kind: 'delete', conversations: chosen })}>
        Delete …
      </Button>
    </div>
  );
};

interface ListProps {
  open: string | undefined;
  onOpen: (id: string | undefined, message?: string) => void;
}

export const ConversationList = ({ open, onOpen }: ListProps) => {
  const [shelf, setShelf] = useState<Shelf>('active');
  const [text, setText] = useState('');
  const [folder, setFolder] = useState('');
  const [asking, setAsking] = useState<Asking | null>(null);
  /** null: none are being chosen. */
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const q = useDeferredValue(text.trim());
  const folders = useFolders();
  const listing = { status: shelf, q, folder };
  // What is looked for stands in one list; otherwise what is pinned stands first.
  const rows = useConversations(q === '' ? { ...listing, pinned: false } : listing);
  const pinned = useConversations({ status: shelf, q: '', folder, pinned: true });
  const actions = useConversationActions();
  const mayWrite = useMay('chat:write');

  const first = q === '' ? (pinned.data ?? []) : [];
  const rest = rows.data ?? [];
  const all = [...first, ...rest];
  const isEmpty = rows.data !== undefined && all.length === 0 && (q !== '' || pinned.data !== undefined);
  const choose = (id: string, on: boolean): void =>
    setChosen((now) => {
      const next = new Set(now);
      if (on) next.add(id);
      else next.delete(id);
      return next;
    });
  const leaveChoosing = (): void => setChosen(null);
  const show = (change: () => void): void => {
    leaveChoosing();
    change();
  };
  const dialogs = {
    asking,
    folders,
    actions,
    onClose: () => setAsking(null),
    onDone: leaveChoosing,
    onDeleted: (ids: readonly string[]) => {
      leaveChoosing();
      if (open !== undefined && ids.includes(open)) onOpen(undefined);
    },
  };
  const rowOf = (one: Conversation) => (
    <ConversationRow
      key={one.id}
      conversation={one}
      isOpen={one.id === open}
      q={q}
      showFolder={folder === ''}
      actions={actions}
      mayWrite={mayWrite}
      chosen={chosen === null ? null : chosen.has(one.id)}
      onChoose={(on) => choose(one.id, on)}
      onOpen={onOpen}
      onAsk={setAsking}
    />
  );

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
        <div className={styles.folders}>
          <Segments
            label="Which conversations"
            value={shelf}
            options={SHELVES}
            onChange={(next) => show(() => setShelf(next))}
          />
          {mayWrite && chosen === null && all.length > 0 && (
            <IconButton
              label="Choose several"
              icon={<CheckSquare size={16} />}
              onClick={() => setChosen(new Set())}
            />
          )}
        </div>
        <Folders
          folders={folders}
          folder={folder}
          actions={actions}
          mayWrite={mayWrite}
          onFolder={(next) => show(() => setFolder(next))}
        />
        {chosen !== null && (
          <ChosenBar
            chosen={all.filter((one) => chosen.has(one.id))}
            shelf={shelf}
            actions={actions}
            onAll={() => setChosen(new Set(all.map((one) => one.id)))}
            onAsk={setAsking}
            onDone={leaveChoosing}
          />
        )}
      </div>
      {rows.data === undefined &&
        (rows.error === null ? (
          SKELETONS.map((key) => <Skeleton key={key} height="2.75rem" />)
        ) : (
          <ErrorState error={rows.error} onRetry={rows.retry} />
        ))}
      {isEmpty && (
        <EmptyState icon={MessagesSquare} title={q === '' ? 'Nothing here yet' : 'Nothing found'}>
          {q !== ''
            ? 'Try another word; titles and texts are searched.'
            : folder !== ''
              ? 'There is no conversation of this folder here.'
              : shelf === 'active'
                ? 'Your conversations will appear here.'
                : 'What you archive is kept here and can be restored.'}
        </EmptyState>
      )}
      {first.length > 0 && (
        <ul className={styles.rows} aria-label="Pinned conversations">
          {first.map(rowOf)}
        </ul>
      )}
      <ul className={styles.rows} aria-label="Conversations" data-apart={first.length > 0 || undefined}>
        {rest.map(rowOf)}
      </ul>
      {rows.hasMore && <More rows={rows} />}
      <RenameDialog {...dialogs} />
      <MoveDialog {...dialogs} />
      <DeleteDialog {...dialogs} />
      <ShareDialog
        conversation={asking?.kind === 'share' ? asking.conversation : null}
        onClose={dialogs.onClose}
      />
    </div>
  );
};
