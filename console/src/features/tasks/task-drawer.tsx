import { Link } from '@tanstack/react-router';
import type { Task, TaskRun } from 'pentarch-sdk';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog, Drawer } from '../../components/dialog.tsx';
import { Duration, Money, RelativeTime } from '../../components/figures.tsx';
import { AgentName, Person } from '../../components/person.tsx';
import { ShowMore } from '../../components/show-more.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { StatusPill } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useMay } from '../../lib/me.ts';
import { isFinal, Progress, TaskState, TaskStatus } from './parts.tsx';
import { useRuns, useSteps, useTask, useTaskActions } from './queries.ts';
import { Coming, TaskForm } from './task-form.tsx';
import styles from './tasks.module.css';

const Markdown = lazy(() => import('../../components/markdown.tsx'));

/** The tools that a run used, from its conversation; read when opened. */
const Steps = ({ run }: { run: TaskRun }) => {
  const { data, error, refetch } = useSteps(run.conversation_id);
  if (data === undefined) {
    return error === null ? (
      <Skeleton height="3rem" />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  const calls = data.messages.flatMap((message) =>
    message.run_id !== null && run.run_ids.includes(message.run_id) ? message.tool_calls : [],
  );
  if (calls.length === 0) return <p className={styles.meta}>It used no tools.</p>;
  return (
    <ol className={styles.stepList}>
      {calls.map((call) => (
        <li key={call.id} className={styles.step}>
          <code>
            {call.server}.{call.name}
          </code>
          <StatusPill
            tone={call.status === 'completed' ? 'good' : call.status === 'awaiting_approval' ? 'warn' : 'bad'}
          >
            {call.status.replaceAll('_', ' ')}
          </StatusPill>
          <Duration ms={call.duration_ms} />
        </li>
      ))}
    </ol>
  );
};

const Run = ({ run }: { run: TaskRun }) => {
  const [open, setOpen] = useState(false);
  const lasted =
    run.started_at === null || run.finished_at === null
      ? null
      : Date.parse(run.finished_at) - Date.parse(run.started_at);
  return (
    <li className={styles.run}>
      <div className={styles.runHead}>
        <TaskStatus status={run.status} />
        <RelativeTime iso={run.scheduled_for} />
        {run.attempts > 1 && <span className={styles.meta}>{run.attempts} attempts</span>}
        <span className={styles.meta}>
          <Duration ms={lasted} /> · <Money usd={run.cost_usd} />
        </span>
      </div>
      {run.error !== null && <p className={styles.bad}>{run.error.message}</p>}
      {run.conversation_id !== null && (
        <>
          <details className={styles.steps} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>Steps</summary>
            {open && <Steps run={run} />}
          </details>
          <Link
            to="/chat"
            search={(before: Record<string, unknown>) => ({ ...before, c: run.conversation_id })}
            className={styles.meta}
          >
            {run.status === 'awaiting_approval'
              ? 'Open the conversation, and what waits there'
              : 'Open the conversation'}
          </Link>
        </>
      )}
    </li>
  );
};

const Runs = ({ id }: { id: string }) => {
  const runs = useRuns(id);
  return (
    <section className={styles.section} aria-label="Runs">
      <h3>Runs</h3>
      {runs.data === undefined ? (
        runs.error === null ? (
          <Skeleton height="4rem" />
        ) : (
          <ErrorState error={runs.error} onRetry={runs.retry} />
        )
      ) : runs.data.length === 0 ? (
        <p className={styles.meta}>It has not run yet.</p>
      ) : (
        <ol className={styles.runs}>
          {runs.data.map((run) => (
            <Run key={run.id} run={run} />
          ))}
        </ol>
      )}
      <ShowMore rows={runs} label="Show more runs" />
    </section>
  );
};

const Actions = ({ task, onGone }: { task: Task; onGone: () => void }) => {
  const { update, cancel, retry, remove } = useTaskActions();
  const toast = useToast();
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState<'cancel' | 'delete' | null>(null);
  const timed = task.next_run_at !== null || task.paused;
  const mayRetry =
    task.status === 'failed' ||
    task.status === 'cancelled' ||
    (task.status === 'scheduled' && task.error !== null);
  const pause = (paused: boolean): void =>
    update.mutate(
      { id: task.id, body: { paused } },
      { onSuccess: () => toast.done(paused ? 'Paused' : 'Resumed'), onError: toast.failed },
    );
  return (
    <div className={styles.actions}>
      {timed && !isFinal(task) && (
        <Button busy={update.isPending} onClick={() => pause(!task.paused)}>
          {task.paused ? 'Go on' : 'Pause'}
        </Button>
      )}
      {mayRetry && (
        <Button
          busy={retry.isPending}
          onClick={() =>
            retry.mutate(task.id, { onSuccess: () => toast.done('It runs again'), onError: toast.failed })
          }
        >
          Run again
        </Button>
      )}
      {!isFinal(task) && <Button onClick={() => setEditing(true)}>Change</Button>}
      {!isFinal(task) && <Button onClick={() => setAsking('cancel')}>Cancel …</Button>}
      <Button kind="quiet" onClick={() => setAsking('delete')}>
        Delete …
      </Button>
      {editing && (
        <TaskForm
          task={task}
          when="now"
          onClose={() => setEditing(false)}
          onSaved={() => setEditing(false)}
        />
      )}
      <ConfirmDialog
        open={asking === 'cancel'}
        onClose={() => setAsking(null)}
        title="Cancel this task?"
        message={
          task.cron === null
            ? 'The current run will be stopped. The task can be run again.'
            : 'The current run will be stopped, and the schedule ends. To stop it only for a while, pause it.'
        }
        action="Cancel task"
        busy={cancel.isPending}
        onConfirm={() =>
          cancel.mutate(task.id, {
            onSuccess: () => {
              setAsking(null);
              toast.done('The task is cancelled');
            },
            onError: toast.failed,
          })
        }
      />
      <ConfirmDialog
        open={asking === 'delete'}
        onClose={() => setAsking(null)}
        title="Delete this task?"
        message="It is stopped, and the list of its runs is lost. Conversations that it led stay."
        action="Delete task"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(task.id, {
            onSuccess: () => {
              toast.done('The task is deleted');
              onGone();
            },
            onError: toast.failed,
          })
        }
      />
    </div>
  );
};

const Detail = ({ task, onGone }: { task: Task; onGone: () => void }) => {
  const mayWrite = useMay('tasks:write');
  return (
    <div className={styles.detail}>
      <div className={styles.section}>
        <p className={styles.full}>{task.description}</p>
        <TaskState task={task} />
        <Progress task={task} />
        {mayWrite && <Actions task={task} onGone={onGone} />}
      </div>
      {task.error !== null && (
        <p className={styles.bad} role="status">
          {task.error.message}
        </p>
      )}
      {task.result !== null && (
        <section className={styles.section} aria-label="Result">
          <h3>Result</h3>
          <div className={styles.answer}>
            <Suspense fallback={<Skeleton height="4rem" />}>
              <Markdown text={task.result.content} />
            </Suspense>
          </div>
        </section>
      )}
      {task.cron !== null && !isFinal(task) && <Coming cron={task.cron} zone={task.timezone} />}
      <dl className={styles.facts}>
        <dt>Agent</dt>
        <dd>{task.agent_id === null ? 'Zeus chooses' : <AgentName id={task.agent_id} />}</dd>
        <dt>Asked for by</dt>
        <dd>
          <Person id={task.created_by} />
        </dd>
        <dt>Priority</dt>
        <dd>{task.priority}</dd>
        <dt>Next run</dt>
        <dd>{task.paused ? 'paused' : <RelativeTime iso={task.next_run_at} />}</dd>
        {task.cron !== null && (
          <>
            <dt>Schedule</dt>
            <dd>
              <code>{task.cron}</code> {task.timezone}
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <RelativeTime iso={task.created_at} />
        </dd>
        {task.finished_at !== null && (
          <>
            <dt>Ended</dt>
            <dd>
              <RelativeTime iso={task.finished_at} />
            </dd>
          </>
        )}
      </dl>
      <Runs id={task.id} />
    </div>
  );
};

export const TaskDrawer = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const { data, error, refetch } = useTask(id);
  return (
    <Drawer open={id !== ''} onClose={onClose} title="Task">
      {data === undefined ? (
        error === null ? (
          <Skeleton height="20rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <Detail key={data.id} task={data} onGone={onClose} />
      )}
    </Drawer>
  );
};
