import type { Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { appendRow } from './store.ts';

/** One thing that happened, for the chain. `details` must hold no secret and no content of a person. */
export interface AuditEvent {
  tenantId: string;
  /** Null where nobody is known yet (a refused sign-in). */
  actorId: string | null;
  actorType: 'user' | 'service' | 'agent' | 'system';
  /** `<resource>.<what happened>`: `session.created`, `proposal.voted`. */
  action: string;
  outcome?: 'success' | 'refused' | 'failed';
  targetType?: string | null;
  targetId?: string | null;
  requestId?: string | null;
  address?: string | null;
  details?: Record<string, unknown>;
}

/** Who acts, for an event of a signed-in caller. */
export const actorOf = (
  caller: Pick<Caller, 'tenantId' | 'userId' | 'type'>,
): Pick<AuditEvent, 'tenantId' | 'actorId' | 'actorType'> => ({
  tenantId: caller.tenantId,
  actorId: caller.userId,
  actorType: caller.type === 'service' ? 'service' : 'user',
});

export interface Audit {
  /** Appends inside the transaction of what it records: both are there, or neither. */
  append(tx: Queryable, event: AuditEvent): Promise<void>;
}

export const createAudit = (clock: Clock): Audit => ({
  append: (tx, event) =>
    appendRow(tx, {
      id: newId(),
      tenantId: event.tenantId,
      actorId: event.actorId,
      actorType: event.actorType,
      action: event.action,
      outcome: event.outcome ?? 'success',
      targetType: event.targetType ?? null,
      targetId: event.targetId ?? null,
      requestId: event.requestId ?? null,
      address: event.address ?? null,
      details: JSON.stringify(event.details ?? {}),
      createdAt: clock.now(),
    }),
});
