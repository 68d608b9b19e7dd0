import type { Queryable, Tx } from '../../../db/db.ts';
import { together } from '../../../db/together.ts';
import { credentialText } from '../../../kernel/stored-credential.ts';
import { isTainted, type Taint, taintText } from '../../../kernel/taint.ts';
import { ACTIVE, attachmentsText } from '../../conversations/index.ts';
import { askedEvent } from '../asked.rules.ts';
import { packJournal, type RunEvent } from '../journal.rules.ts';
import { storePictures } from '../pictures/sent.ts';
import { placeMessage } from '../queued.store.ts';
import { addressing } from '../request.ts';
import { moveRun } from '../run-state.store.ts';
import {
  insertConversation,
  insertMessage,
  insertRun,
  listConversation,
  markConversation,
  RunLost,
  touchConversation,
} from '../store.ts';
import type { Asking, StartDeps } from './run.ts';
import type { History } from './steps/load-history.ts';

/** Rows of a question and its run, in the transaction that reserves their budget. */
interface Question {
  questionId: string;
  messageId: string;
  askedAt: number;
  /** The message that it follows. */
  parentId: string | null;
  /** It leads a new branch, or there are others: the marks have to be set. */
  branches: boolean;
  agentId: string;
  /** Of a conversation that has none. */
  title: string;
  taint: Taint;
  /** Events of the start. */
  events: RunEvent[];
  /** What was taken back while it waited before the question: it gets its place now. */
  takenBack: readonly { id: string }[];
  /** What the run's history ends with; undefined where that is another branch. */
  lastSaid: History['known']['last'] | undefined;
}

const roleOf = ({ given }: Asking): 'user' | 'tool' => (given.continues === undefined ? 'user' : 'tool');
const ownerOf = ({ message: { caller } }: Asking) => ({
  tenant_id: caller.tenantId,
  user_id: caller.userId,
});

const conversationRow = async (tx: Queryable, asking: Asking, { taint, title }: Question) => {
  const { conversation, conversationId, given, now } = asking;
  if (conversation !== null) {
    if (conversation.status === 'unlisted' && given.unlisted !== true)
      await listConversation(tx, conversationId);
    return touchConversation(tx, {
      id: conversationId,
      now,
      taint: isTainted(taint) || conversation.taint === null ? taintText(taint) : null,
      added: asking.message.again === undefined ? 1 : 0,
      title,
    });
  }
  return insertConversation(tx, {
    ...ownerOf(asking),
    id: conversationId,
    title,
    status: given.unlisted === true ? 'unlisted' : 'active',
    metadata: given.metadata === undefined ? '{}' : JSON.stringify(given.metadata),
    agent_ids: '[]',
    message_count: 1,
    cost_nano: 0,
    created_at: now,
    updated_at: now,
    archived_at: null,
    taint: taintText(taint),
    branched: 0,
  });
};

const questionRow = (tx: Queryable, asking: Asking, { questionId, askedAt, parentId }: Question) =>
  insertMessage(tx, {
    ...ownerOf(asking),
    id: questionId,
    conversation_id: asking.conversationId,
    role: roleOf(asking),
    content: asking.message.request.message,
    agent_id: null,
    tool_calls: null,
    citations: null,
    usage: null,
    metadata: addressing(asking.message.context),
    cost_nano: 0,
    run_id: asking.runId,
    created_at: askedAt,
    parent_id: parentId,
    active: ACTIVE,
    attachments: attachmentsText(asking.message.attached, asking.message.pictures?.own),
  });

const runRow = (
  tx: Queryable,
  { nodeId }: { nodeId: string },
  asking: Asking,
  { questionId, messageId, agentId, events }: Question,
) => {
  const { message, given, runId, conversationId, now } = asking;
  return insertRun(tx, {
    ...ownerOf(asking),
    id: runId,
    conversation_id: conversationId,
    message_id: messageId,
    question_id: questionId,
    status: 'running',
    agent_id: agentId,
    agent_ids: JSON.stringify([agentId]),
    request: JSON.stringify({
      v: 1,
      context: message.request.context ?? {},
      streaming: message.streaming,
      ...(given.history === undefined ? {} : { history: given.history }),
      ...(given.instructions === undefined ? {} : { instructions: given.instructions }),
      ...(given.client === undefined ? {} : { client: given.client }),
      ...(given.continues === undefined ? {} : { continues: given.continues.runId }),
    }),
    usage: null,
    cost_nano: 0,
    error: null,
    journal: JSON.stringify(packJournal(events)),
    tool_call_count: 0,
    first_token_ms: null,
    created_at: now,
    finished_at: null,
    node_id: nodeId,
    credential: credentialText(message.caller),
  });
};

/** The message has waited, and stands in the store: its run begins. Throws `TurnTaken`, `RunLost`. */
export const beginQueued = async (
  tx: Queryable,
  { store }: Pick<StartDeps, 'store'>,
  { runId, conversationId }: Asking,
  { questionId, askedAt, parentId, agentId, taint, events, lastSaid }: Question,
): Promise<void> => {
  const change = {
    agent_id: agentId,
    agent_ids: JSON.stringify([agentId]),
    journal: JSON.stringify(packJournal(events)),
  };
  const move = { id: runId, nodeId: store.nodeId, from: 'queued', event: 'begin' } as const;
  if (!(await moveRun(tx, move, change))) throw new RunLost();
  await placeMessage(tx, questionId, { at: askedAt, parentId });
  if (isTainted(taint)) await markConversation(tx, { id: conversationId, taint: taintText(taint) });
  await store.claimTurn(tx, { conversationId, runId, lastSaid });
};

/** Throws `TurnTaken`. */
export const storeQuestion = async (
  tx: Tx,
  { store }: Pick<StartDeps, 'store'>,
  asking: Asking,
  question: Question,
): Promise<void> => {
  const { message, conversation, conversationId, runId, subject } = asking;
  await message.accepted?.(tx, runId);
  const { questionId, parentId, taint } = question;
  const said = {
    content: message.request.message,
    attached: message.attached,
    pictures: message.pictures?.own,
  };
  const told = { conversationId, runId, questionId, parentId, subject };
  const fresh = message.again === undefined;
  await together(
    conversationRow(tx, asking, question),
    conversation === null
      ? null
      : store.claimTurn(tx, { conversationId, runId, lastSaid: question.lastSaid }),
    fresh ? questionRow(tx, asking, question) : null,
    runRow(tx, store, asking, question),
    fresh ? tx.emit(askedEvent(told, said, taint, roleOf(asking))) : null,
  );
  if (message.pictures !== undefined)
    await storePictures(tx, message.pictures, {
      ...ownerOf(asking),
      conversation_id: conversationId,
      created_at: asking.now,
    });
};
