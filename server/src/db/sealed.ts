import { sql } from 'kysely';
import type { Queryable } from './db.ts';

/** Where the store holds values that are sealed with keys from outside of it, and how many times it is read for them. */
export interface SealedPlace {
  table: 'signing_keys' | 'webhooks' | 'a2a_push_configs' | 'mcp_servers' | 'mcp_oauth' | 'idempotency_keys';
  column: string;
  key: readonly string[];
}

export const SEALED_PLACES: readonly SealedPlace[] = [
  { table: 'signing_keys', column: 'private_sealed', key: ['id'] },
  { table: 'webhooks', column: 'secret', key: ['tenant_id', 'id'] },
  { table: 'webhooks', column: 'previous_secret', key: ['tenant_id', 'id'] },
  { table: 'a2a_push_configs', column: 'secrets', key: ['tenant_id', 'id'] },
  { table: 'mcp_servers', column: 'endpoint', key: ['tenant_id', 'id'] },
  { table: 'mcp_oauth', column: 'state', key: ['tenant_id', 'server'] },
  { table: 'idempotency_keys', column: 'body', key: ['caller_id', 'key'] },
];

export interface SealedValue {
  place: SealedPlace;
  /** The columns of the key, and `transport` of a server. */
  row: Record<string, string>;
  sealed: string;
}

const narrowed = ({ table, column }: SealedPlace) =>
  table === 'idempotency_keys'
    ? sql`${sql.ref(column)} is not null and state = 'done'`
    : sql`${sql.ref(column)} is not null`;

/** `limit`: null for all. Newest first where rows have a time. */
export const sealedValues = async (
  db: Queryable,
  place: SealedPlace,
  limit: number | null,
): Promise<SealedValue[]> => {
  const more = place.table === 'mcp_servers' ? ['transport'] : [];
  const columns = sql.join([...place.key, ...more, place.column].map((name) => sql.ref(name)));
  const order = place.table === 'mcp_oauth' ? 'updated_at' : 'created_at';
  const { rows } = await sql<Record<string, string>>`select ${columns} from ${sql.table(place.table)}
    where ${narrowed(place)} order by ${sql.ref(order)} desc ${limit === null ? sql`` : sql`limit ${sql.lit(limit)}`}`.execute(
    db,
  );
  return rows.map((row) => ({ place, row, sealed: row[place.column] ?? '' }));
};

const whereIs = ({ place, row, sealed }: SealedValue) =>
  sql.join(
    [
      ...place.key.map((name) => sql`${sql.ref(name)} = ${row[name]}`),
      sql`${sql.ref(place.column)} = ${sealed}`,
    ],
    sql` and `,
  );

/** Only where it still is what was read: a running server may have changed it. */
export const replaceSealed = async (
  tx: Queryable,
  value: SealedValue,
  changes: Record<string, string | number | null>,
): Promise<void> => {
  const sets = sql.join(Object.entries(changes).map(([name, to]) => sql`${sql.ref(name)} = ${to}`));
  await sql`update ${sql.table(value.place.table)} set ${sets} where ${whereIs(value)}`.execute(tx);
};

export const dropSealed = async (tx: Queryable, value: SealedValue): Promise<void> => {
  await sql`delete from ${sql.table(value.place.table)} where ${whereIs(value)}`.execute(tx);
};

/** All that keys which are lost have signed: nobody is signed in any more. API keys are hashed and go on. */
export const voidSignIns = async (tx: Queryable, at: number): Promise<void> => {
  await sql`delete from signing_keys`.execute(tx);
  await sql`delete from access_tokens`.execute(tx);
  await sql`delete from oidc_records`.execute(tx);
  await sql`update sessions set revoked_at = ${at} where revoked_at is null`.execute(tx);
};

/** What the nodes of a database hold each other's keys against; the next start says it anew. */
export const forgetKeysFact = async (tx: Queryable): Promise<void> => {
  await sql`delete from platform where name = 'keys'`.execute(tx);
};
