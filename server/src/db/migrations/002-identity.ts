import { type Kysely, sql } from 'kysely';
import type { DialectName } from '../db.ts';
import type { SchemaStep } from '../migrate.ts';

/** Rows of the audit cannot be changed or deleted by any statement of this process. */
const protectAudit = async (db: Kysely<unknown>, dialect: DialectName): Promise<void> => {
  if (dialect === 'sqlite') {
    for (const verb of ['update', 'delete']) {
      await sql`${sql.raw(
        `create trigger audit_events_no_${verb} before ${verb} on audit_events begin select raise(abort, 'audit rows are append-only'); end`,
      )}`.execute(db);
    }
    return;
  }
  await sql`create function audit_events_append_only() returns trigger language plpgsql as
    $$ begin raise exception 'audit rows are append-only'; end $$`.execute(db);
  await sql`create trigger audit_events_append_only before update or delete on audit_events
    for each row execute function audit_events_append_only()`.execute(db);
};

export const identity: SchemaStep = {
  name: '002-identity',
  async up(db, t) {
    await db.schema
      .createTable('signing_keys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('public_jwk', 'text', (c) => c.notNull())
      .addColumn('private_sealed', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('retired_at', t.int)
      .execute();

    // A sign-in: the family of tokens that one authorization gave rise to. Its id is the grant id of the provider.
    await db.schema
      .createTable('sessions')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
      .addColumn('client_id', 'text', (c) => c.notNull())
      .addColumn('address', 'text')
      .addColumn('user_agent', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('last_used_at', t.int, (c) => c.notNull())
      .addColumn('expires_at', t.int, (c) => c.notNull())
      .addColumn('revoked_at', t.int)
      .execute();
    await db.schema
      .createIndex('sessions_by_user')
      .on('sessions')
      .columns(['user_id', 'created_at', 'id'])
      .execute();

    // One row for each access token given out, so that a token without a session claim can be revoked.
    await db.schema
      .createTable('access_tokens')
      .addColumn('jti', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
      .addColumn('session_id', 'text')
      .addColumn('client_id', 'text', (c) => c.notNull())
      .addColumn('expires_at', t.int, (c) => c.notNull())
      .addColumn('revoked_at', t.int)
      .execute();
    await db.schema
      .createIndex('access_tokens_by_session')
      .on('access_tokens')
      .column('session_id')
      .execute();
    await db.schema.createIndex('access_tokens_age').on('access_tokens').column('expires_at').execute();

    // State of the OpenID provider. Ids that are secrets (codes, refresh tokens) are kept as hashes.
    await db.schema
      .createTable('oidc_records')
      .addColumn('model', 'text', (c) => c.notNull())
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('grant_id', 'text')
      .addColumn('uid', 'text')
      .addColumn('account_id', 'text')
      .addColumn('consumed_at', t.int)
      .addColumn('expires_at', t.int)
      .addPrimaryKeyConstraint('oidc_records_key', ['model', 'id'])
      .execute();
    await db.schema.createIndex('oidc_records_by_grant').on('oidc_records').column('grant_id').execute();
    await db.schema.createIndex('oidc_records_by_uid').on('oidc_records').columns(['model', 'uid']).execute();
    await db.schema.createIndex('oidc_records_by_account').on('oidc_records').column('account_id').execute();
    await db.schema.createIndex('oidc_records_age').on('oidc_records').column('expires_at').execute();

    await db.schema
      .createTable('oauth_clients')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('redirect_uris', 'text', (c) => c.notNull())
      .addColumn('secret_hash', 'text')
      .addColumn('jwks', 'text')
      .addColumn('service_user_id', 'text')
      .addColumn('created_by', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('oauth_clients_by_tenant')
      .on('oauth_clients')
      .columns(['tenant_id', 'created_at', 'id'])
      .execute();

    // API keys and personal access tokens; the secret itself is not kept.
    await db.schema
      .createTable('api_keys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('hint', 'text', (c) => c.notNull())
      .addColumn('secret_hash', 'text', (c) => c.notNull().unique())
      .addColumn('permissions', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('expires_at', t.int)
      .addColumn('last_used_at', t.int)
      .execute();
    await db.schema
      .createIndex('api_keys_by_user')
      .on('api_keys')
      .columns(['user_id', 'kind', 'created_at', 'id'])
      .execute();

    await db.schema
      .createTable('machine_keys')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
      .addColumn('public_jwk', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('expires_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('machine_keys_by_user')
      .on('machine_keys')
      .columns(['user_id', 'created_at', 'id'])
      .execute();

    // Links of invitation and password reset: used once.
    await db.schema
      .createTable('one_time_links')
      .addColumn('secret_hash', 'text', (c) => c.primaryKey())
      .addColumn('user_id', 'text', (c) => c.notNull().references('users.id'))
      .addColumn('purpose', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('expires_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema.createIndex('one_time_links_by_user').on('one_time_links').column('user_id').execute();

    // Times of failed sign-ins by account, for the lockout.
    await db.schema
      .createTable('login_failures')
      .addColumn('account', 'text', (c) => c.primaryKey())
      .addColumn('times', 'text', (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .execute();

    // Append-only; a chain for each tenant, whose head is kept apart so that a cut tail shows.
    await db.schema
      .createTable('audit_events')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('seq', t.int, (c) => c.notNull())
      .addColumn('actor_id', 'text')
      .addColumn('actor_type', 'text', (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('outcome', 'text', (c) => c.notNull())
      .addColumn('target_type', 'text')
      .addColumn('target_id', 'text')
      .addColumn('request_id', 'text')
      .addColumn('address', 'text')
      .addColumn('details', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('previous_hash', 'text', (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('audit_events_chain')
      .unique()
      .on('audit_events')
      .columns(['tenant_id', 'seq'])
      .execute();
    await protectAudit(db, t.dialect);
    await db.schema
      .createTable('audit_heads')
      .addColumn('tenant_id', 'text', (c) => c.primaryKey())
      .addColumn('seq', t.int, (c) => c.notNull())
      .addColumn('hash', 'text', (c) => c.notNull())
      .execute();
  },
};
