import { UserRound } from 'lucide-react';
import type { User } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Input, Select } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Badge, Panel, StatusPill, type Tone } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import styles from './admin.module.css';
import { useUsers } from './queries.ts';
import { oneOf, useAdminState } from './state.ts';
import { UserDrawer } from './user-drawer.tsx';
import { UserForm } from './user-form.tsx';

const TONES: Readonly<Record<User['status'], Tone>> = {
  active: 'good',
  invited: 'warn',
  deactivated: 'neutral',
};
const COLUMNS: readonly Column<User>[] = [
  {
    id: 'name',
    header: 'Name',
    sortBy: (row) => row.name || row.email,
    cell: (row) => (
      <>
        {row.name || row.email} {row.type === 'service' && <Badge tone="accent">service</Badge>}
        <span className={styles.sub}>{row.email}</span>
      </>
    ),
  },
  { id: 'roles', header: 'Roles', cell: (row) => row.roles.join(', ') },
  { id: 'tier', header: 'Tier', minor: true, sortBy: (row) => row.tier, cell: (row) => row.tier },
  {
    id: 'status',
    header: 'Status',
    sortBy: (row) => row.status,
    cell: (row) => <StatusPill tone={TONES[row.status]}>{row.status}</StatusPill>,
  },
  {
    id: 'seen',
    header: 'Last seen',
    numeric: true,
    minor: true,
    sortBy: (row) => row.last_seen_at,
    cell: (row) => (row.last_seen_at === null ? 'never' : <RelativeTime iso={row.last_seen_at} />),
  },
];

const STATUSES = ['active', 'invited', 'deactivated'] as const;
const TYPES = ['person', 'service'] as const;

export const Users = () => {
  const [state, setState] = useAdminState();
  const status = oneOf(STATUSES, state.status);
  const type = oneOf(TYPES, state.type);
  const rows = useUsers({
    ...(state.q !== undefined && { q: state.q }),
    ...(status !== undefined && { status }),
    ...(type !== undefined && { type }),
  });
  const mayManage = useMay('users:manage');
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const filtered = state.q !== undefined || status !== undefined || type !== undefined;
  return (
    <>
      <Panel
        flush
        title="Users and service accounts"
        actions={
          mayManage && (
            <Button kind="primary" onClick={() => setAsking(true)}>
              New user
            </Button>
          )
        }
      >
        <search className={styles.filters} aria-label="Filter users">
          <Input
            label="Search"
            type="search"
            placeholder="Name or e-mail"
            value={state.q ?? ''}
            onChange={(event) => setState({ q: event.target.value || undefined })}
          />
          <Select
            label="Status"
            value={status ?? ''}
            options={[{ value: '', label: 'Any' }, ...STATUSES.map((value) => ({ value, label: value }))]}
            onChange={(event) => setState({ status: event.target.value || undefined })}
          />
          <Select
            label="Kind"
            value={type ?? ''}
            options={[
              { value: '', label: 'Any' },
              { value: 'person', label: 'People' },
              { value: 'service', label: 'Service accounts' },
            ]}
            onChange={(event) => setState({ type: event.target.value || undefined })}
          />
        </search>
        <DataTable
          caption="Users"
          columns={COLUMNS}
          rows={rows}
          rowKey={(row) => row.id}
          onOpen={(row) => setState({ open: row.id })}
          empty={
            <EmptyState
              icon={UserRound}
              title="Nobody found"
              action={
                filtered && (
                  <Button onClick={() => setState({ q: undefined, status: undefined, type: undefined })}>
                    Clear filters
                  </Button>
                )
              }
            >
              Nobody matches these filters. Clear them, or make a new user.
            </EmptyState>
          }
        />
      </Panel>
      {asking && (
        <UserForm
          onClose={() => setAsking(false)}
          onMade={(user) => {
            setAsking(false);
            toast.done(`${user.email} is made`);
            if (user.invitation_url !== undefined) setLink(user.invitation_url);
            else if (user.type === 'service') setState({ open: user.id });
          }}
        />
      )}
      <SecretOnce
        secret={link}
        title="Invitation link"
        about="Hand it to the person: with it they set their password. It works once, for seven days, and is shown only now."
        label="Link"
        onClose={() => setLink(null)}
      />
      <UserDrawer id={state.open} onClose={() => setState({ open: undefined })} />
    </>
  );
};
