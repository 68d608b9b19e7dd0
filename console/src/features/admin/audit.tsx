import { ScrollText } from 'lucide-react';
import type { AuditEvent } from 'pentarch-sdk';
import { Button } from '../../components/button.tsx';
import { Code } from '../../components/code.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Drawer } from '../../components/dialog.tsx';
import { Input, Select } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { AgentName, Person } from '../../components/person.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { Panel, StatusPill, type Tone } from '../../components/surface.tsx';
import { formatDateTime, formatNumber } from '../../lib/format.ts';
import styles from './admin.module.css';
import { EventName } from './event-name.tsx';
import { useAudit, useVerify } from './queries.ts';
import { CLEARED, oneOf, useAdminState } from './state.ts';

const OUTCOMES = ['success', 'refused', 'failed'] as const;
const TONES: Readonly<Record<string, Tone>> = { success: 'good', refused: 'warn', failed: 'bad' };
/** Who or what it is: people by their names, the rest by what the audit holds. */
const Who = ({ type, id }: { type: string | null; id: string | null }) => (
  <>
    {id !== null && type === 'user' ? (
      <Person id={id} />
    ) : id !== null && type === 'agent' ? (
      <AgentName id={id} />
    ) : (
      type?.replaceAll('_', ' ')
    )}
    <span className={styles.sub}>{id}</span>
  </>
);

const COLUMNS: readonly Column<AuditEvent>[] = [
  { id: 'time', header: 'When', cell: (row) => <RelativeTime iso={row.created_at} /> },
  { id: 'action', header: 'Action', cell: (row) => <EventName name={row.action} /> },
  {
    id: 'actor',
    header: 'Actor',
    minor: true,
    cell: (row) => <Who type={row.actor_type} id={row.actor_id} />,
  },
  {
    id: 'target',
    header: 'On',
    minor: true,
    cell: (row) => <Who type={row.target_type} id={row.target_id} />,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: (row) => <StatusPill tone={TONES[row.outcome] ?? 'neutral'}>{row.outcome}</StatusPill>,
  },
];

/** Start of a day in the time zone of who looks, or of the day after it. */
const dayOf = (day: string | undefined, plusDays: number): string | undefined => {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const date = new Date(`${day}T00:00:00`);
  if (Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + plusDays);
  return date.toISOString();
};

const Chain = () => {
  const { data, error, isFetching, refetch } = useVerify();
  return (
    <div className={styles.actions} role="status">
      {error !== null ? (
        <StatusPill tone="warn">could not be verified</StatusPill>
      ) : data === undefined ? (
        <StatusPill tone="neutral">verifying the chain …</StatusPill>
      ) : data.ok ? (
        <StatusPill tone="good">chain verified, {formatNumber(data.events)} events</StatusPill>
      ) : (
        <StatusPill tone="bad">
          chain broken at {data.broken_at}: {data.reason}
        </StatusPill>
      )}
      <Button busy={isFetching} onClick={() => void refetch()}>
        Verify
      </Button>
    </div>
  );
};

const Details = ({ event, onActor }: { event: AuditEvent; onActor: (id: string) => void }) => (
  <div className={styles.stack}>
    <dl className={styles.facts}>
      <dt>When</dt>
      <dd>{formatDateTime(event.created_at)}</dd>
      <dt>Number</dt>
      <dd>{event.seq}</dd>
      <dt>Outcome</dt>
      <dd>{event.outcome}</dd>
      <dt>Actor</dt>
      <dd>
        <Who type={event.actor_type} id={event.actor_id} />
      </dd>
      <dt>On</dt>
      <dd>{event.target_type === null ? '–' : <Who type={event.target_type} id={event.target_id} />}</dd>
      <dt>Address</dt>
      <dd>{event.address ?? '–'}</dd>
      <dt>Request</dt>
      <dd className={styles.mono}>{event.request_id ?? '–'}</dd>
      <dt>Hash</dt>
      <dd className={styles.mono}>{event.hash}</dd>
      <dt>Hash before</dt>
      <dd className={styles.mono}>{event.previous_hash}</dd>
    </dl>
    <Code value={event.details} copy="details" />
    {event.actor_id !== null && (
      <div>
        <Button onClick={() => onActor(event.actor_id ?? '')}>Show all by this actor</Button>
      </div>
    )}
  </div>
);

export const Audit = () => {
  const [state, setState] = useAdminState();
  const outcome = oneOf(OUTCOMES, state.outcome);
  const from = dayOf(state.from, 0);
  const to = dayOf(state.to, 1);
  const rows = useAudit({
    ...(state.actor !== undefined && { actor: state.actor }),
    ...(state.action !== undefined && { action: state.action }),
    ...(state.target !== undefined && { target: state.target }),
    ...(outcome !== undefined && { outcome }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  });
  const open = rows.data?.find((one) => one.id === state.open);
  const input = (name: 'actor' | 'action' | 'target' | 'from' | 'to') => ({
    value: state[name] ?? '',
    onChange: (event: { target: { value: string } }) => setState({ [name]: event.target.value || undefined }),
  });
  return (
    <Panel flush title="Audit" actions={<Chain />}>
      <search className={styles.filters} aria-label="Filter audit">
        <Input label="Actor" placeholder="Id of a user" {...input('actor')} />
        <Input label="Action" placeholder="user.created" {...input('action')} />
        <Input label="Target" placeholder="Id of what was acted on" {...input('target')} />
        <Select
          label="Outcome"
          value={outcome ?? ''}
          options={[{ value: '', label: 'Any' }, ...OUTCOMES.map((value) => ({ value, label: value }))]}
          onChange={(event) => setState({ outcome: event.target.value || undefined })}
        />
        <Input label="From" type="date" {...input('from')} />
        <Input label="To" type="date" {...input('to')} />
      </search>
      <DataTable
        caption="Audit events"
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => row.id}
        onOpen={(row) => setState({ open: row.id })}
        empty={
          <EmptyState
            icon={ScrollText}
            title="No events"
            action={<Button onClick={() => setState(CLEARED)}>Clear filters</Button>}
          >
            Nothing was recorded that matches. Choose other filters or a longer time.
          </EmptyState>
        }
      />
      <Drawer
        open={state.open !== undefined && rows.data !== undefined}
        onClose={() => setState({ open: undefined })}
        title={open?.action ?? 'Event'}
      >
        {open === undefined ? (
          <ErrorState error={new Error('This event is not among those that are shown.')} />
        ) : (
          <Details event={open} onActor={(actor) => setState({ ...CLEARED, actor })} />
        )}
      </Drawer>
    </Panel>
  );
};
