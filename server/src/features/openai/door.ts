import type { FastifyReply } from 'fastify';
import {
  type BindRun,
  fingerprintOf,
  type Idempotency,
  idempotencyKey,
  replayOwner,
} from '../../http/idempotency.ts';
import { replayAnswer } from '../../http/mount.ts';
import { prefersWaiting } from '../../http/prefer.ts';
import type { SignedInInput } from '../../http/route.ts';
import { openSse } from '../../http/sse.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type AppError, isFaultOf } from '../../kernel/errors.ts';
import type { Sampling } from '../../kernel/model.ts';
import type { AgentService } from '../agents/index.ts';
import {
  type ActiveRun,
  type ChatResponse,
  type ChatService,
  DECISION_GRACE_MS,
  type FollowedRun,
  type GivenInput,
  type HistoryTurn,
  type RunEvent,
} from '../chat/index.ts';
import { materialOf, materialTools, materialTurn } from './material.ts';
import { refusal } from './refusal.rules.ts';
import {
  agentOfModel,
  EMBEDDING_MODEL,
  MODEL_FAMILY,
  type ReadCompletion,
  unknownModel,
} from './request.rules.ts';
import { lastResults, resultsText } from './tools.rules.ts';

/**
 * What the doors under `/v1` share: each reads a request of its protocol and writes answers in it; in between it is a run like
 * any other, with the idempotency, the streams and the waiting for decisions that all have.
 */
export interface DoorOptions {
  chat: ChatService;
  agents: Pick<AgentService, 'effective'>;
  idempotency: Idempotency;
  streams: StreamWatch;
  draining(): boolean;
}

/** What a request of any of the protocols asks for. */
export interface DoorRequest {
  model: string;
  read: ReadCompletion;
  maxOutputTokens: number | null;
  sampling: Sampling;
  /** True: its conversation is listed. False: nothing of it is stored but its costs. Null: stored, and not listed. */
  store: boolean | null;
  /** The results are of calls whose run has to be found: the request does not repeat the calls. */
  mustContinue?: boolean;
}

/** The events of a run in a protocol's frames. */
export interface FrameWriter {
  /** Frames for one event of the run. */
  take(event: RunEvent): string;
  /** The end of a stream whose run waits for decisions. */
  waiting(): string;
  /** Proposals that are open now. */
  readonly open: ReadonlySet<string>;
}

export interface DoorWire {
  /** Names the operation in fingerprints. */
  name: string;
  request(): DoorRequest | Promise<DoorRequest>;
  answer(response: ChatResponse): object;
  frames(runId: string): FrameWriter;
  /** Last frames of a reader who has lost the right to read. */
  farewell(fault: AppError): string;
}

type Input = SignedInInput<unknown, unknown, unknown>;

/** What a call that is not stored cannot go on with. Throws VALIDATION_ERROR, which leaves as 400. */
const checkStore = (
  store: DoorRequest['store'],
  {
    read,
    mustContinue,
    accepted,
  }: { read: ReadCompletion; mustContinue: boolean; accepted?: BindRun | undefined },
): void => {
  if (store !== false) return;
  if (read.conversationId !== null || mustContinue)
    throw refusal(
      'store',
      'a call with store false goes on with nothing that is stored: send all that was said, or leave store out',
      'invalid_value',
    );
  if (accepted !== undefined)
    throw refusal(
      'store',
      'a call with store false keeps no answer to repeat: leave the header Idempotency-Key out, or leave store out',
      'invalid_value',
    );
};

/** A refusal of images in the words of the doors, whose requests have no attachments. */
const launchSeen =
  (chat: Pick<ChatService, 'launch'>): ChatService['launch'] =>
  (...asked) =>
    chat.launch(...asked).catch((error: unknown) => {
      if (!isFaultOf(error, '/attachments')) throw error;
      const words = error.message.replace('/attachments', 'the messages');
      throw refusal('messages', words, 'unsupported_content');
    });

/** Of a run that is gone on with: it has its pictures. */
const turnsOf = (history: readonly HistoryTurn[], goesOn: boolean): HistoryTurn[] =>
  history.map((turn) => {
    const { pictures: _shown, ...words } = materialTurn(turn);
    return goesOn ? words : materialTurn(turn);
  });

export const createDoor = (options: DoorOptions) => {
  const { chat, agents, idempotency } = options;

  const modelIds = async (caller: Caller): Promise<string[]> => {
    const enabled = [...(await agents.effective(caller.tenantId)).values()].filter((agent) => agent.enabled);
    return [
      MODEL_FAMILY,
      ...enabled.map((agent) => `${MODEL_FAMILY}/${agent.definition.id}`),
      EMBEDDING_MODEL,
    ];
  };

  /** Null: whichever fits. Throws NOT_FOUND. */
  const agentOf = async (caller: Caller, model: string): Promise<string | null> => {
    const agentId = agentOfModel(model);
    if (agentId === undefined || model === EMBEDDING_MODEL) throw unknownModel(model);
    if (agentId !== null && !(await modelIds(caller)).includes(model)) throw unknownModel(model);
    return agentId;
  };

  const launch = async (
    { caller, request: asked, requestId }: Input,
    wire: DoorWire,
    streaming: boolean,
    accepted?: BindRun,
  ): Promise<ActiveRun> => {
    const how = {
      requestId,
      streaming,
      wait: prefersWaiting(asked),
      ...(accepted === undefined ? {} : { accepted }),
    };
    const { model, read, maxOutputTokens, sampling, store, mustContinue = false } = await wire.request();
    checkStore(store, { read, mustContinue, accepted });
    const agentId = await agentOf(caller, model);
    const results = lastResults(read.exchange);
    const handed =
      read.exchange.length === 0 || store === false
        ? null
        : await chat.handedRun(caller, Object.keys(results));
    if (handed === null && mustContinue)
      throw refusal(
        'input',
        'no run of yours has made these calls; send them with their results',
        'invalid_value',
      );
    const given: GivenInput = {
      history: turnsOf(read.history, handed !== null),
      ...(read.pictures.length === 0 || handed !== null ? {} : { pictures: read.pictures }),
      metadata: read.metadata,
      ...(store === true ? {} : { unlisted: true }),
      ...(read.client === null ? {} : { client: materialTools(read.client) }),
      ...(handed === null
        ? read.exchange.length === 0
          ? {}
          : { exchange: materialOf(read.exchange) }
        : { continues: { runId: handed.runId, results } }),
      ...(read.instructions === null ? {} : { instructions: read.instructions }),
      ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
      sampling,
      ...(read.form === null ? {} : { form: read.form }),
    };
    if (handed !== null) {
      // The results go to the agent that has asked for them, and stand in its conversation.
      const request = {
        message: resultsText(read.exchange),
        conversation_id: handed.conversationId,
        parent_message_id: handed.answerId,
        context: { agent_id: handed.agentId },
      };
      return chat.launch(caller, request, { ...how, given });
    }
    return launchSeen(chat)(
      caller,
      {
        message: read.message,
        ...(read.conversationId === null ? {} : { conversation_id: read.conversationId }),
        ...(agentId === null ? {} : { context: { agent_id: agentId } }),
        ...(store === false ? { store } : {}),
      },
      { ...how, given },
    );
  };

  /** Sends a run's events as frames; the run goes on when the reader leaves. */
  const sendFrames = (
    { reply }: Input,
    wire: DoorWire,
    source: { live: FollowedRun } | { finished: RunEvent[] },
    runId: string,
  ): FastifyReply => {
    const stream = openSse(reply, {
      draining: options.draining(),
      watch: options.streams,
      farewell: wire.farewell,
    });
    const frames = wire.frames(runId);
    if ('finished' in source) {
      stream.send(source.finished.map((event) => frames.take(event)).join(''));
      stream.end();
      return reply;
    }
    let timer: NodeJS.Timeout | null = null;
    let leave = (): void => {};
    const waitNoLonger = (): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    };
    const giveUp = (): void => {
      leave();
      stream.send(frames.waiting());
      stream.end();
    };
    leave = source.live.events.follow(
      0,
      (event) => {
        const written = frames.take(event);
        if (written !== '') stream.send(written);
        if (frames.open.size === 0) waitNoLonger();
        else timer ??= setTimeout(giveUp, DECISION_GRACE_MS);
      },
      () => {
        waitNoLonger();
        stream.end();
      },
    );
    stream.onClose(() => {
      waitNoLonger();
      leave();
    });
    return reply;
  };

  const whole = (input: Input, wire: DoorWire, key: string | null): Promise<object> => {
    if (key === null)
      return launch(input, wire, false).then(async (run) => wire.answer(await chat.answer(run)));
    const { caller, body, reply } = input;
    const claim = { callerId: replayOwner(caller), key, fingerprint: fingerprintOf('POST', wire.name, body) };
    return idempotency.once<FastifyReply>(
      claim,
      async (bind) => {
        const answer = wire.answer(await chat.answer(await launch(input, wire, false, bind)));
        const text = JSON.stringify(answer);
        return { send: () => reply.send(answer), answer: { status: 200, headers: {}, body: text } };
      },
      (stored) => replayAnswer(reply, stored),
      async (runId) => {
        const outcome = await chat.outcome(caller, runId);
        if (outcome === null || 'failed' in outcome) return outcome;
        const text = JSON.stringify(wire.answer(outcome.answer));
        const answer = { status: 200, headers: {}, body: text };
        return { send: () => replayAnswer(reply, answer), answer };
      },
    );
  };

  const streamed = async (input: Input, wire: DoorWire, key: string | null): Promise<FastifyReply> => {
    if (key === null) {
      const run = await launch(input, wire, true);
      return sendFrames(input, wire, { live: run }, run.runId);
    }
    const { caller, body, reply } = input;
    // The key names the run: its replay is that run's stream from the start.
    const found = async (runId: string) => {
      const source = await chat.follow(caller, runId);
      return {
        send: () => {
          reply.header('idempotent-replayed', 'true');
          return sendFrames(input, wire, source, runId);
        },
        answer: { status: 200, headers: {}, body: runId },
      };
    };
    return idempotency.once<FastifyReply>(
      { callerId: replayOwner(caller), key, fingerprint: fingerprintOf('POST', wire.name, body) },
      async (bind) => {
        const run = await launch(input, wire, true, bind);
        return {
          send: () => sendFrames(input, wire, { live: run }, run.runId),
          answer: { status: 200, headers: {}, body: run.runId },
        };
      },
      async (stored) => (await found(stored.body)).send(),
      found,
    );
  };

  return {
    modelIds,
    agentOf,

    /** The answer to a request, in one piece or as a stream. */
    async serve(input: Input, wire: DoorWire, streaming: boolean): Promise<object> {
      const { request, reply } = input;
      if (streaming) options.streams.admit(request, reply);
      const key = idempotencyKey(request.headers['idempotency-key']);
      return streaming ? streamed(input, wire, key) : whole(input, wire, key);
    },
  };
};
