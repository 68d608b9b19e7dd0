import { createHash } from 'node:crypto';
import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import type { Scope } from '../../kernel/caller.ts';
import { toVisibility } from './document-rows.store.ts';
import type { IndexEntry } from './passage-index.ts';
import { rolesIn } from './rules.ts';
import { COMMON_FROM, type QueryTerm, wordsOf } from './terms.rules.ts';

/**
 * The words of passages in FTS5, a table for each tenant: `bm25` reads the whole list of each word of a query to know how
 * rare it is, so that in one table a tenant paid for the passages of all others, and was ranked by their texts.
 *
 * A store of an earlier release has one table for all (`chunk_terms`). Tenants listed with `moved` 0 are ranked by it, and
 * written to both, until `move` has brought their words over.
 */

const digest = (kind: string, ...parts: string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, ...parts]))
    .digest()
    .toString('hex', 0, 16);

/** A word that no text has and no stemmer changes (none has a rule for a final x). */
const token = (kind: string, ...parts: string[]): string => `${kind}${digest(kind, ...parts)}x`;

const tenantToken = (tenantId: string): string => token('t', tenantId);

type Words = Omit<IndexEntry, 'vector'>;

const readerTokens = ({ tenantId, userId, visibility, readerRoles }: Words): string[] => {
  const tokens = [token('u', tenantId, userId)];
  if (visibility === 'tenant') tokens.push(token('s', tenantId));
  if (visibility === 'role') tokens.push(...rolesIn(readerRoles).map((role) => token('r', tenantId, role)));
  return tokens;
};

/** What of a tenant the scope reads, as a condition that ends with AND; empty for all of it. */
const readersMatch = ({ tenantId, userId, reach, roles }: Scope): string => {
  if (reach === 'tenant') return '';
  const tokens = [
    token('s', tenantId),
    token('u', tenantId, userId),
    ...(roles ?? []).map((role) => token('r', tenantId, role)),
  ];
  return `scope:(${tokens.map((t) => `"${t}"`).join(' OR ')}) AND `;
};

/** Every word is quoted: nothing of a query is ever read as syntax. What the query says twice counts twice. */
const termMatch = (term: QueryTerm): string => {
  const word = `"${term.text.replaceAll('"', '""')}"${term.prefix ? '*' : ''}`;
  return Array<string>(term.count).fill(word).join(' OR ');
};

/** Passages moved in one transaction: other writers wait that long (about 10 ms). */
const BATCH = 64;

const ALL = 'chunk_terms';
const tableOf = (n: number): string => `chunk_terms_${n}`;

interface TenantTable {
  n: number;
  moved: number;
}

const tenantTable = (db: Queryable, tenantId: string): Promise<TenantTable | undefined> =>
  db
    .selectFrom('chunk_terms_tables')
    .select(['n', 'moved'])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst();

/** `scope` holds tokens of the readers, so that access is settled inside the index; it does not rank. A word of the title counts twice. */
const makeTable = async (tx: Queryable, n: number): Promise<void> => {
  const table = tableOf(n);
  await sql`create virtual table if not exists ${sql.table(table)} using fts5(
    scope, title, body, content = '', contentless_delete = 1,
    tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"
  )`.execute(tx);
  await sql`insert into ${sql.table(table)}(${sql.ref(table)}, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(
    tx,
  );
};

const insert = async (
  tx: Queryable,
  table: string,
  scope: readonly string[],
  entry: Words,
): Promise<void> => {
  // node:sqlite binds numbers as floating point, which is no row number: hence bigint.
  await sql`insert into ${sql.table(table)}(rowid, scope, title, body)
    values (${BigInt(entry.seq)}, ${scope.join(' ')}, ${entry.titleWords}, ${entry.words})`.execute(tx);
};

const remove = async (tx: Queryable, table: string, seq: number): Promise<void> => {
  await sql`delete from ${sql.table(table)} where rowid = ${BigInt(seq)}`.execute(tx);
};

export const createSqliteWords = (db: Db) => {
  const ensure = async (tx: Queryable, tenantId: string): Promise<TenantTable> => {
    const known = await tenantTable(tx, tenantId);
    if (known !== undefined) {
      if (known.moved === 0) await makeTable(tx, known.n);
      return known;
    }
    const { last } = await tx
      .selectFrom('chunk_terms_tables')
      .select((w) => w.fn.max('n').as('last'))
      .executeTakeFirstOrThrow();
    const made = { n: Number(last ?? 0) + 1, moved: 1 };
    await tx
      .insertInto('chunk_terms_tables')
      .values({ tenant_id: tenantId, ...made })
      .execute();
    await makeTable(tx, made.n);
    return made;
  };

  const add = async (tx: Queryable, entry: Words): Promise<void> => {
    const { n, moved } = await ensure(tx, entry.tenantId);
    const readers = readerTokens(entry);
    await insert(tx, tableOf(n), readers, entry);
    if (moved === 0) await insert(tx, ALL, [tenantToken(entry.tenantId), ...readers], entry);
  };

  const take = async (tx: Queryable, tenantId: string, seq: number): Promise<void> => {
    const table = await tenantTable(tx, tenantId);
    if (table === undefined) return;
    if (table.moved === 0) {
      await makeTable(tx, table.n);
      await remove(tx, ALL, seq);
    }
    await remove(tx, tableOf(table.n), seq);
  };

  /** Moves up to a batch of the passages after `after`; the last of them, or null when the tenant's are all over. */
  const moveSome = (tenantId: string, n: number, after: number): Promise<number | null> =>
    db.write(async (tx) => {
      if (after === 0) await makeTable(tx, n);
      const rows = await tx
        .selectFrom('chunks')
        .innerJoin('documents', 'documents.id', 'chunks.document_id')
        .select(['chunks.seq', 'chunks.heading_path', 'chunks.table_head', 'chunks.text'])
        .select(['documents.user_id', 'documents.visibility', 'documents.reader_roles'])
        .where('chunks.tenant_id', '=', tenantId)
        .where('chunks.seq', '>', after)
        .orderBy('chunks.seq')
        .limit(BATCH)
        .execute();
      for (const row of rows) {
        const { rows: there } = await sql`select 1 from ${sql.table(tableOf(n))} where rowid = ${BigInt(
          row.seq,
        )}`.execute(tx);
        if (there.length > 0) continue;
        const headingPath: string[] = JSON.parse(row.heading_path);
        const entry: Words = {
          seq: row.seq,
          tenantId,
          userId: row.user_id,
          visibility: toVisibility(row.visibility),
          readerRoles: row.reader_roles,
          ...wordsOf({ headingPath, text: row.text, tableHead: row.table_head }),
        };
        await insert(tx, tableOf(n), readerTokens(entry), entry);
      }
      const last = rows.at(-1)?.seq ?? null;
      if (last === null) {
        await tx
          .updateTable('chunk_terms_tables')
          .set({ moved: 1 })
          .where('tenant_id', '=', tenantId)
          .execute();
      }
      return last;
    });

  return {
    add,

    /** Who may read a passage has changed. */
    async share(tx: Queryable, entry: Words): Promise<void> {
      await take(tx, entry.tenantId, entry.seq);
      await add(tx, entry);
    },

    /** To be called while the chunks still stand in their table. */
    async remove(tx: Queryable, seqs: readonly number[]): Promise<void> {
      const rows = await tx
        .selectFrom('chunks')
        .select(['seq', 'tenant_id'])
        .where('seq', 'in', [...seqs])
        .execute();
      for (const row of rows) await take(tx, row.tenant_id, row.seq);
    },

    /**
     * The ranking as a statement that gives `seq` and `document_id`, best first; null where the tenant has no passage.
     * `narrowed`: further conditions on `rowid`, each beginning with AND.
     */
    async ranking(
      scope: Scope,
      terms: readonly QueryTerm[],
      narrowed: RawBuilder<unknown>,
      depth: number,
    ): Promise<CompiledQuery | null> {
      const own = await tenantTable(db.read, scope.tenantId);
      if (own === undefined) return null;
      const readers = readersMatch(scope);
      const name = own.moved === 1 ? tableOf(own.n) : ALL;
      const table = sql.table(name);
      const matching = (match: RawBuilder<unknown>): RawBuilder<unknown> =>
        sql`select r.seq, c.document_id from (
          select rowid as seq, rank as place from ${table} where ${sql.ref(name)} match ${match} ${narrowed}
          order by rank limit ${BigInt(depth)}
        ) r join chunks c on c.seq = r.seq order by r.place`;
      if (own.moved === 0) {
        const tenant = readers === '' ? `scope:"${tenantToken(scope.tenantId)}" AND ` : readers;
        return matching(sql`${`${tenant}(${terms.map(termMatch).join(' OR ')})`}`).compile(db.read);
      }
      // Words need no column filter, which doubles the time: a word that is a token finds only what the scope has anyway.
      // One that over half of the passages have weighs nothing in BM25 and takes most of its time: where there are many
      // passages it is left out, but for the rarest word that there is.
      const asked = sql.join(terms.map((term) => sql`(${termMatch(term)})`));
      return sql`with asked (word) as materialized (values ${asked}),
        counted (word, often) as materialized (
          select word, (select count(*) from ${table} where ${sql.ref(name)} match word) from asked
        )
        ${matching(sql`(select ${readers} || '(' || group_concat(word, ' OR ') || ')' from counted
          where often <= max(${COMMON_FROM}, (select count(*) / 2 from ${sql.table(`${name}_docsize`)}))
          or often = (select min(often) from counted where often > 0))`)}`.compile(db.read);
    },

    /** Brings over what an earlier release kept in one table; `stopped` ends it early, and the next start goes on. */
    async move(stopped: () => boolean): Promise<void> {
      const waiting = await db.read
        .selectFrom('chunk_terms_tables')
        .select(['tenant_id', 'n'])
        .where('moved', '=', 0)
        .execute();
      for (const { tenant_id, n } of waiting) {
        for (let after: number | null = 0; after !== null; ) {
          if (stopped()) return;
          after = await moveSome(tenant_id, n, after);
        }
      }
      await db.write(async (tx) => {
        await sql`drop table if exists chunk_terms`.execute(tx);
      });
    },
  };
};
