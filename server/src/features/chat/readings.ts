import type { Decision } from '../../kernel/decisions.ts';
import type { AppError } from '../../kernel/errors.ts';
import { addNano, nanoToUsd } from '../../kernel/money.ts';
import type { AgentWork } from '../../kernel/tools.ts';
import type { RunSample } from '../agents/index.ts';
import { errorData, interrupted } from './ending.ts';
import { jumpsOf, numberAt, packJournal, RESUME_JUMP, readJournal } from './journal.rules.ts';
import type { Run } from './schema.ts';
import { addSums, NO_USAGE } from './usage.rules.ts';

/** Readings of a run's stored rows, and of what other nodes say of it. */

type Journal = ReturnType<typeof readJournal>;

/** What had been told, and how many events that was. Of a journal that cannot be read: nothing, so that its run can still end. */
const toldBefore = (journal: string | null): { stored: Journal; n: number } => {
  try {
    const stored = readJournal(journal);
    // Whatever a reader has seen of what is lost, the end comes after it.
    const count = stored.events.reduce(
      (sum, [kind, , lengths]) => sum + (kind === 'd' ? lengths.length : kind === 'j' ? 0 : 1),
      0,
    );
    return { stored, n: numberAt(count, jumpsOf(stored)) + RESUME_JUMP };
  } catch {
    return { stored: { v: 1, events: [] }, n: 1 + RESUME_JUMP };
  }
};

/** The events that an interrupted run had stored, with its end. What it had streamed since is lost with its process. */
export const journalOf = (row: { journal: string | null }, error: AppError = interrupted()): string => {
  const { events } = packJournal([{ event: 'error', data: errorData(error) }]);
  const { stored, n } = toldBefore(row.journal);
  return JSON.stringify({ v: 1, events: [...stored.events, ['j', n], ...events] } satisfies Journal);
};

export const isDecided = (m: unknown): m is { proposalId: string; decision: Decision } =>
  typeof m === 'object' &&
  m !== null &&
  'proposalId' in m &&
  typeof m.proposalId === 'string' &&
  'decision' in m &&
  typeof m.decision === 'object' &&
  m.decision !== null &&
  'status' in m.decision;

/** A run as a sample of its agent, and what others did within it as samples of theirs. */
export const samplesOf = (row: {
  agent_id: string | null;
  status: string;
  usage: string | null;
  cost_nano: number;
  tool_call_count: number;
  delegated: string | null;
  first_token_ms: number | null;
  created_at: number;
  finished_at: number | null;
}): RunSample[] => {
  const all = row.usage === null ? NO_USAGE : (JSON.parse(row.usage) as Run['usage']);
  const work = row.delegated === null ? [] : (JSON.parse(row.delegated) as AgentWork[]);
  const usage = addSums(
    all,
    work.map((one) => one.usage),
    -1,
  );
  const costNano = work.reduce((rest, one) => addNano(rest, -one.costNano), row.cost_nano);
  const own: RunSample = {
    agentId: row.agent_id ?? '',
    outcome:
      row.finished_at === null
        ? 'active'
        : row.status === 'completed'
          ? 'success'
          : row.status === 'failed'
            ? 'failure'
            : 'other',
    latencyMs: row.finished_at === null ? null : Math.max(0, row.finished_at - row.created_at),
    firstTokenMs: row.first_token_ms,
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    costUsd: nanoToUsd(costNano),
    toolCalls: row.tool_call_count,
    createdAt: row.created_at,
  };
  return [
    own,
    ...work.map(
      (one): RunSample => ({
        agentId: one.agentId,
        outcome: one.ok ? 'success' : 'failure',
        latencyMs: one.latencyMs,
        firstTokenMs: one.firstTokenMs,
        inputTokens: one.usage.input_tokens,
        outputTokens: one.usage.output_tokens,
        costUsd: nanoToUsd(one.costNano),
        toolCalls: one.toolCalls,
        createdAt: one.startedAt,
      }),
    ),
  ];
};
