import { AppError } from '../../kernel/errors.ts';
import type { AgentTool, ToolOutcome, ToolSource } from '../../kernel/tools.ts';
import { type CreateTask, MISSED, OVERLAPS, PRIORITIES, TASK_STATUSES, type Task } from './schema.ts';
import type { Tasks } from './service.ts';

/** Tasks for agents: they act as the caller, so they see and make the caller's own. */

const SERVER = 'pentarch';

const line = (task: Task): string =>
  [
    `${task.id} [${task.status}] ${task.description.slice(0, 200)}`,
    ...(task.cron === null ? [] : [`cron ${task.cron} (${task.timezone})`]),
    ...(task.next_run_at === null ? [] : [`next run ${task.next_run_at}`]),
    ...(task.error === null ? [] : [`last error: ${task.error.message}`]),
  ].join('; ');

/** An error that the model can do something about comes back as text; others are the platform's. */
const answering = async (work: () => Promise<ToolOutcome>): Promise<ToolOutcome> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return { content: error.message, isError: true };
    throw error;
  }
};
const createTask = (tasks: Tasks): AgentTool => ({
  server: SERVER,
  name: 'create_task',
  description:
    'Create a task that an agent does in the background: at once, at a time (scheduled_at, ISO 8601 UTC), or again and again (cron with five fields and a timezone). Use it for reminders, follow-ups and regular work.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['description'],
    properties: {
      description: { type: 'string', minLength: 1, maxLength: 32_768 },
      agent_id: { type: 'string', maxLength: 64 },
      priority: { type: 'string', enum: [...PRIORITIES] },
      scheduled_at: { type: 'string', format: 'date-time' },
      cron: { type: 'string', minLength: 9, maxLength: 120 },
      timezone: { type: 'string', maxLength: 64 },
      overlap: { type: 'string', enum: [...OVERLAPS] },
      missed: { type: 'string', enum: [...MISSED] },
    },
  },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  permission: 'tasks:write',
  taint: [],
  personal: true,
  call: (args, { caller, runId, tainted }) =>
    answering(async () => {
      // The gate has checked the arguments against the schema above, which is a part of CreateTask.
      const task = await tasks.create(caller, args as CreateTask, { runId, tainted });
      return { content: `Task created: ${line(task)}`, isError: false, structured: task };
    }),
});

const listTasks = (tasks: Tasks): AgentTool => ({
  server: SERVER,
  name: 'list_tasks',
  description: 'List the tasks, newest first, with status and next run.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      status: { type: 'string', enum: [...TASK_STATUSES] },
      limit: { type: 'integer', minimum: 1, maximum: 50 },
    },
  },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  permission: 'tasks:read',
  call: (args, { caller }) =>
    answering(async () => {
      const status = TASK_STATUSES.find((known) => known === args.status);
      const limit = typeof args.limit === 'number' ? args.limit : 20;
      const { items, total } = await tasks.list(caller, {
        limit,
        ...(status === undefined ? {} : { status }),
      });
      const content =
        items.length === 0 ? 'There are no tasks.' : `${total} tasks:\n${items.map(line).join('\n')}`;
      const taint = items.some((task) => task.tainted) ? (['task'] as const) : [];
      return { content, isError: false, structured: { total, items }, taint };
    }),
});

const cancelTask = (tasks: Tasks): AgentTool => ({
  server: SERVER,
  name: 'cancel_task',
  description: 'Cancel a task by its id: stops what runs of it and its schedule.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['task_id'],
    properties: { task_id: { type: 'string', format: 'uuid' } },
  },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  permission: 'tasks:write',
  taint: [],
  personal: true,
  call: (args, { caller }) =>
    answering(async () => {
      const task = await tasks.cancel(caller, String(args.task_id));
      const taint = task.tainted ? (['task'] as const) : [];
      return { content: `Task cancelled: ${line(task)}`, isError: false, structured: task, taint };
    }),
});

export const taskTools = (tasks: Tasks): ToolSource => {
  const tools = [createTask(tasks), listTasks(tasks), cancelTask(tasks)];
  return { fixed: true, list: () => tools };
};
