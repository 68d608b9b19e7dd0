import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso, isoOrNull } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import type { ActiveRun } from './active-run.ts';
import type { HistoryTurn } from './history.rules.ts';
import type { LaunchOptions } from './request.ts';
import type { StartedRun } from './run/run.ts';
import type { ChatRequest, Run } from './schema.ts';
import { isFindTools } from './tool-finding.ts';
import { isDelegate } from './tool-list.ts';

/**
 * Chats that are stored nowhere (`store: false`): their runs live in this process alone, and write to the ledger and the audit only. What
 * would need a row of them is refused before anything is spent (docs/decisions/0090-temporary-chats.md).
 */
export const isTemporary = ({ store }: Pick<ChatRequest, 'store'>): boolean => store === false;

const refuse = (field: string, reason: string): never => {
  throw invalid({ field, reason });
};

/** Throws VALIDATION_ERROR for what goes with a temporary chat alone, or not with it. */
export const checkTemporary = (request: ChatRequest, { accepted }: Pick<LaunchOptions, 'accepted'>): void => {
  if (!isTemporary(request)) {
    if (request.history !== undefined)
      refuse('/history', 'goes with "store": false alone; a stored conversation is named by conversation_id');
    return;
  }
  const instead = 'does not go with "store": false; send what was said before in history';
  if (request.conversation_id !== undefined) refuse('/conversation_id', instead);
  if (request.parent_message_id !== undefined) refuse('/parent_message_id', instead);
  if (accepted !== undefined)
    refuse(
      '/store',
      'false keeps no answer to repeat: leave the header Idempotency-Key out, or store the chat',
    );
};

/** Turns of one side that follow each other are one: models want the sides to alternate. */
const historyOf = ({ history = [] }: Pick<ChatRequest, 'history'>): HistoryTurn[] => {
  const turns: HistoryTurn[] = [];
  for (const { role, content } of history) {
    const last = turns.at(-1);
    if (last?.role === role) last.content += `\n\n${content}`;
    else turns.push({ role, content });
  }
  return turns;
};

/** With the history that a temporary chat brings along, which its API has not read by itself. */
export const withHistory = <T extends Pick<LaunchOptions, 'given'>>(request: ChatRequest, how: T): T =>
  request.history === undefined ? how : { ...how, given: { ...how.given, history: historyOf(request) } };

const filtered = new WeakMap<readonly AgentTool[], readonly AgentTool[]>();

/** Tools that keep nothing of a chat in the platform, and bring nothing into it that is remembered of its person. */
export const withoutTraces = (tools: readonly AgentTool[]): readonly AgentTool[] => {
  let list = filtered.get(tools);
  if (list === undefined) {
    list = tools.filter(
      (tool) =>
        (tool.server !== 'pentarch' && tool.builtIn !== true) ||
        isDelegate(tool) ||
        isFindTools(tool) ||
        (tool.annotations.readOnly && !tool.permission.startsWith('memory:')),
    );
    filtered.set(tools, list);
  }
  return list;
};

/** A temporary run as its own person may see, follow and stop it while it goes on. */
export const temporaryRun = (
  { runId, conversationId, messageId, askedAt, plan, state, stored, subject }: StartedRun,
  clock: Clock,
): NonNullable<ActiveRun['temporary']> => ({
  tenantId: subject.tenantId,
  userId: subject.userId,
  view: () => ({
    id: runId,
    conversation_id: conversationId,
    message_id: messageId,
    status: stored.status,
    agent_ids: [...new Set([plan.agent.definition.id, ...state.work.map((one) => one.agentId)])],
    usage: state.usage,
    cost_usd: nanoToUsd(state.costNano),
    error: null,
    created_at: iso(askedAt),
    finished_at: isoOrNull(stored.status === 'running' ? null : clock.now()),
  }),
});

/** The run that goes on here, where it is the caller's own and stored nowhere. */
export const temporaryOf = <T extends Pick<ActiveRun, 'temporary'>>(
  run: T | undefined,
  { tenantId, userId }: Caller,
): { run: T; view(): Run } | null => {
  const temporary = run?.temporary ?? null;
  if (run === undefined || temporary === null) return null;
  if (temporary.tenantId !== tenantId || temporary.userId !== userId) return null;
  return { run, view: temporary.view };
};
