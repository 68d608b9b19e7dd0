import { sql } from 'kysely';
import { addRow, COST_SUMS_LOCK } from '../cost-sums.ts';
import type { SchemaStep } from '../migrate.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/**
 * Sums of the ledger, by quarter of an hour, day, and user. The database keeps them itself, so that a row which a node of the
 * release before writes is in them too. On PostgreSQL at the commit, when every other lock is held already: the tenant's sums
 * are what a transaction waits for last, and no two can wait for each other.
 *
 * What stands in the ledger already is summed up while the servers run (features/costs/sums.ts), tenant by tenant; until then a
 * tenant's costs are counted from rows.
 */
export const costSums: SchemaStep = {
  name: '150-cost-sums',
  async up(db, t) {
    const table = db.schema
      .createTable('cost_sums')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('part', 'text', (c) => c.notNull())
      .addColumn('starts_at', t.int, (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('agent_id', 'text', (c) => c.notNull())
      .addColumn('model', 'text', (c) => c.notNull())
      .addColumn('tool', 'text', (c) => c.notNull())
      .addColumn('requests', t.int, (c) => c.notNull())
      .addColumn('cost_nano', t.int, (c) => c.notNull())
      .addColumn('input_tokens', t.int, (c) => c.notNull())
      .addColumn('output_tokens', t.int, (c) => c.notNull())
      .addColumn('cached_input_tokens', t.int, (c) => c.notNull())
      .addColumn('beyond_estimate', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('cost_sums_key', [
        'tenant_id',
        'part',
        'starts_at',
        'user_id',
        'agent_id',
        'model',
        'tool',
      ]);
    await (t.dialect === 'sqlite' ? table.modifyEnd(sql`without rowid`) : table).execute();
    await db.schema
      .createTable('cost_sums_pending')
      .addColumn('tenant_id', 'text', (c) => c.primaryKey())
      .addColumn('next_at', t.int, (c) => c.notNull())
      .execute();
    if (t.dialect === 'sqlite') {
      await sql
        .raw(`create trigger ledger_sums after insert on ledger begin ${addRow('sqlite')}; end`)
        .execute(db);
    } else {
      await sql
        .raw(
          `create function ledger_sums() returns trigger language plpgsql as $$ begin
             perform pg_advisory_xact_lock(${COST_SUMS_LOCK}, hashtext(new.tenant_id));
             ${addRow('postgres')};
             return null;
           end $$;
           create constraint trigger ledger_sums after insert on ledger
             deferrable initially deferred for each row execute function ledger_sums()`,
        )
        .execute(db);
      await raiseWalls(db, [ofTenant('cost_sums'), ofTenant('cost_sums_pending')]);
    }
    await sql`insert into cost_sums_pending (tenant_id, next_at)
      select id, 0 from tenants where exists (select 1 from ledger where tenant_id = tenants.id)`.execute(db);
    // On PostgreSQL it is made while the servers run: a step holds no lock for as long as it reads a large table.
    const empty = (await sql`select 1 from ledger limit 1`.execute(db)).rows.length === 0;
    if (t.dialect === 'sqlite' || empty) await sql.raw(ledgerByUser('')).execute(db);
  },
};

/** `how`: `concurrently` outside of a transaction. */
export const ledgerByUser = (how: '' | 'concurrently'): string =>
  `create index ${how} if not exists ledger_by_user on ledger (tenant_id, user_id, created_at)`;
