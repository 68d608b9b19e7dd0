import { type Message, Role, type SendMessageRequest } from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  RequestMalformedError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { type BindRun, fingerprintOf, replayOwner } from '../../http/idempotency.ts';
import { AppError, forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../kernel/message-limits.ts';
import { type NewPicture, pictureName } from '../../kernel/picture.ts';
import { readPicture } from '../../kernel/pictures/read.ts';
import { PictureFault } from '../../kernel/pictures/size.ts';
import type { ActiveRun, FollowedRun, RunEvent } from '../chat/index.ts';
import { type HandlerOptions, UUID } from './handler-options.ts';
import { untilSettled } from './run-events.ts';

/** A run that a message has started, or that was found again. */
export interface FoundRun {
  runId: string;
  /** Null where it has ended: then `events` are all that it told. */
  live: FollowedRun | null;
  events: RunEvent[];
  /** Resolves when there is something to tell: the answer, a failure, or that the run waits for a decision. */
  settled(): Promise<void>;
}

/** The bytes of a file's part: a picture by its first bytes, whatever type it names. */
const pictureOf = (bytes: Uint8Array, filename: string): NewPicture => {
  try {
    const read = readPicture(Buffer.from(bytes));
    return { id: newId(), name: pictureName(filename, read.mediaType), ...read };
  } catch (error) {
    if (!(error instanceof PictureFault)) throw error;
    throw new ContentTypeNotSupportedError(
      `files are refused but for pictures, and this one ${error.message}`,
    );
  }
};

const PICTURES_ALONE = '[image]';

/** The message's text, its structured parts as data for the agent, and its pictures. */
const readMessage = (message: Message): { text: string; data: unknown[]; pictures: NewPicture[] } => {
  const texts: string[] = [];
  const data: unknown[] = [];
  const pictures: NewPicture[] = [];
  for (const { content, filename } of message.parts) {
    if (content?.$case === 'text') texts.push(content.value);
    else if (content?.$case === 'data') data.push(content.value);
    else if (content?.$case === 'raw') pictures.push(pictureOf(content.value, filename));
    else
      throw new ContentTypeNotSupportedError(
        'only parts with text, data or the bytes of a picture can be read; files are refused, and none is fetched from its address',
      );
  }
  const said = texts.join('\n');
  const text = said.trim() === '' && pictures.length > 0 ? PICTURES_ALONE : said;
  if (text.trim() === '') throw new RequestMalformedError('the message holds no text');
  if (text.length > MAX_MESSAGE_CHARACTERS && [...text].length > MAX_MESSAGE_CHARACTERS)
    throw new RequestMalformedError(`the text must have at most ${MAX_MESSAGE_CHARACTERS} characters`);
  return { text, data, pictures };
};

/** Runs of messages: each once, however often the message comes. `find` throws for a task that is not there. */
export const createMessageRuns = (options: HandlerOptions, find: (taskId: string) => Promise<unknown>) => {
  const { chat, caller } = options;

  const start = async (message: Message, accepted?: BindRun): Promise<ActiveRun> => {
    const { text, data, pictures } = readMessage(message);
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
        given: { metadata: { source: 'a2a' }, ...(pictures.length === 0 ? {} : { pictures }) },
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
  const runOnce = async (message: Message): Promise<FoundRun> => {
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

  /** The message's run, of which the client is told where it has asked for it. */
  const runFor = async ({ message, configuration }: SendMessageRequest): Promise<FoundRun> => {
    if (!caller.permissions.has('chat:write')) throw forbidden('chat:write');
    if (message === undefined) throw new RequestMalformedError('the message is missing');
    if (message.role !== Role.ROLE_USER)
      throw new RequestMalformedError('the role of the message must be user');
    const wish = configuration?.taskPushNotificationConfig;
    if (wish !== undefined) {
      options.push.check(wish);
      await options.push.admit(caller);
    }
    if (message.taskId !== '') {
      await find(message.taskId);
      throw new UnsupportedOperationError(
        'a task takes one message: send the next one with the contextId alone',
      );
    }
    const run = await runOnce(message);
    if (wish !== undefined) {
      const { protocol, requestId } = options;
      await options.push.set({ caller, runId: run.runId, known: null, protocol, requestId }, wish);
    }
    return run;
  };

  return runFor;
};
