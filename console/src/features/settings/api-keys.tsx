import { KeyRound } from 'lucide-react';
import type { CreateApiKeyRequest } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Checkbox, Switch } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Panel } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay, useMe } from '../../lib/me.ts';
import { type Credential, credentialColumns } from './credential-columns.tsx';
import { NameAndLifetime, nameAndLifetimeOf } from './name-and-lifetime.tsx';
import { useApiKeys, useCreateApiKey, useDeleteApiKey, useRotateApiKey } from './queries.ts';
import { RevokeDialog } from './revoke-dialog.tsx';
import styles from './settings.module.css';

type Permission = NonNullable<CreateApiKeyRequest['permissions']>[number];
const FORM = 'new-key';

interface NewKeyProps {
  onClose: () => void;
  onMade: (name: string, secret: string) => void;
}

const NewKey = ({ onClose, onMade }: NewKeyProps) => {
  const create = useCreateApiKey();
  const { permissions } = useMe();
  const [narrow, setNarrow] = useState(true);
  const [chosen, setChosen] = useState<readonly string[]>(['agents:read', 'chat:write']);
  // The caller's own come from the API; it knows each of them.
  const picked = chosen.filter((one): one is Permission => permissions.includes(one));
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title="New API key"
      description="For a service that calls the API. Give it no more than it needs."
      actions={
        <Button
          type="submit"
          form={FORM}
          kind="primary"
          busy={create.isPending}
          disabled={narrow && picked.length === 0}
        >
          Create key
        </Button>
      }
    >
      <Form
        id={FORM}
        error={create.error}
        fields={['name', 'expires_at']}
        onSubmit={(values) => {
          const asked = nameAndLifetimeOf(values);
          create.mutate(
            { ...asked, ...(narrow && { permissions: picked }) },
            { onSuccess: ({ key }) => onMade(asked.name, key) },
          );
        }}
      >
        {(fault) => (
          <>
            <NameAndLifetime fault={fault} placeholder="nightly report" days="365" />
            <Switch
              label="Only chosen permissions"
              hint={narrow ? `${picked.length} of your ${permissions.length}` : 'All that you may do.'}
              checked={narrow}
              onChange={setNarrow}
            />
            {narrow && (
              <fieldset className={styles.permissions}>
                <legend className="visually-hidden">Permissions</legend>
                {permissions.map((one) => (
                  <Checkbox
                    key={one}
                    label={one}
                    checked={chosen.includes(one)}
                    onChange={(on) => setChosen(on ? [...chosen, one] : chosen.filter((it) => it !== one))}
                  />
                ))}
              </fieldset>
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
};

export const ApiKeys = () => {
  const rows = useApiKeys();
  const rotate = useRotateApiKey();
  const remove = useDeleteApiKey();
  const toast = useToast();
  const mayWrite = useMay('keys:write');
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<{ title: string; about: string; secret: string } | null>(null);
  const [doomed, setDoomed] = useState<Credential | null>(null);
  const button = mayWrite ? (
    <Button kind="primary" onClick={() => setAsking(true)}>
      New key
    </Button>
  ) : undefined;
  const columns = credentialColumns(
    mayWrite
      ? {
          onDelete: setDoomed,
          onRotate: (row) =>
            rotate.mutate(row.id, {
              onSuccess: ({ key }) =>
                setMade({
                  title: `Key “${row.name}” is rotated`,
                  about: 'Copy the new one now; the old one works for a short overlap.',
                  secret: key,
                }),
              onError: toast.failed,
            }),
        }
      : {},
  );
  return (
    <>
      <Panel flush title="API keys" actions={rows.data?.length === 0 ? undefined : button}>
        <DataTable
          caption="API keys"
          columns={[
            ...columns.slice(0, 1),
            {
              id: 'permissions',
              header: 'May',
              minor: true,
              cell: (row) =>
                row.permissions === null ? (
                  'all that you may'
                ) : (
                  <span title={row.permissions.join(', ')} className={styles.sub}>
                    {row.permissions.join(', ')}
                  </span>
                ),
            },
            ...columns.slice(1),
          ]}
          rows={rows}
          rowKey={(row) => row.id}
          empty={
            <EmptyState icon={KeyRound} title="No API keys" action={button}>
              A key lets a service call the API in your name, with as few permissions as you choose.
            </EmptyState>
          }
        />
      </Panel>
      {asking && (
        <NewKey
          onClose={() => setAsking(false)}
          onMade={(name, secret) => {
            setAsking(false);
            setMade({
              title: `Key “${name}” is made`,
              about: 'Copy it now: it is shown this once, and only a hash of it is kept.',
              secret,
            });
          }}
        />
      )}
      <SecretOnce
        secret={made?.secret ?? null}
        title={made?.title ?? ''}
        about={made?.about ?? ''}
        label="API key"
        onClose={() => setMade(null)}
      />
      <RevokeDialog what="key" doomed={doomed} remove={remove} onClose={() => setDoomed(null)} />
    </>
  );
};
