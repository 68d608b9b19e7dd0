import { TaskNotFoundError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { forbidden } from '../../../kernel/errors.ts';
import type { Turn } from '../../chat/index.ts';
import type { HandlerOptions } from '../handler-options.ts';

type PushMethods = Pick<
  A2ARequestHandler,
  | 'createTaskPushNotificationConfig'
  | 'getTaskPushNotificationConfig'
  | 'listTaskPushNotificationConfigs'
  | 'deleteTaskPushNotificationConfig'
>;

/** The methods that say where a client is told how its task goes on. `find` throws for a task that is not the caller's. */
export const createPushMethods = (
  { push, caller, protocol, requestId }: HandlerOptions,
  find: (taskId: string) => Promise<Turn>,
  telling: <T>(work: () => Promise<T>) => Promise<T>,
): PushMethods => {
  const mayChange = (): void => {
    if (!caller.permissions.has('chat:write')) throw forbidden('chat:write');
  };
  const idOf = (taskId: unknown): string => {
    if (typeof taskId !== 'string' || taskId === '') throw new TaskNotFoundError();
    return taskId;
  };
  return {
    createTaskPushNotificationConfig: (config) =>
      telling(async () => {
        mayChange();
        const { run } = await find(idOf(config.taskId));
        return push.set({ caller, runId: run.id, known: run.status, protocol, requestId }, config);
      }),
    getTaskPushNotificationConfig: ({ taskId, id }) =>
      telling(async () => push.get(caller, (await find(idOf(taskId))).run.id, id ?? '')),
    listTaskPushNotificationConfigs: ({ taskId }) =>
      telling(async () => ({
        configs: await push.list(caller, (await find(idOf(taskId))).run.id),
        nextPageToken: '',
      })),
    deleteTaskPushNotificationConfig: ({ taskId, id }) =>
      telling(async () => {
        mayChange();
        await push.remove(caller, (await find(idOf(taskId))).run.id, id ?? '', requestId);
      }),
  };
};
