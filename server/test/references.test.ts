import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateSession } from '../src/db/archive/load.ts';
import { NO_REFERENCES, REFERENCES, SCANNED } from '../src/db/archive/references.ts';
import { openSqliteSession, type Session } from '../src/db/archive/session.ts';
import { readShapes, type TableShape } from '../src/db/archive/shape.ts';
import { conditionOf } from '../src/db/archive/view.ts';
import { migrations } from '../src/db/migrations/index.ts';
import { req } from './requirements.ts';
import { testStores } from './support/stores.ts';

/**
 * Names of text columns that hold values: no id of a record, and no text that acts by ids within. A column that a schema step adds
 * is put here, or into one of the lists of db/archive/references.ts.
 */
const VALUES = new Set(
  `action actor_type address agent_ids attribute body call_hash category citations comment content content_type cron definition
  description details disabled_reason email email_folded embedding_model endpoint entity_type error event events execution_error
  execution_node execution_result execution_status filename fingerprint flags folded_name hash heading_path hint instruction
  instructions jwks key kind language lease level metadata missed model name name_folded outcome overlap password_hash period
  permissions preferences previous_hash previous_secret priority progress properties public_jwk purpose rating reason
  redirect_uris relation_type request_headers response_body response_headers result risk role roles scope seat secret trace_parent
  secret_hash server settings sha256 slug source source_kind state status table_head target_type text text_folded text_key tier
  timezone title tool tool_calls tool_name tool_server transport type type_folded url usage value veto visibility vote
   media_type voter_type mac seal taint consent_hash decider then_approval evidence unread_pages permission reach cancelled_reason left_out post_logout_redirect_uris folder maker_permissions patched
   auth_scheme config_id end_reason protocol secrets told
   password_permissions`.split(/\s+/),
);

let session: Session;
let shapes: TableShape[] = [];
beforeAll(async () => {
  session = openSqliteSession(':memory:', { readOnly: false });
  await migrateSession(session, migrations, null);
  shapes = await readShapes(session);
});
afterAll(() => session.close());

const ofTenants = (): TableShape[] =>
  shapes.filter((shape) => shape.name === 'jobs' || conditionOf(shape, shapes) !== null);

it(
  req(
    'OPS-11',
    'every text column of a tenant’s tables is known as a reference, a text with ids, or a value',
  ),
  () => {
    const unknown = ofTenants().flatMap(({ name, columns, texts }) =>
      columns
        .filter((column) => texts.has(column) && !VALUES.has(column))
        .filter((column) => !REFERENCES.some((one) => one.table === name && one.column === column))
        .filter((column) => SCANNED[name]?.includes(column) !== true)
        .filter((column) => NO_REFERENCES['*']?.includes(column) !== true)
        .filter((column) => NO_REFERENCES[name]?.includes(column) !== true)
        .map((column) => `${name}.${column}`),
    );
    expect(unknown).toEqual([]);
  },
);

it(
  req(
    'OPS-11',
    'every foreign key between tables of a tenant is checked, and no reference names what is not there',
  ),
  () => {
    const keys = ofTenants().flatMap(({ name, parents }) =>
      parents.map((parent) => `${name}.${parent.column} ${parent.table}`),
    );
    const checked = REFERENCES.filter((one) => one.how === 'must').map(
      (one) => `${one.table}.${one.column} ${one.to}`,
    );
    expect(keys.filter((key) => !checked.includes(key))).toEqual([]);
    for (const { table, column, to } of REFERENCES) {
      expect(shapes.find((shape) => shape.name === table)?.columns, `${table}.${column}`).toContain(column);
      expect(shapes.find((shape) => shape.name === to)?.columns, to).toContain('id');
    }
  },
);

it(req('SHARE-04', 'a tenant’s archive takes no share along: nobody reads by a link of elsewhere'), () => {
  expect(shapes.map((shape) => shape.name)).toContain('conversation_shares');
  expect(ofTenants().map((shape) => shape.name)).not.toContain('conversation_shares');
});

describe.each(testStores)('the store on $name', (engine) => {
  it(
    req(
      'OPS-11',
      'refuses a key or a message that refers to a row of another tenant, whatever code writes it',
    ),
    async () => {
      const opened = await engine.open();
      try {
        const { db } = opened;
        const tenant = {
          tier: 'free',
          status: 'active',
          settings: '{}',
          external_id: null,
          created_at: 1,
          updated_at: 1,
        };
        const user = (id: string, tenant_id: string) => ({
          id,
          tenant_id,
          type: 'person',
          email: `${id}@example.com`,
          email_folded: `${id}@example.com`,
          name: id,
          password_hash: null,
          password_permissions: null,
          claims_at: null,
          placed_by_admin: null,
          roles: '[]',
          permissions: '[]',
          tier: null,
          status: 'active',
          external_id: null,
          created_at: 1,
          updated_at: 1,
          last_seen_at: null,
        });
        await db.write(async (tx) => {
          for (const id of ['one', 'two'])
            await tx
              .insertInto('tenants')
              .values({ id, slug: id, name: id, ...tenant })
              .execute();
          for (const id of ['one', 'two'])
            await tx
              .insertInto('users')
              .values(user(`of-${id}`, id))
              .execute();
        });
        const key = (user_id: string) =>
          db.write((tx) =>
            tx
              .insertInto('api_keys')
              .values({
                id: `key-${user_id}`,
                tenant_id: 'one',
                user_id,
                kind: 'api_key',
                name: 'robot',
                hint: 'x',
                secret_hash: user_id,
                permissions: null,
                created_at: 1,
                expires_at: null,
                last_used_at: null,
                replaced_by: null,
                deleted_at: null,
              })
              .execute(),
          );
        await expect(key('of-two')).rejects.toThrow(/another tenant/);
        await key('of-one');
        await expect(
          db.write((tx) => tx.updateTable('api_keys').set({ user_id: 'of-two' }).execute()),
        ).rejects.toThrow(/another tenant/);
      } finally {
        await opened.drop();
      }
    },
  );
});
