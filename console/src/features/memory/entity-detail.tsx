import { Pencil } from 'lucide-react';
import type { MemoryEntity } from 'pentarch-sdk';
import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { Percent, RelativeTime } from '../../components/figures.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { Badge } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay, useMe } from '../../lib/me.ts';
import { EntityEdit } from './entity-form.tsx';
import { EntityPicker } from './entity-picker.tsx';
import { Facts } from './facts.tsx';
import styles from './memory.module.css';
import { useEntity, useEntityActions, useMayChange, useMayShare } from './queries.ts';
import { type Names, RelationsOf } from './relations-of.tsx';

const MergeDialog = ({ entity, onClose }: { entity: MemoryEntity; onClose: () => void }) => {
  const { merge } = useEntityActions(entity.id);
  const toast = useToast();
  const [other, setOther] = useState<MemoryEntity | null>(null);
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Merge into ${entity.name}`}
      description="The other entity's facts and relations come here, its name stays as “also known as”. Then it is gone; this cannot be undone."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="danger"
            disabled={other === null}
            busy={merge.isPending}
            onClick={() => {
              if (other === null) return;
              merge.mutate(other.id, {
                onSuccess: () => {
                  toast.done(`${other.name} is now part of ${entity.name}`);
                  onClose();
                },
                onError: toast.failed,
              });
            }}
          >
            Merge
          </Button>
        </>
      }
    >
      <EntityPicker label="Take in" without={entity.id} chosen={other} onChoose={setOther} />
    </Dialog>
  );
};

const Actions = ({ entity, onGone }: { entity: MemoryEntity; onGone: () => void }) => {
  const { update, remove } = useEntityActions(entity.id);
  const toast = useToast();
  const { sub } = useMe();
  const mayShare = useMayShare();
  const [asking, setAsking] = useState<'share' | 'merge' | 'delete' | null>(null);
  const close = (): void => setAsking(null);
  return (
    <section className={styles.section} aria-label="Actions">
      <div className={styles.start}>
        {mayShare && entity.owner_id === sub && <Button onClick={() => setAsking('share')}>Share …</Button>}
        <Button onClick={() => setAsking('merge')}>Merge …</Button>
        <Button kind="quiet" className={styles.dangerText} onClick={() => setAsking('delete')}>
          Delete …
        </Button>
      </div>
      {asking === 'merge' && <MergeDialog entity={entity} onClose={close} />}
      <ConfirmDialog
        open={asking === 'share'}
        onClose={close}
        title={`Share ${entity.name} with the organisation?`}
        message="Everybody in it, and the agents that work for them, will know what is noted here. It cannot be made private again."
        action="Share"
        busy={update.isPending}
        onConfirm={() =>
          update.mutate(
            { visibility: 'tenant' },
            {
              onSuccess: () => toast.done(`${entity.name} is shared`),
              onError: toast.failed,
              onSettled: close,
            },
          )
        }
      />
      <ConfirmDialog
        open={asking === 'delete'}
        onClose={close}
        title={`Delete ${entity.name}?`}
        message="Its facts and relations go with it. This cannot be undone."
        action="Delete entity"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(undefined, {
            onSuccess: () => {
              toast.done(`${entity.name} is deleted`);
              onGone();
            },
            onError: toast.failed,
            onSettled: close,
          })
        }
      />
    </section>
  );
};

interface EntityDetailProps {
  id: string;
  names: Names;
  /** Where the detail has no title of its own around it. */
  head?: (entity: MemoryEntity | undefined) => ReactNode;
  onOpen: (id: string) => void;
  onGone: () => void;
}

/** One entity: what it is, what is known, what it is tied to. All of it can be changed where it stands. */
export const EntityDetail = ({ id, names, head, onOpen, onGone }: EntityDetailProps) => {
  const { data, error, refetch } = useEntity(id);
  const [editing, setEditing] = useState(false);
  const mayWrite = useMay('memory:write');
  const mayShare = useMayShare();
  const mayChange = useMayChange(data?.owner_id);
  if (data === undefined) {
    return (
      <>
        {head?.(undefined)}
        {error === null ? (
          <Skeleton height="18rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
      </>
    );
  }
  return (
    <div className={styles.detail}>
      {head?.(data)}
      {editing ? (
        <EntityEdit entity={data} onDone={() => setEditing(false)} />
      ) : (
        <div className={styles.about}>
          <dl className={styles.figures}>
            <dt>Type</dt>
            <dd>{data.entity_type}</dd>
            <dt>Known to</dt>
            <dd>
              <Badge tone={data.visibility === 'tenant' ? 'accent' : 'neutral'}>
                {data.visibility === 'tenant' ? 'organisation' : 'owner'}
              </Badge>
            </dd>
            <dt>Importance</dt>
            <dd className={styles.importance}>
              <meter min={0} max={1} value={data.importance} aria-label="Importance" />
              <Percent share={data.importance} />
            </dd>
            <dt>Since</dt>
            <dd>
              <RelativeTime iso={data.created_at} />
            </dd>
            <dt>Changed</dt>
            <dd>
              <RelativeTime iso={data.updated_at} />
            </dd>
          </dl>
          {mayChange && (
            <Button onClick={() => setEditing(true)}>
              <Pencil size={13} aria-hidden="true" /> Edit
            </Button>
          )}
        </div>
      )}
      <Facts entity={data} mayChange={mayChange} />
      <RelationsOf
        key={data.id}
        entity={data}
        names={names}
        mayWrite={mayWrite && mayChange}
        mayChange={(relation) => mayChange && (relation.visibility === 'private' || mayShare)}
        onOpen={onOpen}
      />
      {mayChange && <Actions entity={data} onGone={onGone} />}
    </div>
  );
};
