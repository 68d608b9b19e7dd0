import { AppWindow } from 'lucide-react';
import type { OauthClient } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx';
import { Input, Select, Textarea } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { Form } from '../../components/form.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Badge, Panel } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { textOf } from '../../lib/text.ts';
import styles from './admin.module.css';
import { useClients, useCreateClient, useDeleteClient } from './queries.ts';

const FORM = 'new-client';

export const Clients = () => {
  const rows = useClients();
  const create = useCreateClient();
  const remove = useDeleteClient();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [doomed, setDoomed] = useState<OauthClient | null>(null);
  const button = (
    <Button
      kind="primary"
      onClick={() => {
        create.reset();
        setAsking(true);
      }}
    >
      New client
    </Button>
  );
  return (
    <>
      <Panel flush title="OAuth clients" actions={button}>
        <DataTable
          caption="OAuth clients"
          rows={rows}
          rowKey={(row) => row.client_id}
          columns={[
            {
              id: 'name',
              header: 'Name',
              sortBy: (row) => row.name,
              cell: (row) => (
                <>
                  {row.name} <Badge>{row.type}</Badge>
                  <span className={styles.sub}>{row.client_id}</span>
                </>
              ),
            },
            {
              id: 'redirects',
              header: 'Redirects',
              minor: true,
              cell: (row) => <span className={styles.sub}>{row.redirect_uris.join(', ') || '–'}</span>,
            },
            {
              id: 'created',
              header: 'Created',
              numeric: true,
              minor: true,
              cell: (row) => <RelativeTime iso={row.created_at} />,
            },
            {
              id: 'actions',
              header: 'Actions',
              numeric: true,
              cell: (row) => (
                <Button kind="quiet" aria-label={`Delete ${row.name}`} onClick={() => setDoomed(row)}>
                  Delete
                </Button>
              ),
            },
          ]}
          empty={
            <EmptyState icon={AppWindow} title="No clients">
              Register an application that signs people in here, or a service that fetches tokens for itself.
            </EmptyState>
          }
        />
      </Panel>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title="New OAuth client"
        actions={
          <Button type="submit" form={FORM} kind="primary" busy={create.isPending}>
            Create client
          </Button>
        }
      >
        <Form
          id={FORM}
          error={create.error}
          fields={['name', 'redirect_uris', 'type']}
          onSubmit={(values) =>
            create.mutate(
              {
                name: textOf(values, 'name'),
                type: textOf(values, 'type') === 'confidential' ? 'confidential' : 'public',
                redirect_uris: textOf(values, 'redirect_uris').split(/\s+/).filter(Boolean),
              },
              {
                onSuccess: (made) => {
                  setAsking(false);
                  if (made.client_secret === undefined) toast.done(`Client ${made.client_id} is made`);
                  else setSecret(made.client_secret);
                },
              },
            )
          }
        >
          {(fault) => (
            <>
              <Input label="Name" name="name" fault={fault('name')} />
              <Select
                label="Kind"
                name="type"
                options={[
                  { value: 'public', label: 'Public: a browser or an app, with PKCE' },
                  { value: 'confidential', label: 'Confidential: a server, with a secret' },
                ]}
                fault={fault('type')}
              />
              <Textarea
                label="Redirect addresses"
                name="redirect_uris"
                hint="One on each line."
                fault={fault('redirect_uris') ?? fault('redirect_uris.0')}
              />
            </>
          )}
        </Form>
      </Dialog>
      <SecretOnce
        secret={secret}
        title="The client is made"
        about="Copy its secret now: it is shown this once, and only a hash of it is kept."
        label="Client secret"
        onClose={() => setSecret(null)}
      />
      <ConfirmDialog
        open={doomed !== null}
        onClose={() => setDoomed(null)}
        title={`Delete the client “${doomed?.name ?? ''}”?`}
        message="Every token fetched through it dies at once. This cannot be undone."
        action="Delete client"
        busy={remove.isPending}
        onConfirm={() => {
          if (doomed === null) return;
          remove.mutate(doomed.client_id, {
            onSuccess: () => toast.done(`Client “${doomed.name}” is deleted`),
            onError: toast.failed,
            onSettled: () => setDoomed(null),
          });
        }}
      />
    </>
  );
};
