import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { OidcAccount, OidcOrigin, OidcPorts } from '../../../kernel/oidc.ts';
import type { Audit } from '../../audit/index.ts';
import { personClaims } from '../access-tokens.ts';
import type { Clients } from '../clients/service.ts';
import { type Principal, parseRoles } from '../principal.ts';
import type { Families } from '../sessions/families.ts';
import { API_RESOURCE } from '../sessions/family-records.ts';
import type { SigningKeys } from '../signing/keys.ts';
import { findPrincipal, insertAccessToken } from '../store.ts';
import { deviceCodePage, deviceConfirmPage, deviceDonePage } from './device-pages.ts';
import { contentSecurityPolicy } from './page.ts';
import { errorPage, signedOutPage, signOutPage, stayedPage } from './pages.ts';
import {
  consumeRecord,
  destroyRecord,
  findDeviceRecord,
  findRecord,
  findRecordByUid,
  saveRecord,
  saveRecordOnce,
} from './store.ts';

export interface PortsOptions {
  db: Db;
  clock: Clock;
  keys: SigningKeys;
  clients: Clients;
  families: Families;
  audit: Audit;
  issuer: () => string;
  audience: string;
  cookieKey: string;
  accessLifeS: number;
  refreshLifeS: number;
  log: OidcPorts['log'];
}

const mayAct = (principal: Principal | undefined): principal is Principal =>
  principal !== undefined && principal.userStatus === 'active' && principal.tenantStatus === 'active';

/** What the OpenID engine needs, from the store and the rest of this feature. */
export const createPorts = (options: PortsOptions): OidcPorts => {
  const { db, clock, keys, clients, families } = options;

  const active = async (id: string): Promise<Principal | null> => {
    const principal = await findPrincipal(db.read, id);
    return mayAct(principal) ? principal : null;
  };

  /** A token of `client_credentials`: the client acts as its service account. */
  const issueToClient = async (token: {
    jti: string;
    clientId: string;
    expiresAt: number;
    origin: OidcOrigin;
  }): Promise<Record<string, unknown> | null> => {
    const userId = await clients.serviceUserOf(token.clientId);
    const principal = userId === null ? null : await active(userId);
    if (principal === null) return null;
    await db.write(async (tx) => {
      await insertAccessToken(tx, {
        jti: token.jti,
        user_id: principal.userId,
        session_id: null,
        client_id: token.clientId,
        expires_at: token.expiresAt,
        revoked_at: null,
      });
      await options.audit.append(tx, {
        tenantId: principal.tenantId,
        actorId: principal.userId,
        actorType: 'service',
        action: 'token.issued',
        requestId: token.origin.requestId,
        address: token.origin.address,
        details: { grant: 'client_credentials', client_id: token.clientId },
      });
    });
    return { sub: principal.userId, ...personClaims(principal) };
  };

  return {
    issuer: options.issuer,
    keys: () => ({ version: keys.version(), jwks: keys.all().map((key) => ({ ...key.privateJwk })) }),
    cookieKey: options.cookieKey,
    audience: options.audience,
    resource: API_RESOURCE,
    accessLifeS: options.accessLifeS,
    refreshLifeS: options.refreshLifeS,
    now: () => clock.now(),
    clientDocuments: clients.takesDocuments,

    findClient: (id) => clients.find(id),
    async findAccount(id): Promise<OidcAccount | null> {
      const principal = await active(id);
      if (principal === null) return null;
      const { userId, email, name, tenantId } = principal;
      return { id: userId, email, name, roles: parseRoles(principal.roles), orgId: tenantId };
    },

    findRecord: async (model, id) => (await findRecord(db.read, model, id, clock.now())) ?? null,
    findRecordByUid: async (model, uid) => (await findRecordByUid(db.read, model, uid, clock.now())) ?? null,
    findDeviceRecord: async (userCode) => (await findDeviceRecord(db.read, userCode, clock.now())) ?? null,
    saveRecord: (record) => db.write((tx) => saveRecord(tx, record)),
    saveRecordOnce: (record) => db.write((tx) => saveRecordOnce(tx, record)),
    consumeRecord: (model, id) => db.write((tx) => consumeRecord(tx, model, id, clock.now())),
    destroyRecord: (model, id) => db.write((tx) => destroyRecord(tx, model, id)),

    async openGrant(grant) {
      const principal = await active(grant.accountId);
      if (principal === null) throw new Error('the account may not sign in');
      return families.grant(principal, grant.clientId, grant.scope, grant.origin);
    },
    closeGrant: (grantId, reason) => families.revoke(grantId, reason, null),
    async issue(token) {
      const { accountId, grantId, jti, clientId, expiresAt, origin } = token;
      if (accountId === null) return issueToClient(token);
      const principal = await active(accountId);
      if (principal === null || grantId === null) return null;
      const open = await families.noteToken({
        jti,
        userId: accountId,
        sessionId: grantId,
        clientId,
        expiresAt,
        origin,
      });
      return open ? { sub: accountId, ...personClaims(principal) } : null;
    },

    pages: {
      error: errorPage,
      signOut: signOutPage,
      signedOut: signedOutPage,
      stayedSignedIn: stayedPage,
      deviceCode: deviceCodePage,
      deviceConfirm: deviceConfirmPage,
      deviceDone: deviceDonePage,
      contentSecurityPolicy,
    },
    log: options.log,
  };
};
