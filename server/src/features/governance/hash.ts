import { createHash } from 'node:crypto';

/** JSON with the keys of objects in order: equal values give equal texts. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  );
};

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const hashOf = (value: unknown): string => sha256(JSON.stringify(canonical(value)) ?? 'null');

/** Names a call within a conversation: the person's yes to it holds for equal ones. Null outside of conversations. */
export const consentHash = (
  owner: { conversationId: string | null; userId: string },
  tool: { server: string; name: string; origin?: string | undefined },
  args: Record<string, unknown>,
): string | null =>
  owner.conversationId === null
    ? null
    : hashOf({
        conversation: owner.conversationId,
        user: owner.userId,
        server: tool.server,
        tool: tool.name,
        origin: tool.origin,
        args,
      });

/**
 * Names one call of a run (or, outside of runs, of a person): other arguments are another call, and so is another server
 * under the same name.
 */
export const callHash = (
  owner: { runId: string | null; userId: string },
  tool: { server: string; name: string; origin?: string | undefined },
  args: Record<string, unknown>,
): string =>
  hashOf({
    run: owner.runId,
    user: owner.runId === null ? owner.userId : null,
    server: tool.server,
    tool: tool.name,
    origin: tool.origin,
    args,
  });
