import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import { madeAtMs } from '../../kernel/ids.ts';
import { askedBuckets, eachBucket } from './grams.rules.ts';

/** Messages in a segment; it is written once, when a person has so many more. */
const SEGMENT = 512;
const BYTES = SEGMENT / 8;
/** Buckets in a row of the store. */
const PER_PAGE = 16;
/** A message is read into a segment when no clock of a node and no transaction can bring an older one any more. */
const SETTLED_MS = 3_600_000;
/** Above this a piece of text tells so little that everything is read. */
const MAX_CANDIDATES = 8_000;
const MESSAGES_AT_ONCE = 64;

export interface SearchingPerson {
  tenantId: string;
  userId: string;
}

export interface Candidates {
  /** Messages with greater ids are in no segment. */
  upto: string;
  /** All others that may hold the text. */
  ids: string[];
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Drops a person's segments, from the first on that a message of this or a greater id is in. */
export const dropGrams = async (
  tx: Queryable,
  { tenantId, userId }: SearchingPerson,
  fromId: string,
): Promise<void> => {
  const from = await tx
    .selectFrom('message_segments')
    .select('segment')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('last_id', '>=', fromId)
    .orderBy('segment')
    .limit(1)
    .executeTakeFirst();
  if (from === undefined) return;
  for (const table of ['message_segments', 'message_grams'] as const)
    await tx
      .deleteFrom(table)
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('segment', '>=', from.segment)
      .execute();
};

/**
 * Of conversations that are about to be deleted: what is deleted leaves no trace in the index. The result is called after the
 * deletion, which waits for a segment that is being added.
 */
export const gramsOf = async (
  tx: Queryable,
  conversationIds: readonly string[],
): Promise<(tx: Queryable) => Promise<void>> => {
  const owners = await tx
    .selectFrom('messages as m')
    .innerJoin('conversations as c', 'c.id', 'm.conversation_id')
    .select((e) => ['c.tenant_id', 'c.user_id', e.fn.min('m.id').as('first')])
    .where('c.id', 'in', [...conversationIds])
    .groupBy(['c.tenant_id', 'c.user_id'])
    .execute();
  return async (after) => {
    for (const { tenant_id: tenantId, user_id: userId, first } of owners)
      await dropGrams(after, { tenantId, userId }, first);
  };
};

/** The index of a person's messages by what they hold. */
export const createGrams = (db: Db, now: () => number = Date.now) => {
  const last = async ({ tenantId, userId }: SearchingPerson) =>
    db.read
      .selectFrom('message_segments')
      .select(['segment', 'last_id'])
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .orderBy('segment', 'desc')
      .limit(1)
      .executeTakeFirst();

  /** Ids of a person's messages behind `after` that do not change any more, in order. */
  const settledIds = async ({ tenantId, userId }: SearchingPerson, after: string): Promise<string[]> => {
    const open = await db.read
      .selectFrom('runs')
      .select('message_id')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('finished_at', 'is', null)
      .execute();
    const rows = await db.read
      .selectFrom('conversations as c')
      .innerJoin('messages as m', 'm.conversation_id', 'c.id')
      .select('m.id')
      .where('c.tenant_id', '=', tenantId)
      .where('c.user_id', '=', userId)
      .where('m.id', '>', after)
      .execute();
    const ids = rows.map((row) => row.id).sort();
    const until = now() - SETTLED_MS;
    const firstOpen = open.map((row) => row.message_id).sort()[0];
    const end = ids.findIndex(
      (id) => !(madeAtMs(id) < until) || (firstOpen !== undefined && id >= firstOpen),
    );
    return end === -1 ? ids : ids.slice(0, end);
  };

  const pagesOf = async (ids: readonly string[]): Promise<Map<number, Uint8Array>> => {
    const pages = new Map<number, Uint8Array>();
    for (let from = 0; from < ids.length; from += MESSAGES_AT_ONCE) {
      const rows = await db.read
        .selectFrom('messages')
        .select(['id', 'content'])
        .where('id', 'in', ids.slice(from, from + MESSAGES_AT_ONCE))
        .execute();
      const texts = new Map(rows.map((row) => [row.id, row.content]));
      for (let n = from; n < Math.min(ids.length, from + MESSAGES_AT_ONCE); n++) {
        eachBucket(texts.get(ids[n] ?? '') ?? '', (bucket) => {
          const number = Math.floor(bucket / PER_PAGE);
          const page = pages.get(number) ?? new Uint8Array(PER_PAGE * BYTES);
          pages.set(number, page);
          const byte = (bucket % PER_PAGE) * BYTES + (n >> 3);
          page[byte] = (page[byte] ?? 0) | (1 << (n & 7));
        });
      }
      await turnOfTheLoop();
    }
    return pages;
  };

  /** False where another node was faster, or what it builds on has gone meanwhile. */
  const addSegment = async (
    person: SearchingPerson,
    segment: number,
    ids: readonly string[],
  ): Promise<boolean> => {
    const pages = await pagesOf(ids);
    const of = { tenant_id: person.tenantId, user_id: person.userId, segment };
    return db.write(async (tx) => {
      const there = await tx
        .selectFrom('message_segments')
        .select((e) => e.fn.max('segment').as('last'))
        .where('tenant_id', '=', of.tenant_id)
        .where('user_id', '=', of.user_id)
        .executeTakeFirst();
      if (Number(there?.last ?? -1) !== segment - 1) return false;
      // A message that was deleted while it was read must not be left in the bits.
      const standing = tx
        .selectFrom('messages')
        .select('id')
        .where('id', 'in', [...ids]);
      const held = db.dialect === 'sqlite' ? standing : standing.forKeyShare().skipLocked();
      if ((await held.execute()).length !== ids.length) return false;
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('message_segments')
        .values({ ...of, last_id: ids.at(-1) ?? '', ids: ids.join('\n') })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst();
      if (Number(numInsertedOrUpdatedRows) !== 1) return false;
      await tx
        .insertInto('message_grams')
        .values([...pages].map(([page, bits]) => ({ ...of, page, bits })))
        .execute();
      return true;
    });
  };

  /** The bits of a bucket by segment, all at once. */
  const bitsOf = async (
    { tenantId, userId }: SearchingPerson,
    bucket: number,
  ): Promise<Map<number, Uint8Array>> => {
    const { rows } = await sql<{ segment: number; bits: Uint8Array }>`
      select segment, substr(bits, ${sql.lit((bucket % PER_PAGE) * BYTES + 1)}, ${sql.lit(BYTES)}) as bits from message_grams
      where tenant_id = ${tenantId} and user_id = ${userId} and page = ${Math.floor(bucket / PER_PAGE)}`.execute(
      db.read,
    );
    return new Map(rows.map((row) => [Number(row.segment), row.bits]));
  };

  const idsAt = async ({ tenantId, userId }: SearchingPerson, found: ReadonlyMap<number, Uint8Array>) => {
    if (found.size === 0) return [];
    const rows = await db.read
      .selectFrom('message_segments')
      .select(['segment', 'ids'])
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('segment', 'in', [...found.keys()])
      .execute();
    return rows.flatMap(({ segment, ids }) => {
      const bits = found.get(Number(segment));
      return ids.split('\n').filter((_, n) => ((bits?.[n >> 3] ?? 0) >> (n & 7)) & 1);
    });
  };

  return {
    /** Null: everything is to be read. */
    async candidates(person: SearchingPerson, piece: string): Promise<Candidates | null> {
      const buckets = askedBuckets(piece);
      if (buckets.length === 0) return null;
      const end = await last(person);
      if (end === undefined) return null;
      const each = await Promise.all(buckets.map((bucket) => bitsOf(person, bucket)));
      const found = new Map<number, Uint8Array>();
      let many = 0;
      for (const [segment, first] of each[0] ?? []) {
        const all = Uint8Array.from(first, (byte, n) =>
          each.reduce((bits, of) => bits & (of.get(segment)?.[n] ?? 0), byte),
        );
        const count = all.reduce((sum, byte) => sum + bitCount(byte), 0);
        if (count > 0) found.set(segment, all);
        many += count;
      }
      if (many > MAX_CANDIDATES) return null;
      return { upto: end.last_id, ids: await idsAt(person, found) };
    },

    /** Takes in what has come since, whole segments at a time; how many. */
    async catchUp(person: SearchingPerson, stop: AbortSignal): Promise<number> {
      const end = await last(person);
      let segment = end === undefined ? 0 : Number(end.segment) + 1;
      const ids = await settledIds(person, end?.last_id ?? '');
      let added = 0;
      for (let from = 0; from + SEGMENT <= ids.length && !stop.aborted; from += SEGMENT) {
        if (!(await addSegment(person, segment, ids.slice(from, from + SEGMENT)))) break;
        segment += 1;
        added += 1;
      }
      return added;
    },
  };
};

const bitCount = (byte: number): number => {
  let count = 0;
  for (let rest = byte; rest > 0; rest &= rest - 1) count += 1;
  return count;
};
