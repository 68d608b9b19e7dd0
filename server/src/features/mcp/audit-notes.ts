import type { Along, Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';

export interface McpAuditEntry {
  tenantId: string;
  /** Null for what the platform saw by itself. */
  userId: string | null;
  actorType: 'user' | 'service' | 'system';
  action: string;
  subject: string;
  details: Record<string, unknown>;
}

/** Writes a row of the audit chain: in the given transaction, or in one of its own. */
export type WriteAudit = (entry: McpAuditEntry, tx: Queryable | null) => Promise<void>;

/** The row of a change, for its transaction. */
export type ServerNotes = (
  caller: Caller,
  action: string,
  subject: string,
  details?: Record<string, unknown>,
) => Along;

/** Who has done it. */
export const auditedBy = (caller: Caller): Pick<McpAuditEntry, 'tenantId' | 'userId' | 'actorType'> => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  actorType: caller.type === 'service' ? 'service' : 'user',
});

export const createServerNotes =
  (audit: WriteAudit): ServerNotes =>
  (caller, action, subject, details = {}) =>
  (tx) =>
    audit({ ...auditedBy(caller), action, subject, details }, tx);
