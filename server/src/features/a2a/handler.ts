import { type Message, Role, type SendMessageRequest, type StreamResponse, type Task } from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { BindRun, Idempotency } from '../../http/idempotency.ts';
import { fingerprintOf, replayOwner } from '../../http/idempotency.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import { AppError, forbidden } from '../../kernel/errors.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../kernel/message-limits.ts';
import type { ActiveRun, ChatService, FollowedRun, RunEvent } from '../chat/index.ts';
import { timestampOf } from './requests.ts';
import { createUpdates, isTerminal, statusesOf, taskOf } from './tasks.ts';

/** One request of the A2A protocol, on the chat service. */
export interface HandlerOptions {
  chat: ChatService;
  idempotency: Idempotency;
  clock: Clock;
  caller: Caller;
  /** Null: the network finds the agent. */
  agentId: string | null;
  requestId: string;
  /** False: a busy conversation is a CONFLICT. */
  wait: boolean;
  idempotencyKey: string | null;
  card(): ReturnType<A2ARequestHandler['getAgentCard']>;
  /** A refusal of the platform, which the HTTP layer tells by its own status. */
  refused(error: AppError): void;
}

interface FoundRun {
  runId: string;
  /** Null where it has ended: then `events` are all that it told. */
  live: FollowedRun | null;
  events: RunEvent[];
  /** Resolves when there is something to tell: the answer, a failure, or that the run waits for a decision. */
  settled(): Promise<void>;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The message's text, and its structured parts as data for the agent. */
const readMessage = (message: Message): { text: string; data: unknown[] } => {
  const texts: string[] = [];
  const data: unknown[] = [];
  for (const { content } of message.parts) {
    if (content?.$case === 'text') texts.push(content.value);
    else if (content?.$case === 'data') data.push(content.value);
    else
      throw new ContentTypeNotSupportedError('only parts with text or data can be read; files are refused');
  }
  const text = texts.join('\n');
  if (text.trim() === '') throw new RequestMalformedError('the message holds no text');
  if (text.length > MAX_MESSAGE_CHARACTERS && [...text].length > MAX_MESSAGE_CHARACTERS)
    throw new RequestMalformedError(`the text must have at most ${MAX_MESSAGE_CHARACTERS} characters`);
  return { text, data };
};

/** What follows on of a run's events, in order; ends with the run. Leaving it early leaves the run alone. */
async function* eventsOf(run: FollowedRun): AsyncGenerator<RunEvent> {
  const waiting: RunEvent[] = [];
  let wake = (): void => {};
  let ended = false;
  const leave = run.events.follow(
    0,
    (event) => {
      waiting.push(event);
      wake();
    },
    () => {
      ended = true;
      wake();
    },
  );
  try {
    for (;;) {
      yield* waiting.splice(0);
      if (waiting.length > 0) continue;
      if (ended) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    leave();
  }
}

/** Until the run has ended, here or at another node, or waits for a decision. */
const untilSettled = async (run: FollowedRun): Promise<void> => {
  for await (const { event } of eventsOf(run)) if (event === 'proposal.created') return;
};

export const createHandler = (options: HandlerOptions): A2ARequestHandler => {
  const { chat, caller } = options;

  const needs = (permission: 'chat:write'): void => {
    if (!caller.permissions.has(permission)) throw forbidden(permission);
  };

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

  const start = async (message: Message, accepted?: BindRun): Promise<ActiveRun> => {
    const { text, data } = readMessage(message);
    const contextId = message.contextId === '' ? undefined : message.contextId;
    if (contextId !== undefined && !UUID.test(contextId))
      throw new RequestMalformedError('contextId must be the id of a conversation, or absent');
    const context = {
      ...(options.agentId === null ? {} : { agent_id: options.agentId }),
      ...(data.length === 0 ? {} : { data }),
    };
    return chat.launch(
      caller,
      {
        message: text,
        ...(contextId === undefined ? {} : { conversation_id: contextId }),
        ...(Object.keys(context).length === 0 ? {} : { context }),
      },
      {
        requestId: options.requestId,
        streaming: true,
        wait: options.wait,
        given: { metadata: { source: 'a2a' } },
        ...(accepted === undefined ? {} : { accepted }),
      },
    );
  };

  const found = (live: ActiveRun): FoundRun => ({
    runId: live.runId,
    live,
    events: [],
    // How the run ends is told by its task: a failed one is no failure of the request.
    settled: () =>
      chat.answer(live).then(
        () => {},
        (error: unknown) => {
          if (!(error instanceof AppError)) throw error;
        },
      ),
  });

  const foundAgain = async (runId: string): Promise<FoundRun> => {
    const followed = await chat.follow(caller, runId);
    return 'live' in followed
      ? { runId, live: followed.live, events: [], settled: () => untilSettled(followed.live) }
      : { runId, live: null, events: followed.finished, settled: () => Promise.resolve() };
  };

  /** Starts a run for the message, or finds the one that the same Idempotency-Key has started. */
  const runFor = async ({ message, configuration }: SendMessageRequest): Promise<FoundRun> => {
    needs('chat:write');
    if (message === undefined) throw new RequestMalformedError('the message is missing');
    if (message.role !== Role.ROLE_USER)
      throw new RequestMalformedError('the role of the message must be user');
    // Taken in silence, the client would wait for notifications that never come.
    if (configuration?.taskPushNotificationConfig !== undefined)
      throw new PushNotificationNotSupportedError();
    if (message.taskId !== '') {
      await findTurn(message.taskId);
      throw new UnsupportedOperationError(
        'a task takes one message: send the next one with the contextId alone',
      );
    }
    const { idempotencyKey: key } = options;
    if (key === null) {
      return found(await start(message));
    }
    return options.idempotency.once<FoundRun>(
      {
        callerId: replayOwner(caller),
        key,
        fingerprint: fingerprintOf('POST', `a2a/${options.agentId}`, message),
      },
      async (bind) => {
        const live = await start(message, bind);
        return {
          send: () => found(live),
          answer: { status: 200, headers: {}, body: live.runId },
        };
      },
      (stored) => foundAgain(stored.body),
      async (runId) => {
        const again = await foundAgain(runId);
        return { send: () => again, answer: { status: 200, headers: {}, body: runId } };
      },
    );
  };

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

  const noPush = (): Promise<never> => Promise.reject(new PushNotificationNotSupportedError());

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
        needs('chat:write');
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

    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
  };
};
