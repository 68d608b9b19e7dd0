import {
  Archive,
  ArchiveRestore,
  Download,
  Ellipsis,
  Folder,
  FolderInput,
  Pencil,
  Pin,
  PinOff,
  Share2,
  Trash2,
} from 'lucide-react';
import type { Conversation } from 'pentarch-sdk';
import { IconButton } from '../../components/button.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/menu.tsx';
import { useToast } from '../../components/toast.tsx';
import styles from './chat.module.css';
import { piecesOf } from './pieces.ts';
import type { ConversationActions } from './queries.ts';

export const titleOf = (conversation: Pick<Conversation, 'title'>): string =>
  conversation.title ?? 'New conversation';

/** What the list asks about before it is done. */
export type Asking =
  | { kind: 'rename'; conversation: Conversation }
  | { kind: 'share'; conversation: Conversation }
  | { kind: 'move'; conversations: readonly Conversation[] }
  | { kind: 'delete'; conversations: readonly Conversation[] };

interface RowMenuProps {
  conversation: Conversation;
  actions: ConversationActions;
  mayWrite: boolean;
  onAsk: (asking: Asking) => void;
}

const RowMenu = ({ conversation: one, actions, mayWrite, onAsk }: RowMenuProps) => {
  const toast = useToast();
  const told = { onError: toast.failed };
  const { pin, archive, restore, download } = actions;
  const isActive = one.status === 'active';
  return (
    <Menu trigger={<IconButton label={`More for ${titleOf(one)}`} icon={<Ellipsis size={16} />} />}>
      {mayWrite && (
        <>
          <MenuItem
            icon={one.pinned ? <PinOff size={14} /> : <Pin size={14} />}
            onSelect={() => pin.mutate({ id: one.id, pinned: !one.pinned }, told)}
          >
            {one.pinned ? 'Unpin' : 'Pin to the top'}
          </MenuItem>
          <MenuItem
            icon={<FolderInput size={14} />}
            onSelect={() => onAsk({ kind: 'move', conversations: [one] })}
          >
            Move to a folder …
          </MenuItem>
          <MenuItem icon={<Pencil size={14} />} onSelect={() => onAsk({ kind: 'rename', conversation: one })}>
            Rename
          </MenuItem>
          <MenuItem icon={<Share2 size={14} />} onSelect={() => onAsk({ kind: 'share', conversation: one })}>
            Share
          </MenuItem>
        </>
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
      {mayWrite && (
        <>
          <MenuSeparator />
          <MenuItem
            icon={isActive ? <Archive size={14} /> : <ArchiveRestore size={14} />}
            onSelect={() =>
              (isActive ? archive : restore).mutate([one.id], {
                ...told,
                onSuccess: () => toast.done(`“${titleOf(one)}” is ${isActive ? 'archived' : 'restored'}`),
              })
            }
          >
            {isActive ? 'Archive' : 'Restore'}
          </MenuItem>
          <MenuItem
            danger
            icon={<Trash2 size={14} />}
            onSelect={() => onAsk({ kind: 'delete', conversations: [one] })}
          >
            Delete permanently …
          </MenuItem>
        </>
      )}
    </Menu>
  );
};

const Snippet = ({ text, q }: { text: string; q: string }) => (
  <span className={styles.snippet}>
    {piecesOf(text, q).map(({ at, piece, isHit }) =>
      isHit ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
    )}
  </span>
);

interface RowProps extends RowMenuProps {
  isOpen: boolean;
  /** What is looked for; '' for nothing. */
  q: string;
  /** Named where rows of all folders stand together. */
  showFolder: boolean;
  /** null: none are being chosen. */
  chosen: boolean | null;
  onChoose: (on: boolean) => void;
  onOpen: (id: string, message?: string) => void;
}

/** One conversation of the list; of a search with the words around what was found. */
export const ConversationRow = ({ conversation: one, isOpen, q, showFolder, chosen, ...props }: RowProps) => {
  const { onChoose, onOpen, ...menu } = props;
  const title = titleOf(one);
  const text = (
    <>
      <span className={styles.rowTitle}>
        {one.pinned && <Pin size={12} role="img" aria-label="Pinned:" />} {title}
      </span>
      {q !== '' && one.hit != null && one.hit.message_id !== null && <Snippet text={one.hit.snippet} q={q} />}
      <span className={styles.rowMeta}>
        <RelativeTime iso={one.updated_at} />
        {showFolder && one.folder !== null && (
          <span className={styles.rowFolder}>
            <Folder size={11} role="img" aria-label="Folder:" /> {one.folder}
          </span>
        )}
      </span>
    </>
  );
  return (
    <li className={styles.row} data-open={isOpen || undefined}>
      {chosen === null ? (
        <>
          <button
            type="button"
            className={styles.rowOpen}
            aria-current={isOpen ? 'true' : undefined}
            onClick={() => onOpen(one.id, q === '' ? undefined : (one.hit?.message_id ?? undefined))}
          >
            {text}
          </button>
          <RowMenu conversation={one} {...menu} />
        </>
      ) : (
        <label className={styles.rowChoose}>
          <input
            type="checkbox"
            aria-label={title}
            checked={chosen}
            onChange={({ target }) => onChoose(target.checked)}
          />
          <span className={styles.rowText}>{text}</span>
        </label>
      )}
    </li>
  );
};
