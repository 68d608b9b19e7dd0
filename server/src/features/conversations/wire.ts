import type { MessageRow } from '../../db/tables/chat.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { taintOfRow } from '../../kernel/taint.ts';
import { attachmentsOf, picturesOf } from './attachments.rules.ts';
import { type BrokenRun, endOf } from './ends.rules.ts';
import type { ListedConversation } from './pages.store.ts';
import { saidAt } from './queued.rules.ts';
import type { Citation, Conversation, Message, ToolCall, Usage } from './schema.ts';
import { ALONE, INACTIVE, type Siblings } from './tree.rules.ts';

/** Stored rows to wire forms. JSON columns were written by this feature, so their shapes are known. */
const json = <T>(text: string | null, fallback: T): T => (text === null ? fallback : (JSON.parse(text) as T));

export const conversationOf = (row: ListedConversation): Conversation => ({
  id: row.id,
  title: row.title,
  status: row.status === 'archived' || row.status === 'unlisted' ? row.status : 'active',
  metadata: json<Record<string, unknown>>(row.metadata, {}),
  agent_ids: json<string[]>(row.agent_ids, []),
  message_count: row.message_count,
  total_cost_usd: nanoToUsd(row.cost_nano),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  archived_at: isoOrNull(row.archived_at),
  pinned: row.pinned === 1,
  folder: row.folder ?? null,
  taint: [...taintOfRow(row)],
});

const roleOf = (role: string): Message['role'] => (role === 'assistant' || role === 'tool' ? role : 'user');

const picturesIn = (row: Pick<MessageRow, 'attachments'>): Pick<Message, 'pictures'> => {
  const pictures = picturesOf(row).map(({ mediaType, size, ...picture }) => ({
    ...picture,
    media_type: mediaType,
    size_bytes: size,
  }));
  return pictures.length === 0 ? {} : { pictures };
};

/** `run`: the message's run where that ended without a whole answer (`ends.rules.ts`). */
export const messageOf = (row: MessageRow, run?: BrokenRun, siblings: Siblings = ALONE): Message => ({
  id: row.id,
  conversation_id: row.conversation_id,
  role: roleOf(row.role),
  content: row.content,
  agent_id: row.agent_id,
  tool_calls: json<ToolCall[]>(row.tool_calls, []),
  citations: json<Citation[]>(row.citations, []),
  usage: json<Usage | null>(row.usage, null),
  metadata: json<Record<string, unknown>>(row.metadata, {}),
  attachments: attachmentsOf(row),
  ...(row.attachments === null ? {} : picturesIn(row)),
  ...endOf(row.role, json<Record<string, unknown>>(row.metadata, {}), run),
  cost_usd: nanoToUsd(row.cost_nano),
  run_id: row.run_id,
  created_at: iso(saidAt(row.created_at)),
  parent_id: row.parent_id,
  siblings,
  active: row.active > INACTIVE,
});
