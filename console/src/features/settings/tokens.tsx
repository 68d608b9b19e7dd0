import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Form } from '../../components/form.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Panel } from '../../components/surface.tsx';
import { useMay } from '../../lib/me.ts';
import { type Credential, credentialColumns } from './credential-columns.tsx';
import { NameAndLifetime, nameAndLifetimeOf } from './name-and-lifetime.tsx';
import { useCreateToken, useDeleteToken, useTokens } from './queries.ts';
import { RevokeDialog } from './revoke-dialog.tsx';
import styles from './settings.module.css';

const FORM = 'new-token';

export const Tokens = () => {
  const rows = useTokens();
  const create = useCreateToken();
  const remove = useDeleteToken();
  const mayWrite = useMay('keys:write');
  const [asking, setAsking] = useState(false);
  const [made, setMade] = useState<{ name: string; secret: string } | null>(null);
  const [doomed, setDoomed] = useState<Credential | null>(null);
  const ask = (): void => {
    create.reset();
    setAsking(true);
  };
  const button = mayWrite ? (
    <Button kind="primary" onClick={ask}>
      New token
    </Button>
  ) : undefined;
  return (
    <div className={styles.stack}>
      <Panel flush title="Personal access tokens" actions={rows.data?.length === 0 ? undefined : button}>
        <DataTable
          caption="Personal access tokens"
          columns={credentialColumns(mayWrite ? { onDelete: setDoomed } : {})}
          rows={rows}
          rowKey={(row) => row.id}
          empty={
            <EmptyState icon={KeyRound} title="No tokens" action={button}>
              A token lets a script or the command line act as you, with all your rights. Make one for each
              place, so that each can be ended alone.
            </EmptyState>
          }
        />
      </Panel>
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title="New personal access token"
        description="It may do all that you may do. For less, make an API key."
        actions={
          <Button type="submit" form={FORM} kind="primary" busy={create.isPending}>
            Create token
          </Button>
        }
      >
        <Form
          id={FORM}
          error={create.error}
          fields={['name', 'expires_at']}
          onSubmit={(values) => {
            const asked = nameAndLifetimeOf(values);
            create.mutate(asked, {
              onSuccess: ({ token }) => {
                setAsking(false);
                setMade({ name: asked.name, secret: token });
              },
            });
          }}
        >
          {(fault) => <NameAndLifetime fault={fault} placeholder="laptop" days="90" />}
        </Form>
      </Dialog>
      <SecretOnce
        secret={made?.secret ?? null}
        title={`Token “${made?.name ?? ''}” is made`}
        about="Copy it now: it is shown this once, and only a hash of it is kept."
        label="Token"
        onClose={() => setMade(null)}
      />
      <RevokeDialog what="token" doomed={doomed} remove={remove} onClose={() => setDoomed(null)} />
    </div>
  );
};
