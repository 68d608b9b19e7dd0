import { nanoToUsd } from '../../kernel/money.ts';
import type { RunSample } from '../agents/index.ts';
import type { Decision } from './approvals.ts';
import { errorData, interrupted } from './ending.ts';
import { type PackedJournal, packJournal } from './journal.rules.ts';
import type { Run } from './schema.ts';

/** Readings of a run's stored rows, and of what other nodes say of it. */

/** The events that an interrupted run had stored, with its end. What it had streamed since is lost with its process. */
export const journalOf = (row: { journal: string | null }): string => {
  const stored: PackedJournal =
    row.journal === null ? { v: 1, events: [] } : (JSON.parse(row.journal) as PackedJournal);
  const { events } = packJournal([{ event: 'error', data: errorData(interrupted()) }]);
  return JSON.stringify({ v: 1, events: [...stored.events, ...events] } satisfies PackedJournal);
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

/** Proposals of calls that still wait, from a run's step rows. */
export const openProposals = (rows: readonly { kind: string; payload: string }[]): string[] => {
  const open = new Map<string, string>();
  for (const row of rows) {
    const payload = JSON.parse(row.payload) as {
      calls?: { callId: string; proposalId: string | null }[];
      call?: { callId: string };
    };
    for (const call of payload.calls ?? [])
      if (call.proposalId !== null) open.set(call.callId, call.proposalId);
    if (row.kind === 'decided' && payload.call) open.delete(payload.call.callId);
  }
  return [...open.values()];
};

export const sampleOf = (row: {
  agent_id: string | null;
  status: string;
  usage: string | null;
  cost_nano: number;
  tool_call_count: number;
  first_token_ms: number | null;
  created_at: number;
  finished_at: number | null;
}): RunSample => {
  const usage = row.usage === null ? null : (JSON.parse(row.usage) as Run['usage']);
  return {
    agentId: row.agent_id ?? '',
    outcome:
      row.finished_at === null
        ? 'active'
        : row.status === 'completed'
          ? 'success'
          : row.status === 'failed'
            ? 'failure'
            : 'other',
    latencyMs: row.finished_at === null ? null : row.finished_at - row.created_at,
    firstTokenMs: row.first_token_ms,
    inputTokens: usage?.input_tokens ?? 0,
    outputTokens: usage?.output_tokens ?? 0,
    costUsd: nanoToUsd(row.cost_nano),
    toolCalls: row.tool_call_count,
    createdAt: row.created_at,
  };
};
