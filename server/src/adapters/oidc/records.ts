import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import type { OidcClient, OidcPorts, OidcRecord } from '../../kernel/oidc.ts';

/** The library's storage contract over our records. */

const isLoopbackOrCustom = (uri: string): boolean => {
  const { protocol, hostname } = new URL(uri);
  if (protocol === 'http:') return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return protocol !== 'https:';
};

/** A registered address of the console's own is not known before the port is; loopback ones stand for "none needed". */
const NO_REDIRECT = ['http://127.0.0.1/callback'];

export const clientMetadata = (client: OidcClient): AdapterPayload => {
  const code = client.grants.includes('authorization_code');
  const uris = client.firstParty ? NO_REDIRECT : [...client.redirectUris];
  const native = client.firstParty || uris.some(isLoopbackOrCustom);
  const method =
    client.type === 'public' ? 'none' : client.jwks !== null ? 'private_key_jwt' : 'client_secret_basic';
  return {
    client_id: client.id,
    client_name: client.name,
    application_type: native ? 'native' : 'web',
    redirect_uris: code ? uris : [],
    response_types: code ? ['code'] : [],
    ...(client.postLogoutRedirectUris.length === 0
      ? {}
      : { post_logout_redirect_uris: [...client.postLogoutRedirectUris] }),
    grant_types: [...client.grants],
    token_endpoint_auth_method: method,
    // The hash stands where the library keeps the secret; it is compared in `engine.ts`.
    ...(method === 'client_secret_basic' && client.secretHash !== null
      ? { client_secret: client.secretHash }
      : {}),
    ...(method === 'private_key_jwt' ? { jwks: { keys: [...(client.jwks ?? [])] } } : {}),
  };
};

const toPayload = (record: OidcRecord | null): AdapterPayload | undefined =>
  record === null
    ? undefined
    : {
        ...record.payload,
        ...(record.consumedAt === null ? {} : { consumed: Math.floor(record.consumedAt / 1000) }),
      };

const reused = () => new errors.InvalidGrant('this was used before');

export const adapterOf = (ports: OidcPorts) => {
  return (model: string): Adapter => ({
    async upsert(id, payload, expiresIn) {
      const record = {
        model,
        id,
        payload: { ...payload },
        expiresAt: expiresIn ? ports.now() + expiresIn * 1000 : null,
      };
      if (model !== 'ReplayDetection') return ports.saveRecord(record);
      // The library looks first and saves then: of two assertions at the same time the second ends here.
      if (!(await ports.saveRecordOnce(record))) {
        throw new errors.InvalidClientAuth('client assertion tokens must only be used once');
      }
    },
    async find(id) {
      if (model === 'Client') {
        const client = await ports.findClient(id);
        return client === null ? undefined : clientMetadata(client);
      }
      return toPayload(await ports.findRecord(model, id));
    },
    findByUid: async (uid) => toPayload(await ports.findRecordByUid(model, uid)),
    findByUserCode: async (userCode) => toPayload(await ports.findDeviceRecord(userCode)),
    async consume(id) {
      if (await ports.consumeRecord(model, id)) return;
      // Lost a race with another use of the same code or refresh token: a replay like any other.
      const { grantId } = (await ports.findRecord(model, id))?.payload ?? {};
      if (typeof grantId === 'string') await ports.closeGrant(grantId, `${model} used twice`);
      throw reused();
    },
    async destroy(id) {
      if (model === 'Grant') return ports.closeGrant(id, 'grant revoked');
      return ports.destroyRecord(model, id);
    },
    revokeByGrantId: (grantId) => ports.closeGrant(grantId, `${model} revoked`),
  });
};
