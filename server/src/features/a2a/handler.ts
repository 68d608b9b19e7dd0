import type { StreamResponse, Task } from '@a2a-js/sdk';
import {
  ExtendedAgentCardNotConfiguredError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { iso } from '../../kernel/clock.ts';
import { AppError, forbidden } from '../../kernel/errors.ts';
import type { RunEvent } from '../chat/index.ts';
import { type HandlerOptions, UUID } from './handler-options.ts';
import { createMessageRuns } from './message-runs.ts';
import { createPushMethods } from './push/methods.ts';
import { timestampOf } from './requests.ts';
import { eventsOf } from './run-events.ts';
import { createUpdates, isTerminal, statusesOf, taskOf } from './tasks.ts';

/** One request of the A2A protocol, on the chat service. */
export const createHandler = (options: HandlerOptions): A2ARequestHandler => {
  const { chat, caller } = options;

  /** The platform's refusals keep their status and code; the SDK would make internal errors of them. */
  const telling = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AppError) options.refused(error);
      throw error;
    }
  };

  const findTurn = async (id: string) => {
    if (!UUID.test(id)) throw new TaskNotFoundError();
    try {
      return await chat.turn(caller, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') throw new TaskNotFoundError();
      throw error;
    }
  };

  const runFor = createMessageRuns(options, findTurn);

  async function* updatesOf(
    runId: string,
    source: AsyncIterable<RunEvent> | Iterable<RunEvent>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const turn = await findTurn(runId);
    // The first update is the task as it began; what has come since follows as updates of it.
    const task: Task = { ...taskOf({ ...turn, answer: null }, undefined) };
    yield { payload: { $case: 'task', value: task } };
    const updates = createUpdates(
      { runId, conversationId: turn.run.conversation_id, messageId: turn.run.message_id },
      () => iso(options.clock.now()),
    );
    for await (const event of source) for (const update of updates(event)) yield update;
  }

  return {
    getAgentCard: options.card,
    getAuthenticatedExtendedAgentCard: () => Promise.reject(new ExtendedAgentCardNotConfiguredError()),

    sendMessage: (params) =>
      telling(async () => {
        const { runId, settled } = await runFor(params);
        if (params.configuration?.returnImmediately !== true) await settled();
        return taskOf(await findTurn(runId), params.configuration?.historyLength);
      }),

    async *sendMessageStream(params) {
      const { runId, live, events } = await telling(() => runFor(params));
      yield* updatesOf(runId, live === null ? events : eventsOf(live));
    },

    getTask: (params) => telling(async () => taskOf(await findTurn(params.id), params.historyLength)),

    cancelTask: (params) =>
      telling(async () => {
        if (!caller.permissions.has('chat:write')) throw forbidden('chat:write');
        await findTurn(params.id);
        try {
          await chat.cancel(caller, params.id);
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          if (error.code === 'CONFLICT') throw new TaskNotCancelableError();
          if (error.code === 'NOT_FOUND') throw new TaskNotFoundError();
          throw error;
        }
        return taskOf(await findTurn(params.id), undefined);
      }),

    async *resubscribe(params) {
      const turn = await telling(() => findTurn(params.id));
      if (isTerminal(turn.run.status)) throw new UnsupportedOperationError('this task has ended');
      const followed = await telling(() => chat.follow(caller, params.id));
      yield* updatesOf(params.id, 'live' in followed ? eventsOf(followed.live) : followed.finished);
    },

    listTasks: (params) =>
      telling(async () => {
        const pageSize = params.pageSize ?? 50;
        if (params.pageToken !== '' && !UUID.test(params.pageToken))
          throw new RequestMalformedError('pageToken is not one of this server');
        const updatedAfter = timestampOf(params.statusTimestampAfter);
        const { turns, total } = await chat.turns(
          caller,
          {
            ...(params.contextId === '' ? {} : { conversationId: params.contextId }),
            ...(params.status === 0 ? {} : { statuses: statusesOf(params.status) }),
            ...(updatedAfter === null ? {} : { updatedAfter }),
          },
          { limit: pageSize + 1, before: params.pageToken === '' ? null : params.pageToken },
        );
        const page = turns.slice(0, pageSize);
        const tasks = page.map((turn) => {
          const task = taskOf(turn, params.historyLength ?? 0);
          return params.includeArtifacts === true ? task : { ...task, artifacts: [] };
        });
        return {
          tasks,
          nextPageToken: turns.length > pageSize ? (page.at(-1)?.run.id ?? '') : '',
          pageSize,
          totalSize: total,
        };
      }),

    ...createPushMethods(options, findTurn, telling),
  };
};
