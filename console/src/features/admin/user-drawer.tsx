import type { User } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Dialog, Drawer } from '../../components/dialog.tsx';
import { Input, Select } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay, useMe } from '../../lib/me.ts';
import { saveFile, textOf } from '../../lib/text.ts';
import styles from './admin.module.css';
import { MachineKeys } from './machine-keys.tsx';
import { useDeactivate, useErase, useExport, useLinkFor, useUpdateUser, useUser } from './queries.ts';
import type { Role } from './roles.ts';
import { oneOf } from './state.ts';
import { RoleChoice, TIERS } from './user-form.tsx';

const Edit = ({ user }: { user: User }) => {
  const save = useUpdateUser(user.id);
  const toast = useToast();
  const [roles, setRoles] = useState<Role[]>(user.roles);
  return (
    <Form
      error={save.error}
      fields={['name', 'tier']}
      onSubmit={(values) => {
        const tier = oneOf(TIERS, textOf(values, 'tier'));
        save.mutate(
          { name: textOf(values, 'name'), roles, ...(tier !== undefined && tier !== user.tier && { tier }) },
          { onSuccess: () => toast.done(`${user.email} is changed`) },
        );
      }}
    >
      {(fault) => (
        <>
          <Input label="Name" name="name" defaultValue={user.name} fault={fault('name')} />
          <Select
            label="Tier"
            name="tier"
            defaultValue={user.tier}
            options={TIERS.map((value) => ({ value, label: value }))}
            fault={fault('tier')}
          />
          <RoleChoice value={roles} onChange={setRoles} />
          <div className={styles.actions}>
            <Button type="submit" kind="primary" busy={save.isPending}>
              Save
            </Button>
          </div>
        </>
      )}
    </Form>
  );
};

/** Lets go only when the person's address has been typed: what it does cannot be undone. */
const EraseDialog = ({ user, onClose }: { user: User; onClose: () => void }) => {
  const erase = useErase(user.id);
  const toast = useToast();
  const [typed, setTyped] = useState('');
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Erase the data of ${user.email}?`}
      description="Conversations, documents, memories and files of this person are gone for ever. The account stays; deactivate it apart."
      actions={
        <Button
          kind="danger"
          busy={erase.isPending}
          disabled={typed !== user.email}
          onClick={() =>
            erase.mutate(null, {
              onSuccess: ({ erased }) => {
                const records = Object.values(erased).reduce((sum, count) => sum + count, 0);
                toast.done(`${records} records of ${user.email} are erased`);
                onClose();
              },
              onError: toast.failed,
            })
          }
        >
          Erase data
        </Button>
      }
    >
      <Input
        label={`Type ${user.email} to continue`}
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Dialog>
  );
};

const Actions = ({ user }: { user: User }) => {
  const me = useMe();
  const toast = useToast();
  const link = useLinkFor(user.id);
  const deactivate = useDeactivate(user.id);
  const update = useUpdateUser(user.id);
  const exported = useExport(user.id);
  const [asking, setAsking] = useState<'deactivate' | 'erase' | null>(null);
  const [url, setUrl] = useState<string | null>(null);
  const hand = (kind: 'invitation' | 'password'): void =>
    link.mutate(kind, {
      onSuccess: (made) => {
        if (made.url === null) toast.done(`The link went to ${user.email} by mail`);
        else setUrl(made.url);
      },
      onError: toast.failed,
    });
  return (
    <section className={styles.section} aria-label="Actions">
      <div className={styles.start}>
        {user.status === 'invited' && (
          <Button busy={link.isPending} onClick={() => hand('invitation')}>
            New invitation link
          </Button>
        )}
        {user.status === 'active' && user.type === 'person' && (
          <Button busy={link.isPending} onClick={() => hand('password')}>
            Password link
          </Button>
        )}
        <Button
          busy={exported.isPending}
          onClick={() =>
            exported.mutate(undefined, {
              onSuccess: (data) =>
                saveFile(`export-${user.id}.json`, 'application/json', JSON.stringify(data, null, 2)),
              onError: toast.failed,
            })
          }
        >
          Export data
        </Button>
        {user.status === 'deactivated' ? (
          <Button
            busy={update.isPending}
            onClick={() =>
              update.mutate(
                { status: 'active' },
                { onSuccess: () => toast.done(`${user.email} is active again`), onError: toast.failed },
              )
            }
          >
            Activate
          </Button>
        ) : (
          user.id !== me.sub && (
            <Button kind="danger" onClick={() => setAsking('deactivate')}>
              Deactivate
            </Button>
          )
        )}
        <Button kind="danger" onClick={() => setAsking('erase')}>
          Erase data …
        </Button>
      </div>
      {asking === 'erase' && <EraseDialog user={user} onClose={() => setAsking(null)} />}
      <ConfirmDialog
        open={asking === 'deactivate'}
        onClose={() => setAsking(null)}
        title={`Deactivate ${user.email}?`}
        message="Their sessions, tokens and keys die at once. Their data stays, and they can be activated again."
        action="Deactivate account"
        busy={deactivate.isPending}
        onConfirm={() =>
          deactivate.mutate(null, {
            onSuccess: () => toast.done(`${user.email} is deactivated`),
            onError: toast.failed,
            onSettled: () => setAsking(null),
          })
        }
      />
      <SecretOnce
        secret={url}
        title={`Link for ${user.email}`}
        about="Hand it to the person: with it they set a new password. It is shown this once."
        label="Link"
        onClose={() => setUrl(null)}
      />
    </section>
  );
};

const Details = ({ user }: { user: User }) => {
  const mayManage = useMay('users:manage');
  return (
    <div className={styles.stack}>
      <dl className={styles.facts}>
        <dt>Status</dt>
        <dd>{user.status}</dd>
        <dt>Kind</dt>
        <dd>{user.type === 'service' ? 'service account' : 'person'}</dd>
        <dt>Id</dt>
        <dd className={styles.mono}>{user.id}</dd>
        <dt>Created</dt>
        <dd>
          <RelativeTime iso={user.created_at} />
        </dd>
        <dt>Last seen</dt>
        <dd>{user.last_seen_at === null ? 'never' : <RelativeTime iso={user.last_seen_at} />}</dd>
        {!mayManage && (
          <>
            <dt>Roles</dt>
            <dd>{user.roles.join(', ')}</dd>
            <dt>Tier</dt>
            <dd>{user.tier}</dd>
          </>
        )}
      </dl>
      {mayManage && <Edit key={user.id} user={user} />}
      {mayManage && user.type === 'service' && <MachineKeys userId={user.id} />}
      {mayManage && <Actions user={user} />}
    </div>
  );
};

export const UserDrawer = ({ id, onClose }: { id: string | undefined; onClose: () => void }) => {
  const { data, error, refetch } = useUser(id);
  return (
    <Drawer open={id !== undefined} onClose={onClose} title={data?.name || data?.email || 'Account'}>
      {data !== undefined ? (
        <Details user={data} />
      ) : error !== null ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height="24rem" />
      )}
    </Drawer>
  );
};
