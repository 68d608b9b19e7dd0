import type { Db } from '../../db/db.ts';
import { type AuditFields, chainText, GENESIS } from './rules.ts';
import { type AuditEventRow, listAuditedTenants, readChain, readHead, sha256Hex } from './store.ts';

export interface AuditVerdict {
  ok: boolean;
  /** Rows proved so far. */
  events: number;
  /** `seq` of the first row that does not fit; null when all do. */
  broken_at: number | null;
  reason: string | null;
}

const BATCH = 1000;

const fieldsOf = (row: AuditEventRow): AuditFields => ({
  id: row.id,
  tenantId: row.tenant_id,
  seq: row.seq,
  actorId: row.actor_id,
  actorType: row.actor_type,
  action: row.action,
  outcome: row.outcome,
  targetType: row.target_type,
  targetId: row.target_id,
  requestId: row.request_id,
  address: row.address,
  details: row.details,
  createdAt: row.created_at,
});

const faultOf = (row: AuditEventRow, seq: number, previous: string): string | null => {
  if (row.seq !== seq) return 'a row is missing';
  if (row.previous_hash !== previous) return 'the row does not follow the one before';
  if (row.hash !== sha256Hex(chainText(previous, fieldsOf(row)))) return 'the row was changed';
  return null;
};

/** Walks the chain of a tenant from its first row and compares its end with the head. */
export const verifyAudit = async (db: Db, tenantId: string): Promise<AuditVerdict> => {
  // The head first: rows that come while we read then only lengthen the chain beyond it.
  const head = await readHead(db.read, tenantId);
  let seq = 0;
  let previous = GENESIS;
  let atHead = GENESIS;
  for (;;) {
    const rows = await readChain(db.read, tenantId, seq, BATCH);
    for (const row of rows) {
      const reason = faultOf(row, seq + 1, previous);
      if (reason !== null) return { ok: false, events: seq, broken_at: seq + 1, reason };
      seq = row.seq;
      previous = row.hash;
      if (seq === head?.seq) atHead = row.hash;
    }
    if (rows.length < BATCH) break;
  }
  if (seq < (head?.seq ?? 0))
    return { ok: false, events: seq, broken_at: seq + 1, reason: 'rows are missing at the end' };
  if (atHead !== (head?.hash ?? GENESIS))
    return { ok: false, events: seq, broken_at: seq, reason: 'the head does not fit' };
  return { ok: true, events: seq, broken_at: null, reason: null };
};

/** Every chain of the store: for `pentarch audit verify`. */
export const verifyAllAudits = async (db: Db): Promise<{ tenantId: string; verdict: AuditVerdict }[]> => {
  const results: { tenantId: string; verdict: AuditVerdict }[] = [];
  for (const tenantId of await listAuditedTenants(db.read)) {
    results.push({ tenantId, verdict: await verifyAudit(db, tenantId) });
  }
  return results;
};
