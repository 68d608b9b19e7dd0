import type { Queryable } from '../../db/db.ts';
import type { MessageRow, RunRow } from '../../db/tables/chat.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError, forbidden } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { SentPictures } from '../../kernel/picture.ts';
import { type CallerFor, credentialText, readCredential } from '../../kernel/stored-credential.ts';
import { joinTaint } from '../../kernel/taint.ts';
import {
  activateBranch,
  attachmentsOf,
  attachmentsText,
  picturesOf,
  queuedAt,
  titleFrom,
  UNPLACED,
} from '../conversations/index.ts';
import type { Costs } from '../costs/index.ts';
import { askedEvent, taintOfConversation } from './asked.rules.ts';
import { endEvents, errorData } from './ending.ts';
import { packJournal, type RunEvent } from './journal.rules.ts';
import { sentBefore, storePictures } from './pictures/sent.ts';
import type { AttachedDocument } from './ports.ts';
import { earlierCredential, storedRequestOf } from './queued.rules.ts';
import { placeAtEnd, placeBehindSaid, placeMessage } from './queued.store.ts';
import { addressing, bringsContext, type GivenInput, parseContext } from './request.ts';
import type { RunMessage } from './run/run.ts';
import { moveRun } from './run-state.store.ts';
import type { ChatRequest, ChatResponse } from './schema.ts';
import {
  type ChatStore,
  insertMessage,
  insertRun,
  markOfConversation,
  RunLost,
  touchConversation,
} from './store.ts';
import { untilStored } from './until-stored.ts';
import { NO_USAGE } from './usage.rules.ts';
import { chatResponseOf, metadataText } from './wire.ts';

/**
 * Messages that wait for their conversation's turn. Each is a run from the moment of its acceptance: stored, so that a crash
 * loses nothing; seen, followed and cancelled by its id. It has no agent and no reservation until its turn comes, since
 * both depend on what is said before it; until then it has cost nothing.
 *
 *   accept    stores question and run
 *   (begin)   `run/pipeline.ts` lets it begin, in the write that reserves its first call (`beginQueued`)
 *   takeBack  cancelled before it began: an empty answer, as of any cancelled run; both get their place with the next turn
 *   refuse    its turn came and it could not begin: the run ends with the reason, the question stands in its place
 */
interface WaitingDeps {
  store: ChatStore;
  costs: Pick<Costs, 'spentOfRun'>;
  clock: Clock;
  callerOf: CallerFor;
}

type QueuedRun = NonNullable<RunMessage['queued']>;

/** A queued run with all that its start needs. */
interface WaitingMessage {
  run: QueuedRun;
  caller: Caller;
  request: ChatRequest;
  context: ReturnType<typeof parseContext>;
  how: {
    requestId: string;
    streaming: boolean;
    given?: GivenInput | undefined;
    attached: readonly AttachedDocument[];
    pictures?: SentPictures;
    accepted?: (tx: Queryable, runId: string) => Promise<void>;
  };
}

/** How long before its acceptance nothing can have been spent for a run. */
const BEFORE_MS = 60_000;

export const startedEvent = (run: QueuedRun): RunEvent => ({
  event: 'run.started',
  data: { run_id: run.runId, conversation_id: run.conversationId, message_id: run.messageId },
});

const subjectOf = ({ caller, how }: Pick<WaitingMessage, 'caller' | 'how'>) => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  requestId: how.requestId,
});

/** The rows of a message that waits and of its run, in the transaction that accepts it. */
const insertQueued = async (
  tx: Queryable,
  {
    store,
    caller,
    request,
    context,
    how,
    run,
    role,
  }: WaitingMessage & {
    store: Pick<ChatStore, 'nodeId'>;
    role: 'user' | 'tool';
  },
): Promise<void> => {
  const owner = { tenant_id: caller.tenantId, user_id: caller.userId };
  await insertMessage(tx, {
    ...owner,
    id: run.questionId,
    conversation_id: run.conversationId,
    role,
    content: request.message,
    agent_id: null,
    tool_calls: null,
    citations: null,
    usage: null,
    metadata: addressing(context),
    cost_nano: 0,
    run_id: run.runId,
    created_at: queuedAt(run.place.at),
    parent_id: null,
    active: UNPLACED,
    attachments: attachmentsText(how.attached, how.pictures?.own),
  });
  await insertRun(tx, {
    ...owner,
    id: run.runId,
    conversation_id: run.conversationId,
    message_id: run.messageId,
    question_id: run.questionId,
    status: 'queued',
    agent_id: null,
    agent_ids: '[]',
    request: JSON.stringify(storedRequestOf(caller, request, how)),
    usage: null,
    cost_nano: 0,
    error: null,
    journal: JSON.stringify(packJournal([startedEvent(run)])),
    tool_call_count: 0,
    first_token_ms: null,
    created_at: run.place.at,
    finished_at: null,
    node_id: store.nodeId,
    credential: credentialText(caller),
  });
};

export const createWaiting = (deps: WaitingDeps) => {
  const { store, clock } = deps;

  /** What a start that came to nothing has spent, as the ledger has it. */
  const spentOf = ({ run, caller }: WaitingMessage): Promise<number> =>
    deps.costs.spentOfRun({
      tenantId: caller.tenantId,
      runId: run.runId,
      since: run.place.at - BEFORE_MS,
    });

  return {
    /** Stores the message and its run, and tells of the question. */
    async accept(
      caller: Caller,
      request: ChatRequest & { conversation_id: string },
      how: WaitingMessage['how'],
    ): Promise<WaitingMessage> {
      const context = parseContext(request.context);
      const conversationId = request.conversation_id;
      const runId = newId();
      // In this order: where both stand at one time, the question is before its answer.
      const questionId = newId();
      const messageId = newId();
      const subject = subjectOf({ caller, how });
      const parentId = request.parent_message_id ?? null;
      const title = titleFrom(request.message);
      const question = { conversationId, runId, questionId, parentId, subject };
      const role = how.given?.continues === undefined ? 'user' : 'tool';
      const run = await store.write(
        async (tx) => {
          const now = clock.now();
          const at = await placeAtEnd(tx, conversationId, now);
          const ids = { runId, questionId, messageId, conversationId };
          const run = { ...ids, parent: request.parent_message_id, place: { at, id: runId } };
          const [mark = null] = await markOfConversation(tx, { id: conversationId });
          const taint = joinTaint(
            taintOfConversation(mark),
            how.given?.taint,
            bringsContext(context, how.given ?? {}) ? ['context'] : [],
            how.pictures === undefined ? [] : ['documents'],
          );
          const said = { content: request.message, attached: how.attached, pictures: how.pictures?.own };
          const event = askedEvent(question, said, taint, role);
          await touchConversation(tx, { id: conversationId, now, taint: null, added: 1, title });
          await insertQueued(tx, { store, caller, request, context, how, run, role });
          if (how.pictures !== undefined)
            await storePictures(tx, how.pictures, {
              tenant_id: caller.tenantId,
              user_id: caller.userId,
              conversation_id: conversationId,
              created_at: now,
            });
          await how.accepted?.(tx, runId);
          await tx.emit(event);
          return run;
        },
        { repeatable: true },
      );
      return { run, caller, request, context, how };
    },

    /** Read back after a restart, or from another node's hands. The error where it cannot begin any more. */
    async read(row: RunRow): Promise<WaitingMessage | { run: QueuedRun; error: AppError }> {
      // A row of this feature's own writing.
      const stored = JSON.parse(row.request) as ReturnType<typeof storedRequestOf>;
      const run: QueuedRun = {
        runId: row.id,
        questionId: row.question_id,
        messageId: row.message_id,
        conversationId: row.conversation_id,
        parent: stored.queued.parent,
        place: { at: row.created_at, id: row.id },
      };
      const [question, caller] = await Promise.all([
        store.message(row.question_id),
        deps.callerOf(
          row.tenant_id,
          row.user_id,
          readCredential(row.credential) ?? earlierCredential(stored),
        ),
      ]);
      if (question === undefined) return { run, error: new AppError('NOT_FOUND', 'the message is gone') };
      if (caller === null || !caller.permissions.has('chat:write'))
        return { run, error: forbidden('chat:write') };
      return {
        run,
        caller,
        request: {
          message: question.content,
          conversation_id: row.conversation_id,
          ...(run.parent === undefined ? {} : { parent_message_id: run.parent }),
          context: stored.context,
        },
        context: parseContext(stored.context),
        how: {
          requestId: stored.queued.requestId,
          streaming: stored.streaming,
          given: stored.queued.given,
          // What of them can still be read is looked up when its turn comes.
          attached: attachmentsOf(question).map(({ document_id: id, title }) => ({
            id,
            title,
            trusted: false,
          })),
          ...sentBefore(picturesOf(question)),
        },
      };
    },

    /** Throws `RunLost` where the run is another node's by now. */
    async takeBack(message: WaitingMessage): Promise<ChatResponse> {
      const { run, caller } = message;
      const costNano = await spentOf(message);
      const answer: MessageRow = {
        id: run.messageId,
        tenant_id: caller.tenantId,
        user_id: caller.userId,
        conversation_id: run.conversationId,
        role: 'assistant',
        content: '',
        agent_id: message.context.agentId,
        tool_calls: null,
        citations: null,
        usage: JSON.stringify(NO_USAGE),
        metadata: metadataText({ finish_reason: 'cancelled', proposals: [] }),
        cost_nano: costNano,
        run_id: run.runId,
        created_at: queuedAt(run.place.at),
        parent_id: run.questionId,
        active: UNPLACED,
        attachments: null,
      };
      const response = chatResponseOf(answer);
      const events: RunEvent[] = [startedEvent(run), { event: 'message.completed', data: null }];
      await untilStored(() =>
        store.write(
          async (tx) => {
            const now = clock.now();
            const move = { id: run.runId, nodeId: store.nodeId, from: 'queued', event: 'cancel' } as const;
            const kept = await moveRun(tx, move, {
              usage: JSON.stringify(NO_USAGE),
              cost_nano: costNano,
              journal: JSON.stringify(packJournal(events)),
              finished_at: now,
            });
            if (!kept) throw new RunLost();
            await insertMessage(tx, answer);
            await touchConversation(tx, { id: run.conversationId, now, taint: null, added: 1, title: null });
            const [mark = null] = await markOfConversation(tx, { id: run.conversationId });
            const ended = { ...run, subject: subjectOf(message) };
            for (const event of endEvents(ended, answer, response, taintOfConversation(mark)))
              await tx.emit(event);
          },
          { repeatable: true },
        ),
      );
      return response;
    },

    /** Ends the run with the reason; nothing happens where it is another node's by now. */
    async refuse(run: QueuedRun, error: AppError, message: WaitingMessage | null): Promise<void> {
      const events: RunEvent[] = [startedEvent(run), { event: 'error', data: errorData(error) }];
      const costNano = message === null ? 0 : await spentOf(message);
      await untilStored(() =>
        store.write(
          async (tx) => {
            const now = clock.now();
            const event = error.code === 'COST_EXCEEDED' ? 'exceed' : 'fail';
            const move = { id: run.runId, nodeId: store.nodeId, from: 'queued', event } as const;
            const kept = await moveRun(tx, move, {
              usage: JSON.stringify(NO_USAGE),
              cost_nano: costNano,
              journal: JSON.stringify(packJournal(events)),
              error: JSON.stringify(errorData(error)),
              finished_at: now,
            });
            if (!kept) return;
            const { conversationId, questionId, parent } = run;
            const place = await placeBehindSaid(tx, conversationId, now);
            await placeMessage(tx, questionId, parent === undefined ? place : { ...place, parentId: parent });
            if (parent !== undefined) await activateBranch(tx, conversationId, questionId);
          },
          { repeatable: true },
        ),
      );
    },
  };
};
