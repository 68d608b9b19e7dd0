import type { Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { type KEY_CHANGED, markOf, SEAL_BROKEN, type SIGNING_BEGAN } from './rules.ts';
import type { AuditSigner } from './signer.ts';
import { appendMark, appendRow } from './store.ts';

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

export interface AuditSigning {
  signer: AuditSigner;
  /** Whether all chains of this platform have been signed once. */
  began(): boolean;
  /** A chain is not as this platform left it. */
  onBroken?(tenantId: string): void;
}

/** Without `signing`, rows are chained and not signed: for tests. */
export const createAudit = (clock: Clock, signing: AuditSigning | null = null): Audit => {
  const last = new Map<string, string>();
  return {
    append: (tx, event) =>
      appendRow(tx, rowOf(event, clock.now()), {
        signer: signing?.signer ?? null,
        last,
        mark(head) {
          const mark = markOf(head, signing?.began() ?? false);
          if (mark?.action === SEAL_BROKEN) signing?.onBroken?.(event.tenantId);
          return mark;
        },
      }),
  };
};

const rowOf = (event: AuditEvent, now: number) => ({
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
  createdAt: now,
});

const brokenRow = (tenantId: string, now: number) =>
  rowOf(
    {
      tenantId,
      actorId: null,
      actorType: 'system',
      targetType: 'audit',
      action: SEAL_BROKEN,
      outcome: 'failed',
      details: { reason: 'head' },
    },
    now,
  );

/** A row of the platform itself that says from where on a chain is signed, and by whose word. */
export const noteSigning = (
  tx: Queryable,
  clock: Clock,
  signer: AuditSigner,
  mark: {
    tenantId: string;
    action: typeof SIGNING_BEGAN | typeof KEY_CHANGED;
    details: Record<string, unknown>;
  },
): Promise<void> => {
  const event = rowOf({ actorId: null, actorType: 'system', targetType: 'audit', ...mark }, clock.now());
  return appendMark(tx, { event, broken: brokenRow(mark.tenantId, clock.now()) }, signer);
};

/** Makes the head anew of a chain that has none, behind a row that says so; nothing where another node has done it. */
export const noteMissingHead = (
  tx: Queryable,
  clock: Clock,
  signer: AuditSigner,
  tenantId: string,
): Promise<void> => appendMark(tx, { event: null, broken: brokenRow(tenantId, clock.now()) }, signer);
