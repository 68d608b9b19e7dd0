import { CalendarClock, Plus } from 'lucide-react';
import type { Task } from 'pentarch-sdk';
import { type ReactNode, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Select } from '../../components/field.tsx';
import { RelativeTime } from '../../components/figures.tsx';
import { AgentName } from '../../components/person.tsx';
import { EmptyState } from '../../components/states.tsx';
import { PageHead, Panel, Segments } from '../../components/surface.tsx';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay } from '../../lib/me.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { dayOf, type Span } from './calendar.ts';
import { CalendarView } from './calendar-view.tsx';
import { cronWords } from './cron.ts';
import { Progress, STATUS_LABELS, TaskState } from './parts.tsx';
import { STATUSES, useAgentNames, useSchedules, useTasks } from './queries.ts';
import { TaskDrawer } from './task-drawer.tsx';
import { TaskForm } from './task-form.tsx';
import styles from './tasks.module.css';

const VIEWS = [
  { value: 'tasks', label: 'Tasks' },
  { value: 'schedules', label: 'Schedules' },
  { value: 'calendar', label: 'Calendar' },
] as const;

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 100) : '');

const parse = (raw: Readonly<Record<string, unknown>>) => ({
  view: VIEWS.find(({ value }) => value === raw.view)?.value ?? 'tasks',
  status: STATUSES.find((one) => one === raw.status),
  agent: text(raw.agent),
  task: text(raw.task),
  at: text(raw.at),
  span: (raw.span === 'week' ? 'week' : 'month') as Span,
});

const What = ({ task }: { task: Task }) => (
  <>
    <span className={styles.what}>{task.description}</span>
    {task.cron !== null && <span className={styles.sub}>{cronWords(task.cron) ?? task.cron}</span>}
    <Progress task={task} />
  </>
);
const By = ({ task }: { task: Task }) =>
  task.agent_id === null ? (
    <span className={styles.meta}>Zeus chooses</span>
  ) : (
    <AgentName id={task.agent_id} />
  );

const COLUMNS: readonly Column<Task>[] = [
  { id: 'what', header: 'Task', cell: (row) => <What task={row} /> },
  { id: 'state', header: 'State', cell: (row) => <TaskState task={row} /> },
  { id: 'by', header: 'Agent', cell: (row) => <By task={row} />, minor: true },
  {
    id: 'next',
    header: 'Next run',
    cell: (row) => <RelativeTime iso={row.next_run_at} />,
    numeric: true,
    minor: true,
    sortBy: (row) => row.next_run_at,
  },
  {
    id: 'made',
    header: 'Created',
    cell: (row) => <RelativeTime iso={row.created_at} />,
    numeric: true,
    minor: true,
    sortBy: (row) => row.created_at,
  },
];

const SCHEDULE_COLUMNS: readonly Column<Task>[] = [
  {
    id: 'what',
    header: 'Task',
    cell: (row) => <span className={styles.what}>{row.description}</span>,
    sortBy: (row) => row.description,
  },
  {
    id: 'when',
    header: 'When',
    cell: (row) => (
      <>
        {row.cron === null ? 'Once' : (cronWords(row.cron) ?? row.cron)}
        {row.cron !== null && <span className={styles.sub}>{row.timezone}</span>}
      </>
    ),
  },
  { id: 'state', header: 'State', cell: (row) => <TaskState task={row} />, minor: true },
  { id: 'by', header: 'Agent', cell: (row) => <By task={row} />, minor: true },
  {
    id: 'next',
    header: 'Next run',
    cell: (row) => (row.paused ? 'paused' : <RelativeTime iso={row.next_run_at} />),
    numeric: true,
    sortBy: (row) => row.next_run_at,
  },
];

interface ListProps {
  onOpen: (task: Task) => void;
  create: ReactNode;
}

const TaskList = ({
  status,
  agent,
  onClear,
  onOpen,
  create,
}: ListProps & { status: Task['status'] | undefined; agent: string; onClear: () => void }) => {
  const rows = useTasks({
    ...(status === undefined ? {} : { status }),
    ...(agent === '' ? {} : { agent_id: agent }),
  });
  const filtered = status !== undefined || agent !== '';
  return (
    <Panel flush>
      <DataTable
        caption="Tasks"
        columns={COLUMNS}
        rows={rows}
        rowKey={(row) => row.id}
        onOpen={onOpen}
        empty={
          filtered ? (
            <EmptyState
              icon={CalendarClock}
              title="No task matches"
              action={<Button onClick={onClear}>Show all tasks</Button>}
            >
              None has this state and this agent.
            </EmptyState>
          ) : (
            <EmptyState icon={CalendarClock} title="No tasks yet" action={create}>
              A task is done by an agent while you do something else: now, at a time, or again and again.
            </EmptyState>
          )
        }
      />
    </Panel>
  );
};

const Schedules = ({ onOpen, create }: ListProps) => {
  const { data, error, refetch } = useSchedules();
  const byNext = data?.toSorted((a, b) => (a.next_run_at ?? '9').localeCompare(b.next_run_at ?? '9'));
  return (
    <Panel flush>
      <DataTable
        caption="Schedules"
        columns={SCHEDULE_COLUMNS}
        rows={{ data: byNext, error, retry: () => void refetch() }}
        rowKey={(row) => row.id}
        onOpen={onOpen}
        empty={
          <EmptyState icon={CalendarClock} title="Nothing is scheduled" action={create}>
            Have an agent do something every morning, or once next week.
          </EmptyState>
        }
      />
    </Panel>
  );
};

const TasksPage = () => {
  const [{ view, status, agent, task, at, span }, setState] = useUrlState(parse);
  const agents = useAgentNames();
  const mayWrite = useMay('tasks:write');
  const mayChat = useMay('chat:write');
  const [making, setMaking] = useState(false);
  useLiveRefresh(['task.'], ['tasks']);
  const open = ({ id }: Task): void => setState({ task: id });
  const create = mayWrite && mayChat && (
    <Button kind="primary" onClick={() => setMaking(true)}>
      <Plus size={16} aria-hidden="true" /> New task
    </Button>
  );
  return (
    <>
      <PageHead
        title="Tasks"
        about="What agents do by themselves: how far they are, what came of it, and what is to come."
        actions={create}
      />
      <div className={styles.filters}>
        <Segments label="View" value={view} options={VIEWS} onChange={(next) => setState({ view: next })} />
        {view === 'tasks' && (
          <div>
            <Select
              label="State"
              value={status ?? ''}
              options={[
                { value: '', label: 'Any' },
                ...STATUSES.map((value) => ({ value, label: STATUS_LABELS[value].label })),
              ]}
              onChange={(event) => setState({ status: event.currentTarget.value || undefined })}
            />
            <Select
              label="Agent"
              value={agent}
              options={[
                { value: '', label: 'Anybody' },
                ...(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ]}
              onChange={(event) => setState({ agent: event.currentTarget.value || undefined })}
            />
          </div>
        )}
      </div>
      {view === 'tasks' && (
        <TaskList
          status={status}
          agent={agent}
          onClear={() => setState({ status: undefined, agent: undefined })}
          onOpen={open}
          create={create}
        />
      )}
      {view === 'schedules' && <Schedules onOpen={open} create={create} />}
      {view === 'calendar' && (
        <CalendarView
          date={dayOf(at) ?? new Date()}
          span={span}
          onMove={setState}
          onOpen={open}
          create={create}
        />
      )}
      <TaskDrawer id={task} onClose={() => setState({ task: undefined })} />
      {making && (
        <TaskForm
          task={null}
          when={view === 'tasks' ? 'now' : 'cron'}
          onClose={() => setMaking(false)}
          onSaved={(id) => {
            setMaking(false);
            setState({ task: id });
          }}
        />
      )}
    </>
  );
};

export default TasksPage;
