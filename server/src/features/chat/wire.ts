import type { MessageRow, RunRow } from '../../db/tables/chat.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { messageOf, storedReason, type Usage } from '../conversations/index.ts';
import { type ChatResponse, type FinishReason, RUN_STATUSES, type Run, type RunStatus } from './schema.ts';
import { NO_USAGE } from './usage.rules.ts';

/** What an answer's row keeps beside its text, for `ChatResponse` and for readers of the message. */
interface AnswerMetadata extends Record<string, unknown> {
  /** No model has answered where a message was taken back before its turn. */
  model?: string;
  built_in?: boolean;
  finish_reason: FinishReason;
  proposals: string[];
  /** The content is JSON of the form that was asked for. */
  structured?: true;
}

export const metadataText = (metadata: AnswerMetadata): string => JSON.stringify(metadata);

/** The same bytes whether built as the run ends or from the stored row later. */
export const chatResponseOf = (row: MessageRow): ChatResponse => {
  const message = messageOf(row);
  const { finish_reason: _stored, proposals, structured, ...metadata } = message.metadata as AnswerMetadata;
  return {
    id: message.id,
    conversation_id: message.conversation_id,
    parent_id: message.parent_id,
    content: message.content,
    ...(structured === true ? { parsed: JSON.parse(message.content) as unknown } : {}),
    agent_id: message.agent_id ?? 'zeus',
    tool_calls: message.tool_calls,
    cost_usd: message.cost_usd,
    run_id: message.run_id ?? '',
    finish_reason: storedReason(message.metadata) ?? 'stop',
    usage: message.usage ?? NO_USAGE,
    citations: message.citations,
    proposals: proposals ?? [],
    metadata,
    created_at: message.created_at,
  };
};

const statusOf = (status: string): RunStatus => RUN_STATUSES.find((known) => known === status) ?? 'failed';

export const runOf = (row: RunRow): Run => ({
  id: row.id,
  conversation_id: row.conversation_id,
  message_id: row.message_id,
  status: statusOf(row.status),
  agent_ids: JSON.parse(row.agent_ids) as string[],
  usage: row.usage === null ? NO_USAGE : (JSON.parse(row.usage) as Usage),
  cost_usd: nanoToUsd(row.cost_nano),
  error: row.error === null ? null : (JSON.parse(row.error) as Run['error']),
  created_at: iso(row.created_at),
  finished_at: isoOrNull(row.finished_at),
});
