import type { Task, TaskRun } from 'pentarch-sdk';
import { StatusPill, type Tone } from '../../components/surface.tsx';
import styles from './tasks.module.css';

const STATUS: Readonly<Record<Task['status'] | TaskRun['status'], { tone: Tone; label: string }>> = {
  scheduled: { tone: 'neutral', label: 'scheduled' },
  queued: { tone: 'accent', label: 'queued' },
  running: { tone: 'accent', label: 'running' },
  awaiting_approval: { tone: 'warn', label: 'waits for approval' },
  completed: { tone: 'good', label: 'completed' },
  failed: { tone: 'bad', label: 'failed' },
  cancelled: { tone: 'neutral', label: 'cancelled' },
  skipped: { tone: 'neutral', label: 'left out' },
};
export const STATUS_LABELS = STATUS;

export const TaskStatus = ({ status }: { status: Task['status'] | TaskRun['status'] }) => (
  <StatusPill tone={STATUS[status].tone}>{STATUS[status].label}</StatusPill>
);

export const isActive = ({ status }: Pick<Task, 'status'>): boolean =>
  status === 'queued' || status === 'running' || status === 'awaiting_approval';
export const isFinal = ({ status }: Pick<Task, 'status'>): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** One or more states at once: a schedule may run, rest, or have failed last time. */
export const TaskState = ({ task }: { task: Task }) => (
  <span className={styles.badges}>
    {task.paused ? <StatusPill tone="warn">paused</StatusPill> : <TaskStatus status={task.status} />}
    {task.status === 'scheduled' && task.error !== null && (
      <StatusPill tone="bad">last run failed</StatusPill>
    )}
  </span>
);

/** How far it is, and what goes on; a bar without an end while nobody can know. */
export const Progress = ({ task }: { task: Task }) => {
  const { progress } = task;
  if (!isActive(task) || task.status === 'awaiting_approval') return null;
  if (task.status === 'queued') {
    return (
      <span className={styles.meta}>
        {task.attempts > 0 ? 'An attempt failed; the next one comes by itself' : 'Waits for its turn'}
      </span>
    );
  }
  const percent = progress?.percent ?? null;
  return (
    <div className={styles.progress}>
      <div
        className={styles.bar}
        role="progressbar"
        aria-label="Progress"
        aria-valuemin={0}
        aria-valuemax={100}
        {...(percent === null ? {} : { 'aria-valuenow': percent })}
      >
        <span data-unknown={percent === null || undefined} style={{ width: `${percent ?? 35}%` }} />
      </div>
      <span className={styles.meta}>
        {progress?.step ?? 'begins'}
        {progress !== null && progress.tool_calls > 0 && `, ${progress.tool_calls} tool calls`}
      </span>
    </div>
  );
};
