import type { Db } from '../../db/db.ts';
import type { AuditHeadRow } from '../../db/tables/identity.ts';
import { type AuditFields, chainText, createSignatureProof, earlierForms, GENESIS } from './rules.ts';
import { type AuditSigner, signerOf } from './signer.ts';
import { type AuditEventRow, listAuditedTenants, readChain, readHead, sha256Hex } from './store.ts';

export interface AuditVerdict {
  ok: boolean;
  /** Rows proved so far. */
  events: number;
  /** `seq` of the first row that does not fit; null when all do. */
  broken_at: number | null;
  reason: string | null;
  /** Rows that the platform's key has signed; those before the first of them are chained alone. */
  signed: number;
}

/** What the chain is held against. */
export interface VerifyOptions {
  /** Null: only the chain of hashes is proved. */
  signer: AuditSigner | null;
  /** All chains of this platform have been signed once: one that is not is not its own. */
  began?: boolean;
  /** Told the hash of each row. */
  onRow?(hash: string): void;
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

const fits = (row: AuditEventRow, previous: string): boolean => {
  const fields = fieldsOf(row);
  if (row.hash === sha256Hex(chainText(previous, fields))) return true;
  for (const form of earlierForms(fields)) if (row.hash === sha256Hex(chainText(previous, form))) return true;
  return false;
};

/** Columns of SQLite hold what is put into them, whatever their type. */
const isOfTypes = (row: AuditEventRow): boolean =>
  typeof row.created_at === 'number' &&
  [row.id, row.actor_type, row.action, row.outcome, row.details, row.previous_hash, row.hash].every(
    (value) => typeof value === 'string',
  ) &&
  [row.actor_id, row.target_type, row.target_id, row.request_id, row.address, row.mac].every(
    (value) => typeof value === 'string' || value === null || value === undefined,
  );

const faultOf = (row: AuditEventRow, seq: number, previous: string): string | null => {
  if (row.seq !== seq) return 'a row is missing';
  if (!isOfTypes(row)) return 'the row was changed';
  if (row.previous_hash !== previous) return 'the row does not follow the one before';
  return fits(row, previous) ? null : 'the row was changed';
};

const signatureOf = (row: AuditEventRow, signer: AuditSigner | null) => ({
  seq: row.seq,
  action: row.action,
  details: row.details,
  key: row.mac === null ? null : signerOf(row.mac),
  check:
    row.mac === null || signer === null
      ? null
      : signer.check('mac', row.mac, { tenantId: row.tenant_id, seq: row.seq, hash: row.hash }),
});

/** What is wrong with the end of a chain whose rows fit, or null. */
const endFault = (
  head: AuditHeadRow | undefined,
  end: { seq: number; atHead: string; signed: number; unproved: number | null },
  options: VerifyOptions,
): { at: number; reason: string } | null => {
  const { seq } = end;
  if (seq < (head?.seq ?? 0)) return { at: seq + 1, reason: 'rows are missing at the end' };
  if (head === undefined && seq > 0) return { at: seq, reason: 'the chain has no head: it was taken away' };
  if (end.atHead !== (head?.hash ?? GENESIS)) return { at: seq, reason: 'the head does not fit' };
  const { signer } = options;
  if (signer === null || head === undefined) return null;
  if (end.signed === 0)
    return options.began === true
      ? { at: seq, reason: 'no row is signed, and this platform signs all' }
      : null;
  if (end.unproved !== null)
    return {
      at: end.unproved,
      reason: 'rows are signed with a key that is not here, and nothing proves them',
    };
  const place = { tenantId: head.tenant_id, seq: head.seq, hash: head.hash };
  return typeof head.seal === 'string' && signer.check('seal', head.seal, place) === 'right'
    ? null
    : { at: seq, reason: 'the seal of the head does not fit: rows were changed, or cut off at the end' };
};

/** A number beyond all of ours makes the driver throw. */
const isUnreadable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE';

const headOf = async (db: Db, tenantId: string): Promise<AuditHeadRow | undefined> => {
  try {
    return await readHead(db.read, tenantId);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return undefined;
  }
};

/** The next rows; null where the very next cannot be read. */
const nextRows = async (db: Db, tenantId: string, seq: number | null): Promise<AuditEventRow[] | null> => {
  for (let limit = BATCH; limit >= 1; limit = Math.floor(limit / 10)) {
    try {
      return await readChain(db.read, tenantId, seq, limit);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
    }
  }
  return null;
};

/** Walks the chain of a tenant from its first row and compares its end with the head. */
export const verifyAudit = async (
  db: Db,
  tenantId: string,
  options: VerifyOptions = { signer: null },
): Promise<AuditVerdict> => {
  // The head first: rows that come while we read then only lengthen the chain beyond it.
  const head = await headOf(db, tenantId);
  const proof = createSignatureProof();
  let seq = 0;
  let previous = GENESIS;
  let atHead = GENESIS;
  const broken = (at: number, reason: string): AuditVerdict => ({
    ok: false,
    events: seq,
    broken_at: at,
    reason,
    signed: proof.end().signed,
  });
  for (;;) {
    const rows = await nextRows(db, tenantId, seq === 0 ? null : seq);
    if (rows === null) return broken(seq + 1, 'the row was changed');
    for (const row of rows) {
      const reason =
        faultOf(row, seq + 1, previous) ??
        (options.signer === null ? null : proof.look(signatureOf(row, options.signer)));
      if (reason !== null) return broken(seq + 1, reason);
      options.onRow?.(row.hash);
      seq = row.seq;
      previous = row.hash;
      if (seq === head?.seq) atHead = row.hash;
    }
    if (rows.length === 0) break;
  }
  // A first row came while we read.
  if (head === undefined && seq > 0 && (await headOf(db, tenantId)) !== undefined)
    return verifyAudit(db, tenantId, options);
  const { signed, unproved } = proof.end();
  const fault = endFault(head, { seq, atHead, signed, unproved }, options);
  if (fault !== null) return broken(fault.at, fault.reason);
  return { ok: true, events: seq, broken_at: null, reason: null, signed };
};

/** Every chain of the store: for `pentarch audit verify`. */
export const verifyAllAudits = async (
  db: Db,
  options: VerifyOptions = { signer: null },
): Promise<{ tenantId: string; verdict: AuditVerdict }[]> => {
  const results: { tenantId: string; verdict: AuditVerdict }[] = [];
  for (const tenantId of await listAuditedTenants(db.read)) {
    results.push({ tenantId, verdict: await verifyAudit(db, tenantId, options) });
  }
  return results;
};
