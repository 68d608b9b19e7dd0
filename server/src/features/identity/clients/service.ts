import { timingSafeEqual } from 'node:crypto';
import type { Db } from '../../../db/db.ts';
import type { Caller } from '../../../kernel/caller.ts';
import { type Clock, iso } from '../../../kernel/clock.ts';
import { invalid, notFound } from '../../../kernel/errors.ts';
import { assertMayGrant, assertMayManage } from '../../../kernel/grants.ts';
import { newId } from '../../../kernel/ids.ts';
import { DEVICE_GRANT, OIDC_CLIENTS, type OidcClient } from '../../../kernel/oidc.ts';
import { type PageRequest, pageResult } from '../../../kernel/pagination.ts';
import { type Audit, actorOf } from '../../audit/index.ts';
import { findTenant } from '../../tenants/index.ts';
import { findUserOfTenant, insertUser, permissionsOfMaker, rightsOf } from '../../users/index.ts';
import { readKeySet } from '../public-keys.ts';
import { hashSecret, newSecret } from '../secrets.ts';
import type { MetadataDocuments } from './metadata-documents.ts';
import { redirectFault } from './rules.ts';
import {
  deleteClient,
  findClientRow,
  hasSignedIn,
  insertClient,
  listClients,
  type OauthClientRow,
  openSessionsOfClient,
} from './store.ts';

/** Of the service account that a confidential client acts as; columns of its row. */
const SERVICE_RIGHTS = { roles: '["user"]', permissions: '[]' };

export interface ClientsOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  /** The API's own confidential client, which may introspect and nothing else. */
  api: { id: string; secret: string };
  /** Clients that nobody registers; null where such are not taken. */
  documents: MetadataDocuments | null;
  closeSession(sessionId: string): Promise<void>;
  /** Ends the tokens of a client's service account. */
  endUser(userId: string): Promise<void>;
}

export interface NewClientInput {
  name: string;
  type: 'public' | 'confidential';
  redirect_uris?: readonly string[] | undefined;
  post_logout_redirect_uris?: readonly string[] | undefined;
  device_flow?: boolean | undefined;
  jwks?: { keys: readonly Record<string, unknown>[] } | undefined;
}

const builtIn = (id: string, name: string, more: OidcClient['grants'] = []): OidcClient => ({
  id,
  name,
  type: 'public',
  redirectUris: [],
  postLogoutRedirectUris: [],
  secretHash: null,
  jwks: null,
  firstParty: true,
  grants: ['authorization_code', 'refresh_token', ...more],
});

const parseList = (json: string | null): unknown[] => {
  const parsed: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(parsed) ? parsed : [];
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textsOf = (json: string): string[] => parseList(json).filter((uri) => typeof uri === 'string');

const toClient = (row: OauthClientRow): OidcClient => {
  const confidential = row.type === 'confidential';
  const redirectUris = textsOf(row.redirect_uris);
  const byCode = redirectUris.length > 0;
  const byDevice = row.device_flow === 1;
  return {
    id: row.id,
    name: row.name,
    type: confidential ? 'confidential' : 'public',
    redirectUris,
    postLogoutRedirectUris: textsOf(row.post_logout_redirect_uris),
    secretHash: row.secret_hash,
    jwks: row.jwks === null ? null : parseList(row.jwks).filter(isRecord),
    firstParty: false,
    grants: [
      ...(byCode ? (['authorization_code'] as const) : []),
      ...(byDevice ? ([DEVICE_GRANT] as const) : []),
      ...(byCode || byDevice ? (['refresh_token'] as const) : []),
      ...(confidential ? (['client_credentials'] as const) : []),
    ],
  };
};

const view = (row: OauthClientRow) => ({
  client_id: row.id,
  name: row.name,
  type: row.type === 'confidential' ? ('confidential' as const) : ('public' as const),
  redirect_uris: textsOf(row.redirect_uris),
  post_logout_redirect_uris: textsOf(row.post_logout_redirect_uris),
  device_flow: row.device_flow === 1,
  service_user_id: row.service_user_id,
  created_at: iso(row.created_at),
});

const assertJwks = (keys: readonly Record<string, unknown>[]): void => {
  const { faults } = readKeySet(keys);
  if (faults.length === 0) return;
  throw invalid(...faults.map(({ index, fault }) => ({ field: `/jwks/keys/${index}`, reason: fault })));
};

const assertAddresses = (field: string, uris: readonly string[]): void => {
  for (const [index, uri] of uris.entries()) {
    const reason = redirectFault(uri);
    if (reason !== null) throw invalid({ field: `/${field}/${index}`, reason });
  }
};

export const createClients = (options: ClientsOptions) => {
  const { db, clock, audit } = options;
  const own: OidcClient = {
    id: options.api.id,
    name: 'Pentarch API',
    type: 'confidential',
    redirectUris: [],
    postLogoutRedirectUris: [],
    secretHash: hashSecret(options.api.secret),
    jwks: null,
    firstParty: false,
    grants: [],
  };
  const fixed = new Map<string, OidcClient>([
    ['pentarch-console', builtIn(OIDC_CLIENTS.console, 'Pentarch console')],
    ['pentarch-cli', builtIn(OIDC_CLIENTS.cli, 'Pentarch command line', [DEVICE_GRANT])],
    [own.id, own],
  ]);

  const find = async (id: string): Promise<OidcClient | null> => {
    const known = fixed.get(id);
    if (known !== undefined) return known;
    const row = await findClientRow(db.read, id);
    if (row !== undefined) return toClient(row);
    return options.documents === null ? null : options.documents.find(id);
  };

  return {
    find,
    takesDocuments: options.documents !== null,

    /** A document that would be fetched for the first time, and by which nobody has signed in yet. */
    isNew: async (id: string): Promise<boolean> =>
      options.documents?.isNew(id) === true &&
      (await findClientRow(db.read, id)) === undefined &&
      !(await hasSignedIn(db.read, id)),

    isPublic: async (id: string): Promise<boolean> => (await find(id))?.type === 'public',

    /** The tenant that registered it, whose people alone may use it; null for those that are always there. */
    tenantOf: async (id: string): Promise<string | null> =>
      fixed.has(id) ? null : ((await findClientRow(db.read, id))?.tenant_id ?? null),

    /** The service account of a confidential client; null for others. */
    serviceUserOf: async (id: string): Promise<string | null> =>
      (await findClientRow(db.read, id))?.service_user_id ?? null,

    /** The client, if the secret is its own. The comparison takes the same time for a wrong one. */
    async authenticate(id: string, secret: string): Promise<OidcClient | null> {
      const client = await find(id);
      const given = Buffer.from(hashSecret(secret));
      const right = Buffer.from(client?.secretHash ?? hashSecret(''));
      const matches = given.length === right.length && timingSafeEqual(given, right);
      return matches && client?.secretHash ? client : null;
    },

    async list(caller: Caller, page: PageRequest) {
      const { rows, total } = await listClients(db.read, caller.tenantId, page);
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
      return { ...result, items: result.items.map(view) };
    },

    async create(caller: Caller, input: NewClientInput, requestId: string) {
      const uris = [...(input.redirect_uris ?? [])];
      const afterSignOut = [...(input.post_logout_redirect_uris ?? [])];
      assertAddresses('redirect_uris', uris);
      assertAddresses('post_logout_redirect_uris', afterSignOut);
      if (input.type === 'public' && uris.length === 0 && input.device_flow !== true) {
        throw invalid({
          field: '/redirect_uris',
          reason: 'needs an address: a public client without the device flow can do nothing else',
        });
      }
      if (input.jwks !== undefined) {
        if (input.type === 'public') throw invalid({ field: '/jwks', reason: 'is for confidential clients' });
        assertJwks(input.jwks.keys);
      }
      const confidential = input.type === 'confidential';
      // Its secret acts as the service account: whoever registers it gets hold of that account.
      if (confidential) assertMayGrant(caller, rightsOf(SERVICE_RIGHTS, ''));
      const at = clock.now();
      const id = newId();
      const secret = confidential && input.jwks === undefined ? newSecret('cls_') : null;
      const serviceUserId = confidential ? newId() : null;
      const row: OauthClientRow = {
        id,
        tenant_id: caller.tenantId,
        name: input.name,
        type: input.type,
        redirect_uris: JSON.stringify(uris),
        post_logout_redirect_uris: JSON.stringify(afterSignOut),
        device_flow: input.device_flow === true ? 1 : 0,
        secret_hash: secret === null ? null : hashSecret(secret),
        jwks: input.jwks === undefined ? null : JSON.stringify(input.jwks.keys),
        service_user_id: serviceUserId,
        created_by: caller.userId,
        created_at: at,
      };
      await db.write(async (tx) => {
        if (serviceUserId !== null) {
          const email = `${id}@clients.invalid`;
          await insertUser(tx, {
            id: serviceUserId,
            tenant_id: caller.tenantId,
            type: 'service',
            email,
            email_folded: email,
            name: input.name,
            password_hash: null,
            password_permissions: permissionsOfMaker(caller),
            ...SERVICE_RIGHTS,
            tier: null,
            status: 'active',
            external_id: null,
            created_at: at,
            updated_at: at,
            last_seen_at: null,
            claims_at: null,
            placed_by_admin: null,
          });
        }
        await insertClient(tx, row);
        await audit.append(tx, {
          ...actorOf(caller),
          action: 'oauth_client.created',
          targetType: 'oauth_client',
          targetId: id,
          requestId,
          details: { type: input.type },
        });
      });
      return { ...view(row), ...(secret === null ? {} : { client_secret: secret }) };
    },

    /** The client and everything that was fetched through it. */
    async remove(caller: Caller, id: string, requestId: string): Promise<void> {
      const row = await db.write(async (tx) => {
        const client = await findClientRow(tx, id);
        if (client?.tenant_id === caller.tenantId && client.service_user_id !== null) {
          const account = await findUserOfTenant(tx, caller.tenantId, client.service_user_id);
          const tenant = await findTenant(tx, caller.tenantId);
          // Its account ends with it.
          if (account !== undefined) assertMayManage(caller, rightsOf(account, tenant?.slug ?? ''));
        }
        const gone = await deleteClient(tx, caller.tenantId, id);
        if (gone === undefined) throw notFound('client');
        await audit.append(tx, {
          ...actorOf(caller),
          action: 'oauth_client.deleted',
          targetType: 'oauth_client',
          targetId: id,
          requestId,
        });
        return gone;
      });
      for (const sessionId of await openSessionsOfClient(db.read, id)) await options.closeSession(sessionId);
      if (row.service_user_id !== null) await options.endUser(row.service_user_id);
    },
  };
};

export type Clients = ReturnType<typeof createClients>;
