import type { Db, Queryable } from '../db/db.ts';
import type { IdempotencyRow } from '../db/tables/http.ts';
import type { Cluster } from '../kernel/cluster.ts';
import { type ClaimResult, IDEMPOTENCY_TTL_MS, type IdempotencyStore } from './idempotency.ts';

/** Encrypts what is kept, bound to the key that `about` names: an answer may hold a secret that is shown once. */
export interface BodySeal {
  seal(plain: string, about: string): string;
  open(sealed: string, about: string): string;
}

/** What a stored answer belongs to. */
export const aboutAnswer = (row: { caller_id: string; key: string }): string =>
  `idempotency_keys.body/${row.caller_id}/${row.key}`;

/** How often a key may be freed in the middle before it counts as taken. */
const CLAIM_TRIES = 5;

const PLAIN: BodySeal = { seal: (text) => text, open: (text) => text };

/** Drops keys taken before `before`, at most `limit`; how many there were. */
export const dropKeysTakenBefore = async (tx: Queryable, before: number, limit: number): Promise<number> => {
  const old = tx
    .selectFrom('idempotency_keys')
    .select(['caller_id', 'key'])
    .where('created_at', '<', before)
    .limit(limit);
  const gone = await tx
    .deleteFrom('idempotency_keys')
    .where(({ eb, refTuple }) => eb(refTuple('caller_id', 'key'), 'in', old.$asTuple('caller_id', 'key')))
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
};

/** Drops all keys of a person, whichever credential took them (`replayOwner`): erased answers are replayed to nobody. */
export const dropKeysOf = async (tx: Queryable, userId: string): Promise<number> => {
  const gone = await tx
    .deleteFrom('idempotency_keys')
    .where((w) =>
      w.or([
        w('caller_id', '=', userId),
        w('caller_id', 'like', `${userId}/%`),
        w('caller_id', 'like', `${userId}+%`),
      ]),
    )
    .executeTakeFirst();
  return Number(gone.numDeletedRows);
};

/** `cluster`: whose requests these are; what a dead node was at is free again (`releaseDead`). */
export const createIdempotencyStore = (
  db: Db,
  seal: BodySeal = PLAIN,
  cluster: Cluster | null = null,
): IdempotencyStore => ({
  claim: (callerId, key, fingerprint, now) =>
    db.write(async (tx): Promise<ClaimResult> => {
      await tx
        .deleteFrom('idempotency_keys')
        .where('caller_id', '=', callerId)
        .where('key', '=', key)
        .where('created_at', '<=', now - IDEMPOTENCY_TTL_MS)
        .execute();
      let row: IdempotencyRow | undefined;
      for (let tries = 0; row === undefined && tries < CLAIM_TRIES; tries++) {
        const inserted = await tx
          .insertInto('idempotency_keys')
          .values({
            caller_id: callerId,
            key,
            fingerprint,
            state: 'running',
            created_at: now,
            node_id: cluster?.nodeId ?? null,
            run_id: null,
          })
          .onConflict((c) => c.columns(['caller_id', 'key']).doNothing())
          .executeTakeFirst();
        if (inserted.numInsertedOrUpdatedRows === 1n) return { outcome: 'claimed' };
        // Undefined where the other request has failed and freed its key since: it may be taken now.
        row = await tx
          .selectFrom('idempotency_keys')
          .selectAll()
          .where('caller_id', '=', callerId)
          .where('key', '=', key)
          .executeTakeFirst();
      }
      if (row === undefined) return { outcome: 'running', runId: null };
      if (row.fingerprint !== fingerprint) return { outcome: 'mismatch' };
      if (row.state !== 'done') return { outcome: 'running', runId: row.body };
      return {
        outcome: 'done',
        answer: {
          status: row.status ?? 200,
          headers: JSON.parse(row.headers ?? '{}') as Record<string, string>,
          body: row.body === null ? '' : seal.open(row.body, aboutAnswer(row)),
        },
      };
    }),
  async bind(tx, callerId, key, runId) {
    await tx
      .updateTable('idempotency_keys')
      .set({ body: runId, run_id: runId })
      .where('caller_id', '=', callerId)
      .where('key', '=', key)
      .where('state', '=', 'running')
      .execute();
  },
  finish: (callerId, key, answer, claimedAt) =>
    db.write(async (tx) => {
      await tx
        .updateTable('idempotency_keys')
        .set({
          state: 'done',
          status: answer.status,
          headers: JSON.stringify(answer.headers),
          body: seal.seal(answer.body, aboutAnswer({ caller_id: callerId, key })),
        })
        .where('caller_id', '=', callerId)
        .where('key', '=', key)
        .$if(claimedAt !== undefined, (q) => q.where('created_at', '=', Number(claimedAt)))
        .execute();
    }),
  release: (callerId, key, runId, claimedAt) =>
    db.write(async (tx) => {
      await tx
        .deleteFrom('idempotency_keys')
        .where('caller_id', '=', callerId)
        .where('key', '=', key)
        .where('state', '=', 'running')
        .where((w) => (runId === null ? w('body', 'is', null) : w('body', '=', runId)))
        .$if(claimedAt !== undefined, (q) => q.where('created_at', '=', Number(claimedAt)))
        .execute();
    }),
  releaseDead: (fresh) =>
    db.write(async (tx) => {
      await tx
        .deleteFrom('idempotency_keys')
        .where('state', '=', 'running')
        .where('body', 'is', null)
        .where('node_id', 'is not', null)
        .where((w) =>
          w.or([
            w('node_id', 'not in', w.selectFrom('nodes').select('nodes.id')),
            ...(fresh && cluster !== null ? [w('node_id', '=', cluster.nodeId)] : []),
          ]),
        )
        .execute();
    }),
  sweep: (now) =>
    db.write(async (tx) => {
      // Where there are no other nodes, what is still running at the start died with the last process.
      const dead = (cluster?.alone ?? db.oneWriter) ? now : now - 3_600_000;
      await tx
        .deleteFrom('idempotency_keys')
        .where((w) =>
          w.or([
            w('created_at', '<=', now - IDEMPOTENCY_TTL_MS),
            w.and([w('state', '=', 'running'), w('body', 'is', null), w('created_at', '<=', dead)]),
          ]),
        )
        .execute();
    }),
});
