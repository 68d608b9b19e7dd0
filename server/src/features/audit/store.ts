import { hash } from 'node:crypto';
import { compiled } from '../../db/compiled.ts';
import type { Queryable } from '../../db/db.ts';
import type { AuditEventRow, AuditHeadRow } from '../../db/tables/identity.ts';
import { type AuditFields, chainText, GENESIS } from './rules.ts';

export type { AuditEventRow };

// Counting up first locks the head on PostgreSQL, so that two writers of one tenant queue up instead of forking.
const advance = compiled<{ tenantId: string }, Pick<AuditHeadRow, 'seq' | 'hash'>>((db, p) =>
  db
    .insertInto('audit_heads')
    .values({ tenant_id: p('tenantId'), seq: 1, hash: GENESIS })
    .onConflict((c) => c.column('tenant_id').doUpdateSet((eb) => ({ seq: eb('audit_heads.seq', '+', 1) })))
    .returning(['seq', 'hash']),
);

const setHead = compiled<{ tenantId: string; hash: string }, never>((db, p) =>
  db
    .updateTable('audit_heads')
    .set({ hash: p('hash') })
    .where('tenant_id', '=', p('tenantId')),
);

const insert = compiled<AuditEventRow, never>((db, p) =>
  db.insertInto('audit_events').values({
    id: p('id'),
    tenant_id: p('tenant_id'),
    seq: p('seq'),
    actor_id: p('actor_id'),
    actor_type: p('actor_type'),
    action: p('action'),
    outcome: p('outcome'),
    target_type: p('target_type'),
    target_id: p('target_id'),
    request_id: p('request_id'),
    address: p('address'),
    details: p('details'),
    created_at: p('created_at'),
    previous_hash: p('previous_hash'),
    hash: p('hash'),
  }),
);

export const sha256Hex = (text: string): string => hash('sha256', text, 'hex');

/** Adds a row to the tenant's chain, inside the transaction of what it records. */
export const appendRow = async (tx: Queryable, event: Omit<AuditFields, 'seq'>): Promise<void> => {
  const [head] = await advance(tx, { tenantId: event.tenantId });
  if (head === undefined) throw new Error('the audit chain has no head');
  const fields = { ...event, seq: head.seq };
  const rowHash = sha256Hex(chainText(head.hash, fields));
  await insert(tx, {
    id: fields.id,
    tenant_id: fields.tenantId,
    seq: fields.seq,
    actor_id: fields.actorId,
    actor_type: fields.actorType,
    action: fields.action,
    outcome: fields.outcome,
    target_type: fields.targetType,
    target_id: fields.targetId,
    request_id: fields.requestId,
    address: fields.address,
    details: fields.details,
    created_at: fields.createdAt,
    previous_hash: head.hash,
    hash: rowHash,
  });
  await setHead(tx, { tenantId: fields.tenantId, hash: rowHash });
};
