/**
 * The mark of untrusted content (docs/security.md): what somebody else has written may hold instructions, so whoever has
 * read it asks before it acts. It belongs to the conversation, and nothing takes it off.
 */
export const TAINT_SOURCES = [
  /** Data of the request's `context`, and what a client program has told or brought along. */
  'context',
  /** Turns that a client has brought along. */
  'history',
  /** A conversation taken over from elsewhere. */
  'import',
  'documents',
  'tools',
  /** Descriptions of tools that no operator has accepted. */
  'tool_descriptions',
  /** Facts that others have shared, or that were imported. */
  'memory',
  /** The task was made by a marked run. */
  'task',
  /** Held under an earlier release, which did not say what it had read. */
  'earlier',
] as const;
export type TaintSource = (typeof TAINT_SOURCES)[number];

/** Where untrusted content came from, each source once, in the order of the list; empty: there is none. */
export type Taint = readonly TaintSource[];

export const CLEAN: Taint = [];

export const joinTaint = (...parts: readonly (Taint | undefined)[]): Taint => {
  const held = new Set(parts.flatMap((part) => part ?? []));
  return held.size === 0 ? CLEAN : TAINT_SOURCES.filter((source) => held.has(source));
};

export const isTainted = (taint: Taint): boolean => taint.length > 0;

/** As columns hold it. */
export const taintText = (taint: Taint): string => JSON.stringify(taint);

/** What `taintText` wrote. A source that a later release has added is kept as `earlier`: a mark is never lost. */
export const readTaint = (text: string): Taint => {
  const found: unknown = JSON.parse(text);
  const named = Array.isArray(found) ? found : ['earlier'];
  return joinTaint(named.map((one) => TAINT_SOURCES.find((source) => source === one) ?? 'earlier'));
};

/** What stands in a conversation. One that an earlier release has held does not say it, and has had answers. */
export const taintOfRow = (conversation: { taint: string | null; message_count: number }): Taint => {
  if (conversation.taint !== null) return readTaint(conversation.taint);
  return conversation.message_count > 0 ? ['earlier'] : [];
};
