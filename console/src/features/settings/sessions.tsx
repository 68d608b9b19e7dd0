import { MonitorSmartphone } from 'lucide-react';
import type { ListMySessionsResultItem } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Badge, Panel } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useEndSession, useSessions } from './queries.ts';
import styles from './settings.module.css';

/** "Chrome on Linux": enough to tell one's own devices apart. */
const deviceOf = (agent: string | null): string => {
  if (agent === null) return 'Unknown device';
  const browser = /Edg\//.test(agent)
    ? 'Edge'
    : (/(Firefox|HeadlessChrome|Chrome|Safari|curl)/.exec(agent)?.[1] ?? agent.slice(0, 40));
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1];
  return system === undefined ? browser : `${browser} on ${system}`;
};

export const Sessions = () => {
  const query = useSessions();
  const end = useEndSession();
  const toast = useToast();
  const [doomed, setDoomed] = useState<ListMySessionsResultItem | null>(null);
  const columns: readonly Column<ListMySessionsResultItem>[] = [
    {
      id: 'device',
      header: 'Device',
      cell: (row) => (
        <span title={row.user_agent ?? undefined}>
          {deviceOf(row.user_agent)} {row.current && <Badge tone="accent">this session</Badge>}
          <span className={styles.sub}>
            {row.client_id}
            {row.address === null ? '' : ` from ${row.address}`}
          </span>
        </span>
      ),
    },
    {
      id: 'used',
      header: 'Last used',
      numeric: true,
      sortBy: (row) => row.last_used_at,
      cell: (row) => <RelativeTime iso={row.last_used_at} />,
    },
    {
      id: 'created',
      header: 'Signed in',
      numeric: true,
      minor: true,
      sortBy: (row) => row.created_at,
      cell: (row) => <RelativeTime iso={row.created_at} />,
    },
    {
      id: 'actions',
      header: 'Actions',
      numeric: true,
      cell: (row) =>
        row.current ? (
          <span className={styles.sub}>Sign out ends it</span>
        ) : (
          <Button kind="quiet" onClick={() => setDoomed(row)}>
            End session
          </Button>
        ),
    },
  ];
  return (
    <>
      <Panel flush title="Where you are signed in">
        <DataTable
          caption="Sessions"
          columns={columns}
          rows={{ data: query.data?.items, error: query.error, retry: () => void query.refetch() }}
          rowKey={(row) => row.id}
          empty={
            <EmptyState icon={MonitorSmartphone} title="No sessions here">
              Your sign-ins are kept by your organisation’s identity provider; end them there.
            </EmptyState>
          }
        />
      </Panel>
      <ConfirmDialog
        open={doomed !== null}
        onClose={() => setDoomed(null)}
        title={`End the session of ${deviceOf(doomed?.user_agent ?? null)}?`}
        message="It is signed out at once, and needs the password again."
        action="End session now"
        busy={end.isPending}
        onConfirm={() => {
          if (doomed === null) return;
          end.mutate(doomed.id, {
            onSuccess: () => toast.done('The session has ended'),
            onError: toast.failed,
            onSettled: () => setDoomed(null),
          });
        }}
      />
    </>
  );
};
