import { locationOf } from '../../http/location.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { Page } from '../../kernel/schema.ts';
import { CreateTask, ListTaskRuns, ListTasks, PatchTask, Task, TaskParams, TaskRun } from './schema.ts';
import type { Tasks } from './service.ts';

const tag = 'Tasks';

const definitionRoutes = (tasks: Tasks): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/tasks',
    operationId: 'listTasks',
    summary: 'Tasks, newest first',
    tag,
    access: 'tasks:read',
    query: ListTasks,
    responses: { 200: Page(Task) },
    handler: ({ caller, query }) => tasks.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/tasks',
    operationId: 'createTask',
    summary: 'Have an agent do something: now, at a time, or by cron',
    tag,
    access: 'tasks:write',
    body: CreateTask,
    responses: { 201: Task },
    handler: async ({ caller, body, request, reply }) => {
      const task = await tasks.create(caller, body);
      reply.header('location', locationOf(request, `/tasks/${task.id}`));
      return task;
    },
  }),
  route({
    method: 'GET',
    path: '/tasks/:id',
    operationId: 'getTask',
    summary: 'One task',
    tag,
    access: 'tasks:read',
    params: TaskParams,
    responses: { 200: Task },
    handler: ({ caller, params }) => tasks.get(caller, params.id),
  }),
  route({
    method: 'PATCH',
    path: '/tasks/:id',
    operationId: 'updateTask',
    summary: 'Change what future runs do, and when',
    tag,
    access: 'tasks:write',
    params: TaskParams,
    body: PatchTask,
    responses: { 200: Task },
    handler: ({ caller, params, body }) => tasks.patch(caller, params.id, body),
  }),
  route({
    method: 'DELETE',
    path: '/tasks/:id',
    operationId: 'deleteTask',
    summary: 'Cancel a task and remove it with its history',
    tag,
    access: 'tasks:write',
    params: TaskParams,
    audit: { action: 'task.deleted', targetType: 'task', target: 'id' },
    responses: { 204: null },
    handler: ({ caller, params, note }) => tasks.remove(caller, params.id, note),
  }),
];

const runRoutes = (tasks: Tasks): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/tasks/:id/runs',
    operationId: 'listTaskRuns',
    summary: 'Runs of a task, newest first: one for each due slot',
    tag,
    access: 'tasks:read',
    params: TaskParams,
    query: ListTaskRuns,
    responses: { 200: Page(TaskRun) },
    handler: ({ caller, params, query }) => tasks.runs(caller, params.id, query),
  }),
  route({
    method: 'POST',
    path: '/tasks/:id/cancel',
    operationId: 'cancelTask',
    summary: 'End a task: its run is stopped, its schedule too',
    tag,
    access: 'tasks:write',
    params: TaskParams,
    responses: { 200: Task },
    handler: ({ caller, params }) => tasks.cancel(caller, params.id),
  }),
  route({
    method: 'POST',
    path: '/tasks/:id/retry',
    operationId: 'retryTask',
    summary: 'Run a failed or cancelled task again',
    tag,
    access: 'tasks:write',
    params: TaskParams,
    responses: { 202: Task },
    handler: ({ caller, params }) => tasks.retry(caller, params.id),
  }),
];

export const taskRoutes = (tasks: Tasks): AnyRoute[] => [...definitionRoutes(tasks), ...runRoutes(tasks)];
