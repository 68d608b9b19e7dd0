import type { CreateTaskRequest, Task, UpdateTaskRequest } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Input, Select, Textarea } from '../../components/field.tsx';
import { Form } from '../../components/form.tsx';
import { Segments } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { cronWords, inZone, nextRuns, ownZone } from './cron.ts';
import { useAgentNames, useTaskActions } from './queries.ts';
import styles from './tasks.module.css';

/** A task: what is to be done, by whom, and when. */

type When = 'now' | 'once' | 'cron';
const WHENS: readonly { value: When; label: string }[] = [
  { value: 'now', label: 'Now' },
  { value: 'once', label: 'Once, later' },
  { value: 'cron', label: 'Again and again' },
];
const PRESETS = [
  { cron: '0 * * * *', label: 'every hour' },
  { cron: '0 9 * * *', label: 'every day' },
  { cron: '0 9 * * MON-FRI', label: 'on weekdays' },
  { cron: '0 9 * * MON', label: 'every Monday' },
  { cron: '0 9 1 * *', label: 'every month' },
] as const;
const PRIORITIES = [
  { value: 'low', label: 'Low' },
  { value: 'normal', label: 'Normal' },
  { value: 'high', label: 'High' },
  { value: 'urgent', label: 'Urgent' },
] as const;
const OVERLAPS = [
  { value: 'skip', label: 'Leave the run out' },
  { value: 'queue', label: 'Run it afterwards' },
] as const;
const MISSED = [
  { value: 'run_once', label: 'Catch up with one run' },
  { value: 'skip', label: 'Leave them out' },
] as const;

const ZONES = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const NEXT_SHOWN = 5;

/** For a datetime-local input: local time without a zone. */
const localText = (iso: string): string => {
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/** What a cron means, in words and in times. */
export const Coming = ({ cron, zone }: { cron: string; zone: string }) => {
  const words = cronWords(cron);
  const runs = nextRuns(cron, zone, { fromMs: Date.now(), count: NEXT_SHOWN });
  if (runs === null || words === null) {
    return (
      <p className={styles.coming} role="status">
        Five fields: minute, hour, day of the month, month, day of the week. <code>0 9 * * MON-FRI</code> is
        nine o’clock on weekdays.
      </p>
    );
  }
  return (
    <div className={styles.coming} role="status" aria-label="Coming runs">
      <p>
        <strong>{words}</strong> <span className={styles.meta}>{zone}</span>
      </p>
      {runs.length === 0 ? (
        <p className={styles.bad}>It never comes due.</p>
      ) : (
        <ol>
          {runs.map((at, index) => (
            <li key={at} data-first={index === 0 || undefined}>
              <time dateTime={new Date(at).toISOString()}>{inZone(at, zone)}</time>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
};

const CronFields = (props: {
  cron: string;
  /** What the server refused last. */
  refused: string | null;
  zone: string;
  overlap: Task['overlap'];
  missed: Task['missed'];
  fault: (field: string) => string | undefined;
  onCron: (cron: string) => void;
  onZone: (zone: string) => void;
  onOverlap: (overlap: Task['overlap']) => void;
  onMissed: (missed: Task['missed']) => void;
}) => {
  const { cron, zone, overlap, missed, fault } = props;
  const [isLeft, setLeft] = useState(false);
  const text = cron.trim();
  const canBeRead = nextRuns(text, zone, { fromMs: Date.now(), count: 1 }) !== null;
  // Not while the fields are still being typed.
  const own = !canBeRead && (isLeft || text.split(/\s+/).length >= 5) ? 'cannot be read' : undefined;
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset brings borders that a row of choices has not */}
      <div className={styles.presets} role="group" aria-label="Usual schedules">
        {PRESETS.map((preset) => (
          <button
            key={preset.cron}
            type="button"
            aria-pressed={preset.cron === cron}
            onClick={() => props.onCron(preset.cron)}
          >
            {preset.label}
          </button>
        ))}
      </div>
      <div className={styles.pair}>
        <Input
          label="Schedule (cron)"
          value={cron}
          fault={own ?? (text === props.refused ? fault('cron') : undefined)}
          onFocus={() => setLeft(false)}
          onBlur={() => setLeft(true)}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => props.onCron(event.currentTarget.value)}
        />
        <Select
          label="Time zone"
          value={zone}
          options={(ZONES.includes(zone) ? ZONES : [zone, ...ZONES]).map((value) => ({
            value,
            label: value,
          }))}
          fault={fault('timezone')}
          onChange={(event) => props.onZone(event.currentTarget.value)}
        />
      </div>
      <Coming cron={cron} zone={zone} />
      <div className={styles.pair}>
        <Select
          label="If the last run is still running"
          value={overlap}
          options={OVERLAPS}
          onChange={(event) => props.onOverlap(event.currentTarget.value === 'queue' ? 'queue' : 'skip')}
        />
        <Select
          label="Runs missed while the platform was down"
          value={missed}
          options={MISSED}
          onChange={(event) => props.onMissed(event.currentTarget.value === 'skip' ? 'skip' : 'run_once')}
        />
      </div>
    </>
  );
};

interface TaskFormProps {
  /** null: a new one. */
  task: Task | null;
  /** Chosen at first for a new one. */
  when: When;
  onClose: () => void;
  onSaved: (id: string) => void;
}

export const TaskForm = ({ task, when: first, onClose, onSaved }: TaskFormProps) => {
  const { create, update } = useTaskActions();
  const agents = useAgentNames();
  const toast = useToast();
  const [when, setWhen] = useState<When>(
    task === null
      ? first
      : task.cron !== null
        ? 'cron'
        : task.next_run_at !== null || task.paused
          ? 'once'
          : 'now',
  );
  const [description, setDescription] = useState(task?.description ?? '');
  const [agent, setAgent] = useState(task?.agent_id ?? '');
  const [priority, setPriority] = useState<Task['priority']>(task?.priority ?? 'normal');
  const [at, setAt] = useState(
    task?.scheduled_at === null || task === null ? '' : localText(task.scheduled_at),
  );
  const [cron, setCron] = useState(task?.cron ?? PRESETS[2].cron);
  const [zone, setZone] = useState(task?.timezone ?? ownZone());
  const [overlap, setOverlap] = useState<Task['overlap']>(task?.overlap ?? 'skip');
  const [missed, setMissed] = useState<Task['missed']>(task?.missed ?? 'run_once');
  const [noTime, setNoTime] = useState(false);
  const save = task === null ? create : update;

  const submit = (): void => {
    const bare = when === 'once' && at === '';
    setNoTime(bare);
    if (bare) return;
    const timing =
      when === 'cron'
        ? { cron: cron.trim(), timezone: zone, overlap, missed }
        : when === 'once'
          ? { scheduled_at: new Date(at).toISOString() }
          : {};
    if (task === null) {
      const body: CreateTaskRequest = {
        description,
        priority,
        ...(agent === '' ? {} : { agent_id: agent }),
        ...timing,
      };
      create.mutate(body, {
        onSuccess: (made) => {
          toast.done(when === 'now' ? 'The task is begun' : 'The task is scheduled');
          onSaved(made.id);
        },
      });
      return;
    }
    const body: UpdateTaskRequest = {
      description,
      priority,
      agent_id: agent === '' ? null : agent,
      ...timing,
    };
    update.mutate(
      { id: task.id, body },
      {
        onSuccess: () => {
          toast.done('The task is changed');
          onSaved(task.id);
        },
      },
    );
  };
  return (
    <Dialog
      open
      onClose={onClose}
      wide
      title={task === null ? 'New task' : 'Change task'}
      description={
        task === null ? 'It is done with your rights, now or later, whether you are here or not.' : undefined
      }
    >
      <Form
        error={save.error}
        fields={['description', 'agent_id', 'priority', 'scheduled_at', 'cron', 'timezone']}
        onSubmit={submit}
      >
        {(fault) => (
          <>
            <Textarea
              label="What is to be done"
              rows={3}
              placeholder="Sum up what came into Knowledge since yesterday"
              value={description}
              name="description"
              fault={fault('description')}
              onChange={(event) => setDescription(event.currentTarget.value)}
            />
            <div className={styles.pair}>
              <Select
                label="Agent"
                value={agent}
                options={[
                  { value: '', label: 'Zeus chooses' },
                  ...(agents.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
                ]}
                fault={fault('agent_id')}
                onChange={(event) => setAgent(event.currentTarget.value)}
              />
              <Select
                label="Priority"
                value={priority}
                options={PRIORITIES}
                onChange={(event) =>
                  setPriority(
                    PRIORITIES.find(({ value }) => value === event.currentTarget.value)?.value ?? 'normal',
                  )
                }
              />
            </div>
            {task === null && (
              <div>
                <Segments label="When" value={when} options={WHENS} onChange={setWhen} />
              </div>
            )}
            {when === 'once' && (
              <Input
                label={`Time (${ownZone()})`}
                type="datetime-local"
                value={at}
                name="scheduled_at"
                fault={noTime ? 'must be a time' : fault('scheduled_at')}
                onChange={(event) => {
                  setAt(event.currentTarget.value);
                  setNoTime(false);
                }}
              />
            )}
            {when === 'cron' && (
              <CronFields
                cron={cron}
                refused={(task === null ? create.variables?.cron : update.variables?.body.cron) ?? null}
                zone={zone}
                overlap={overlap}
                missed={missed}
                fault={fault}
                onCron={setCron}
                onZone={setZone}
                onOverlap={setOverlap}
                onMissed={setMissed}
              />
            )}
            <div>
              <Button kind="primary" type="submit" busy={save.isPending}>
                {task !== null ? 'Save' : when === 'now' ? 'Begin' : 'Schedule'}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  );
};
