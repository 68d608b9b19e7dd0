import { useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { Input, Select } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { useToast } from '../../components/toast.tsx';
import { type Asking, titleOf } from './conversation-row.tsx';
import type { ConversationActions } from './queries.ts';

interface DialogsProps {
  asking: Asking | null;
  folders: readonly string[];
  actions: ConversationActions;
  onClose: () => void;
  /** What was asked about is done. */
  onDone: () => void;
  /** They are gone. */
  onDeleted: (ids: readonly string[]) => void;
}

const NONE = '';
/** No folder has it as its name: names are not blank. */
const NEW = ' ';

const countOf = (n: number): string => (n === 1 ? 'the conversation' : `${n} conversations`);

export const RenameDialog = ({ asking, actions: { rename }, onClose }: DialogsProps) => {
  const field = useRef<HTMLInputElement>(null);
  const one = asking?.kind === 'rename' ? asking.conversation : null;
  return (
    <Dialog
      open={one !== null}
      onClose={onClose}
      title="Rename the conversation"
      focus={field}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="rename" busy={rename.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id="rename"
        error={rename.error}
        fields={['title']}
        onSubmit={(values) => {
          if (one === null) return;
          rename.mutate({ id: one.id, title: String(values.get('title')) }, { onSuccess: onClose });
        }}
      >
        {(fault) => (
          <Input
            ref={field}
            label="Title"
            name="title"
            maxLength={200}
            defaultValue={one === null ? '' : titleOf(one)}
            fault={fault('title')}
          />
        )}
      </Form>
    </Dialog>
  );
};

export const MoveDialog = ({ asking, folders, actions: { move }, onClose, onDone }: DialogsProps) => {
  const field = useRef<HTMLSelectElement>(null);
  const many = asking?.kind === 'move' ? asking.conversations : null;
  const now = many?.length === 1 ? (many[0]?.folder ?? NONE) : NONE;
  const [picked, setPicked] = useState<string | null>(null);
  const [name, setName] = useState('');
  const to = picked ?? (folders.length === 0 ? NEW : now);
  const close = (): void => {
    setPicked(null);
    setName('');
    onClose();
  };
  const folder = to === NEW ? name.trim() : to;
  return (
    <Dialog
      open={many !== null}
      onClose={close}
      title={`Move ${countOf(many?.length ?? 1)} to a folder`}
      focus={field}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            form="move"
            busy={move.isPending}
            disabled={to === NEW && folder === ''}
          >
            Move
          </Button>
        </>
      }
    >
      <Form
        id="move"
        error={move.error}
        fields={['folder']}
        onSubmit={() => {
          if (many === null) return;
          const ids = many.map((one) => one.id);
          move.mutate(
            { ids, folder: folder === '' ? null : folder },
            {
              onSuccess: () => {
                close();
                onDone();
              },
            },
          );
        }}
      >
        {(fault) => (
          <>
            <Select
              ref={field}
              label="Folder"
              value={to}
              onChange={({ target }) => setPicked(target.value)}
              options={[
                { value: NONE, label: 'No folder' },
                ...folders.map((one) => ({ value: one, label: one })),
                { value: NEW, label: 'A new folder …' },
              ]}
            />
            {to === NEW && (
              <Input
                label="Name of the new folder"
                name="folder"
                maxLength={100}
                value={name}
                onChange={({ target }) => setName(target.value)}
                fault={fault('folder')}
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
};

export const DeleteDialog = ({ asking, actions: { remove }, onClose, onDeleted }: DialogsProps) => {
  const toast = useToast();
  const many = asking?.kind === 'delete' ? asking.conversations : null;
  const count = many?.length ?? 1;
  const [first] = many ?? [];
  return (
    <ConfirmDialog
      open={many !== null}
      onClose={onClose}
      title={
        count === 1 && first !== undefined
          ? `Delete “${titleOf(first)}” permanently?`
          : `Delete ${count} conversations permanently?`
      }
      message="All its messages in all versions go. This cannot be undone. What agents remember of it, and documents that were attached, stay."
      action="Delete permanently"
      busy={remove.isPending}
      onConfirm={() => {
        const ids = many?.map((one) => one.id) ?? [];
        remove.mutate(ids, {
          onSuccess: (busy) => {
            const gone = ids.filter((id) => !busy.includes(id));
            onDeleted(gone);
            onClose();
            if (gone.length > 0)
              toast.done(gone.length === 1 ? 'The conversation is deleted' : `${gone.length} are deleted`);
            if (busy.length > 0)
              toast.failed(
                new Error(
                  busy.length === 1
                    ? 'An answer is still being written, or waits for a decision. Stop it first.'
                    : `${busy.length} stay: an answer in them is still being written, or waits for a decision. Stop it first.`,
                ),
              );
          },
          onError: toast.failed,
        });
      }}
    />
  );
};

interface FolderDialogProps {
  /** null: none is asked about. */
  name: string | null;
  actions: ConversationActions;
  onClose: () => void;
  onRenamed: (to: string) => void;
}

export const FolderDialog = ({
  name,
  actions: { renameFolder: rename },
  onClose,
  onRenamed,
}: FolderDialogProps) => {
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog
      open={name !== null}
      onClose={onClose}
      title="Rename the folder"
      focus={field}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form="rename-folder" busy={rename.isPending}>
            Save
          </Button>
        </>
      }
    >
      <Form
        id="rename-folder"
        error={rename.error}
        fields={['to']}
        onSubmit={(values) => {
          const to = String(values.get('to')).trim();
          if (name === null || to === '') return;
          rename.mutate(
            { name, to },
            {
              onSuccess: () => {
                onRenamed(to);
                onClose();
              },
            },
          );
        }}
      >
        {(fault) => (
          <Input
            ref={field}
            label="Name"
            name="to"
            maxLength={100}
            defaultValue={name ?? ''}
            hint="With the name of another folder both become one."
            fault={fault('to')}
          />
        )}
      </Form>
    </Dialog>
  );
};
