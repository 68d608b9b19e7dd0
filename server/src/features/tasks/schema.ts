import { type Static, Type } from 'typebox';
import {
  AnyObject,
  Nullable,
  PageQuery,
  Strict,
  StringEnum,
  Timestamp,
  Usd,
  Uuid,
} from '../../kernel/schema.ts';

/** Transitions: `rules.ts`. */
export const TASK_STATUSES = [
  'scheduled',
  'queued',
  'running',
  'awaiting_approval',
  'completed',
  'failed',
  'cancelled',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TASK_RUN_STATUSES = [
  'queued',
  'running',
  'awaiting_approval',
  'completed',
  'failed',
  'cancelled',
  'skipped',
] as const;
export type TaskRunStatus = (typeof TASK_RUN_STATUSES)[number];

export const PRIORITIES = ['low', 'normal', 'high', 'urgent'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const OVERLAPS = ['skip', 'queue'] as const;
export type Overlap = (typeof OVERLAPS)[number];
export const MISSED = ['run_once', 'skip'] as const;
export type Missed = (typeof MISSED)[number];

/** A task of a person or a chat, and one that its run makes. */
export const MAX_DEPTH = 2;

export const MAX_CONTEXT_BYTES = 32 * 1024;

const Description = Type.String({
  minLength: 1,
  maxLength: 32_768,
  pattern: '\\S',
  description: 'What is to be done, as one would tell an agent',
});
const AgentId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Agent that does it; absent: Zeus chooses',
});
const Context = AnyObject({
  description: 'Up to 32 KiB, given to the agent as data; model picks a configured model',
});
const CronText = Type.String({
  maxLength: 120,
  description: 'Five fields, names allowed: 0 9 * * MON-FRI',
});
const Zone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA time zone of cron (default UTC)',
});
const OverlapField = StringEnum(OVERLAPS, {
  description: 'A slot that comes due while the last run goes on: left out, or run afterwards (default skip)',
});
const MissedField = StringEnum(MISSED, {
  description:
    'Slots missed while the platform was down: one run for all of them, or none (default run_once)',
});

export const CreateTask = Strict({
  description: Description,
  agent_id: Type.Optional(AgentId),
  context: Type.Optional(Context),
  priority: Type.Optional(StringEnum(PRIORITIES, { description: 'default normal' })),
  scheduled_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When to run; past or absent: at once. With cron: not before',
    }),
  ),
  cron: Type.Optional(CronText),
  timezone: Type.Optional(Zone),
  overlap: Type.Optional(OverlapField),
  missed: Type.Optional(MissedField),
});
export type CreateTask = Static<typeof CreateTask>;

export const PatchTask = Strict(
  {
    description: Type.Optional(Description),
    agent_id: Type.Optional(Nullable(AgentId)),
    context: Type.Optional(Nullable(Context)),
    priority: Type.Optional(StringEnum(PRIORITIES)),
    scheduled_at: Type.Optional(Type.String({ format: 'date-time' })),
    cron: Type.Optional(CronText),
    timezone: Type.Optional(Zone),
    overlap: Type.Optional(OverlapField),
    missed: Type.Optional(MissedField),
    paused: Type.Optional(
      Type.Boolean({
        description: 'true: no slot is taken any more; false: goes on with the next one from now',
      }),
    ),
  },
  { minProperties: 1 },
);
export type PatchTask = Static<typeof PatchTask>;

const ErrorField = Nullable(Type.Object({ code: Type.String(), message: Type.String() }));

const Result = Nullable(
  Type.Object({
    content: Type.String(),
    run_id: Uuid(),
    conversation_id: Uuid(),
    message_id: Uuid(),
    cost_usd: Usd(),
  }),
);

export const Task = Type.Object({
  id: Uuid(),
  description: Type.String(),
  agent_id: Nullable(Type.String()),
  context: Nullable(AnyObject()),
  priority: StringEnum(PRIORITIES),
  scheduled_at: Nullable(Timestamp()),
  cron: Nullable(Type.String()),
  timezone: Type.String(),
  overlap: OverlapField,
  missed: MissedField,
  status: StringEnum(TASK_STATUSES),
  progress: Nullable(
    Type.Object({
      percent: Nullable(Type.Integer({ description: '100 when done; null while nobody can know' })),
      step: Nullable(Type.String({ description: 'What goes on: an agent, a tool' })),
      tool_calls: Type.Integer(),
      characters: Type.Integer({ description: 'Of the answer so far' }),
      updated_at: Timestamp(),
    }),
  ),
  result: Result,
  error: ErrorField,
  attempts: Type.Integer({ description: 'Of the newest run' }),
  run_ids: Type.Array(Uuid(), { description: 'Chat runs, newest last, at most 50' }),
  next_run_at: Nullable(Timestamp()),
  paused: Type.Boolean({ description: 'While true next_run_at is null' }),
  created_by: Uuid(),
  parent_task_id: Nullable(Uuid(), { description: 'The task whose run has made it' }),
  depth: Type.Integer({ description: '1: made by a person or in a chat; 2: by a run of such a task' }),
  tainted: Type.Boolean({
    description:
      'Made by a run that held untrusted content (its own runs then ask before they reach out or change own things), or one of its runs has read such content: who reads the task by a tool has that mark',
  }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  finished_at: Nullable(Timestamp()),
});
export type Task = Static<typeof Task>;

export const TaskRun = Type.Object({
  id: Uuid(),
  task_id: Uuid(),
  status: StringEnum(TASK_RUN_STATUSES),
  scheduled_for: Timestamp(),
  attempts: Type.Integer(),
  run_ids: Type.Array(Uuid(), { description: 'One chat run for each attempt' }),
  conversation_id: Nullable(Uuid()),
  result: Result,
  error: ErrorField,
  cost_usd: Usd(),
  created_at: Timestamp(),
  started_at: Nullable(Timestamp()),
  finished_at: Nullable(Timestamp()),
});
export type TaskRun = Static<typeof TaskRun>;

export const TaskParams = Strict({ id: Uuid('Task id') });
export const ListTasks = Strict({
  ...PageQuery,
  status: Type.Optional(StringEnum(TASK_STATUSES)),
  agent_id: Type.Optional(Type.String({ maxLength: 64 })),
});
export type ListTasks = Static<typeof ListTasks>;
export const ListTaskRuns = Strict({ ...PageQuery });
