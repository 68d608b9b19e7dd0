import { hash } from 'node:crypto';
import { compiled } from '../../db/compiled.ts';
import type { Queryable } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { AuditEventRow, AuditHeadRow } from '../../db/tables/identity.ts';
import { newId } from '../../kernel/ids.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { storableDeep } from '../../kernel/storable.ts';
import { type AuditFields, chainText, GENESIS, type HeadState } from './rules.ts';
import { type AuditSigner, signerOf } from './signer.ts';

export type { AuditEventRow };

// Counting up first locks the head on PostgreSQL, so that two writers of one tenant queue up instead of forking.
const advance = compiled<{ tenantId: string }, Pick<AuditHeadRow, 'seq' | 'hash' | 'seal'>>((db, p) =>
  db
    .insertInto('audit_heads')
    .values({ tenant_id: p('tenantId'), seq: 1, hash: GENESIS })
    .onConflict((c) => c.column('tenant_id').doUpdateSet((eb) => ({ seq: eb('audit_heads.seq', '+', 1) })))
    .returning(['seq', 'hash', 'seal']),
);

/** A seq beyond all numbers, or of another type, is no place to go on from. */
const MAX_SEQ = Number.MAX_SAFE_INTEGER - 10;

const newestRow = (
  tx: Queryable,
  tenantId: string,
): Promise<Pick<AuditEventRow, 'seq' | 'hash'> | undefined> =>
  tx
    .selectFrom('audit_events')
    .select(['seq', 'hash'])
    .where('tenant_id', '=', tenantId)
    .where('seq', '>', 0)
    .where('seq', '<=', MAX_SEQ)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();

const setHead = compiled<{ tenantId: string; seq: number; hash: string; seal: string | null }, never>(
  (db, p) =>
    db
      .updateTable('audit_heads')
      .set({ seq: p('seq'), hash: p('hash'), seal: p('seal') })
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
    mac: p('mac'),
  }),
);

export const sha256Hex = (text: string): string => hash('sha256', text, 'hex');

type Event = Omit<AuditFields, 'seq'>;
interface Link {
  seq: number;
  hash: string;
  seal: string | null;
}

const writeRow = async (
  tx: Queryable,
  event: Event,
  before: Link,
  signer: AuditSigner | null,
): Promise<Link> => {
  // What is hashed is what is stored.
  const fields = storableDeep({ ...event, seq: before.seq + 1 });
  const rowHash = sha256Hex(chainText(before.hash, fields));
  const signed = signer?.sign({ tenantId: fields.tenantId, seq: fields.seq, hash: rowHash });
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
    previous_hash: before.hash,
    hash: rowHash,
    mac: signed?.mac ?? null,
  });
  return { seq: fields.seq, hash: rowHash, seal: signed?.seal ?? null };
};

export interface AppendOptions {
  /** Null: rows are chained and not signed. */
  signer: AuditSigner | null;
  /** What this process last wrote, by tenant: a head that is equal needs no proof. */
  last: Map<string, string>;
  /** The row that has to stand before the event, since the head is not as this platform left it; null for none. */
  mark(head: { seal: string | null; state: HeadState }): Pick<Event, 'action' | 'outcome' | 'details'> | null;
}

const MAX_KNOWN_HEADS = 10_000;

/** The head as it stands before the next row, locked on PostgreSQL; with the newest row instead where it lags behind the rows. */
const takeHead = async (
  tx: Queryable,
  tenantId: string,
  { signer, last }: Pick<AppendOptions, 'signer' | 'last'>,
): Promise<{ head: Link; state: HeadState }> => {
  const [advanced] = await advance(tx, { tenantId });
  if (advanced === undefined) throw new Error('the audit chain has no head');
  const head: Link = { ...advanced, seq: advanced.seq - 1 };
  if (head.seq > 0) {
    if (head.seal !== null && last.get(tenantId) === head.hash + head.seal) return { head, state: 'right' };
    const state = signer === null ? 'right' : headState(signer, { tenant_id: tenantId, ...head });
    if (state === 'right') return { head, state };
    const newest = await newestRow(tx, tenantId);
    if (newest === undefined || newest.seq <= head.seq) return { head, state };
    return { head: { ...newest, seal: head.seal }, state: 'missing' };
  }
  const newest = await newestRow(tx, tenantId);
  return newest === undefined
    ? { head: { seq: 0, hash: GENESIS, seal: null }, state: 'right' }
    : { head: { ...newest, seal: null }, state: 'missing' };
};

export const headState = (signer: AuditSigner, head: AuditHeadRow): HeadState => {
  // Also where a store of before has no such column.
  if (typeof head.seal !== 'string') return 'unsigned';
  const place = { tenantId: head.tenant_id, seq: head.seq, hash: head.hash };
  const state = signer.check('seal', head.seal, place);
  return state === 'right' && signerOf(head.seal) !== signer.id ? 'previous' : state;
};

/** Adds a row to the tenant's chain, inside the transaction of what it records. */
export const appendRow = async (tx: Queryable, event: Event, options: AppendOptions): Promise<void> => {
  const { tenantId } = event;
  const { signer, last } = options;
  let { head, state } = await takeHead(tx, tenantId, options);
  const mark = options.mark({ seal: head.seal, state });
  if (mark !== null) {
    const row = {
      ...event,
      id: newId(),
      actorId: null,
      actorType: 'system',
      targetType: 'audit',
      targetId: null,
    };
    head = await writeRow(tx, { ...row, requestId: null, address: null, ...mark }, head, signer);
  }
  head = await writeRow(tx, event, head, signer);
  await setHead(tx, { tenantId, ...head });
  if (head.seal === null) return;
  if (last.size >= MAX_KNOWN_HEADS) last.clear();
  last.set(tenantId, head.hash + head.seal);
};

/**
 * Writes one row alone, which says why signing begins or goes on with another key; `broken` in its place where the head is not
 * where the rows end. Only that where the event is null.
 */
export const appendMark = async (
  tx: Queryable,
  marks: { event: Event | null; broken: Event },
  signer: AuditSigner,
): Promise<void> => {
  const { tenantId } = marks.broken;
  const { head, state } = await takeHead(tx, tenantId, { signer, last: new Map() });
  const event = state === 'missing' ? marks.broken : marks.event;
  await setHead(tx, { tenantId, ...(event === null ? head : await writeRow(tx, event, head, signer)) });
};

/** Tenants with rows and no head, or one at the beginning. */
export const listHeadless = async (db: Queryable): Promise<string[]> => {
  const rows = await db
    .selectFrom('tenants')
    .leftJoin('audit_heads', (join) =>
      join.onRef('audit_heads.tenant_id', '=', 'tenants.id').on('audit_heads.seq', '>', 0),
    )
    .select('tenants.id')
    .where('audit_heads.tenant_id', 'is', null)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('audit_events')
          .select('audit_events.seq')
          .whereRef('audit_events.tenant_id', '=', 'tenants.id')
          .where('audit_events.seq', '>', 0)
          .where('audit_events.seq', '<=', MAX_SEQ),
      ),
    )
    .orderBy('tenants.id')
    .execute();
  return rows.map((row) => row.id);
};

/** Heads of all chains. */
export const listHeads = (db: Queryable): Promise<AuditHeadRow[]> =>
  db.selectFrom('audit_heads').selectAll().orderBy('tenant_id').execute();

export interface AuditFilter {
  tenantId: string;
  actor?: string | undefined;
  action?: string | undefined;
  outcome?: string | undefined;
  target?: string | undefined;
  /** Epoch ms, inclusive. */
  from?: number | undefined;
  /** Epoch ms, exclusive. */
  to?: number | undefined;
}

/** Newest first, up to `limit + 1` rows, and the number of all. */
export const listRows = async (
  db: Queryable,
  filter: AuditFilter,
  page: PageRequest,
): Promise<{ rows: AuditEventRow[]; total: number }> => {
  let matching = db.selectFrom('audit_events').where('tenant_id', '=', filter.tenantId);
  const { actor, action, outcome, target, from, to } = filter;
  if (actor !== undefined) matching = matching.where('actor_id', '=', actor);
  if (outcome !== undefined) matching = matching.where('outcome', '=', outcome);
  if (target !== undefined) matching = matching.where('target_id', '=', target);
  if (from !== undefined) matching = matching.where('created_at', '>=', from);
  if (to !== undefined) matching = matching.where('created_at', '<', to);
  if (action !== undefined) {
    matching = matching.where((eb) =>
      eb.or([
        eb('action', '=', action),
        // `session` finds `session.created`: everything between "session." and the next character, "/".
        eb.and([eb('action', '>=', `${action}.`), eb('action', '<', `${action}/`)]),
      ]),
    );
  }
  return listPage(matching.selectAll(), page);
};

/** Rows in the order of the chain, after `seq`; null: from whatever row is the first. */
export const readChain = (
  db: Queryable,
  tenantId: string,
  seq: number | null,
  limit: number,
): Promise<AuditEventRow[]> =>
  db
    .selectFrom('audit_events')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(seq !== null, (query) => query.where('seq', '>', seq ?? 0))
    .orderBy('seq')
    .limit(limit)
    .execute();

export const readHead = (db: Queryable, tenantId: string): Promise<AuditHeadRow | undefined> =>
  db.selectFrom('audit_heads').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst();

/** Of heads and of rows: neither alone says which chains there are. */
export const listAuditedTenants = async (db: Queryable): Promise<string[]> =>
  (
    await db
      .selectFrom('audit_heads')
      .select('tenant_id')
      .union(db.selectFrom('audit_events').select('tenant_id'))
      .orderBy('tenant_id')
      .execute()
  ).map((row) => row.tenant_id);

/** How the last calls of a tool ended. */
export const toolRecord = async (
  db: Queryable,
  tenantId: string,
  tool: string,
  last: number,
): Promise<{ calls: number; failures: number }> => {
  const rows = await db
    .selectFrom('audit_events')
    .select('outcome')
    .where('tenant_id', '=', tenantId)
    .where('target_id', '=', tool)
    .where('action', '=', 'tool.called')
    .orderBy('created_at', 'desc')
    .limit(last)
    .execute();
  return { calls: rows.length, failures: rows.filter((row) => row.outcome === 'failed').length };
};
