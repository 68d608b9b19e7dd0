/**
 * What an audit row proves: its fields in a fixed order, chained to the row before. A changed, removed, inserted or
 * reordered row breaks the chain from there on; the head kept apart shows a cut tail.
 */
export interface AuditFields {
  id: string;
  tenantId: string;
  seq: number;
  actorId: string | null;
  actorType: string;
  action: string;
  outcome: string;
  targetType: string | null;
  targetId: string | null;
  requestId: string | null;
  address: string | null;
  /** JSON text as stored. */
  details: string;
  createdAt: number;
}

/** Hash that the first row of a chain names as its predecessor. */
export const GENESIS = '0'.repeat(64);

/** The text whose SHA-256 is the row's hash. */
export const chainText = (previousHash: string, row: AuditFields): string =>
  JSON.stringify([
    previousHash,
    row.id,
    row.tenantId,
    row.seq,
    row.actorId,
    row.actorType,
    row.action,
    row.outcome,
    row.targetType,
    row.targetId,
    row.requestId,
    row.address,
    row.details,
    row.createdAt,
  ]);
