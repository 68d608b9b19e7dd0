import { iso } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Message } from '../conversations/index.ts';
import type { SharedMessage } from './schema.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** Epoch ms. Throws VALIDATION_ERROR for a time that has passed or is too far. */
export const expiryOf = (asked: string | undefined, now: number, maxDays: number): number => {
  const latest = now + maxDays * DAY_MS;
  if (asked === undefined) return Math.min(now + DEFAULT_DAYS * DAY_MS, latest);
  const at = Date.parse(asked);
  if (at <= now) throw invalid({ field: '/expires_at', reason: 'has passed' });
  if (at > latest)
    throw invalid({ field: '/expires_at', reason: `must be within ${maxDays} days (SHARE_MAX_DAYS)` });
  return at;
};

/** What others see of a message; null for what programs told each other. */
export const sharedMessage = (
  { role, content, agent_id: agentId, citations, attachments, finish_reason: reason, created_at }: Message,
  agentName: (id: string) => string | null,
  readable: ReadonlyMap<string, string>,
): SharedMessage | null => {
  if (role === 'tool') return null;
  return {
    role,
    content,
    agent_name: agentId === null ? null : agentName(agentId),
    citations: citations.map(({ document_id: id, page }) => {
      const title = readable.get(id) ?? null;
      return { title, page: title === null ? null : page };
    }),
    attachments: attachments.map(({ document_id: id }) => readable.get(id) ?? null),
    finish_reason: reason,
    created_at,
  };
};

/** Documents that messages name. */
export const documentsIn = (messages: readonly Pick<Message, 'citations' | 'attachments'>[]): string[] => [
  ...new Set(messages.flatMap((one) => [...one.citations, ...one.attachments].map((d) => d.document_id))),
];

export const times = (row: { created_at: number; expires_at: number }) => ({
  created_at: iso(row.created_at),
  expires_at: iso(row.expires_at),
});
