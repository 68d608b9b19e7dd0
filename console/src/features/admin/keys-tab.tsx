import { KeyRound } from 'lucide-react';
import { Button } from '../../components/button.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Panel, StatusPill } from '../../components/surface.tsx';
import styles from './admin.module.css';
import { MachineKeys } from './machine-keys.tsx';
import { useUsers } from './queries.ts';
import { CLEARED, useAdminState } from './state.ts';

/** The keys by which services sign in, account by account. */
export const Keys = () => {
  const rows = useUsers({ type: 'service' });
  const [, setState] = useAdminState();
  const accounts = (
    <Button onClick={() => setState({ ...CLEARED, tab: 'users', type: 'service' })}>Service accounts</Button>
  );
  return (
    <Panel title="Machine keys" actions={accounts}>
      <p className={styles.about}>
        A service account signs in with a key file. The tokens and API keys that people make for themselves
        are under their own Settings; all of them end when the account is deactivated.
      </p>
      {rows.data === undefined ? (
        rows.error === null ? (
          <Skeleton height="12rem" />
        ) : (
          <ErrorState error={rows.error} onRetry={rows.retry} />
        )
      ) : rows.data.length === 0 ? (
        <EmptyState icon={KeyRound} title="No service accounts" action={accounts}>
          Make a user of the kind “Service account”; its keys are made and ended here.
        </EmptyState>
      ) : (
        <ul className={styles.stack} aria-label="Service accounts">
          {rows.data.map((account) => (
            <li key={account.id}>
              <MachineKeys
                userId={account.id}
                title={
                  <>
                    {account.name === '' ? account.email : account.name}{' '}
                    {account.status !== 'active' && <StatusPill tone="neutral">{account.status}</StatusPill>}
                  </>
                }
              />
            </li>
          ))}
        </ul>
      )}
      <ShowMore rows={rows} />
    </Panel>
  );
};
