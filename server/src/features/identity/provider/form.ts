import type { OidcClient } from '../../../kernel/oidc.ts';
import type { Clients } from '../clients/service.ts';
import { OAuthError } from './oauth-error.ts';

/** A form's fields. RFC 6749, 3.2: a parameter must not come twice. */
export const parseForm = (body: unknown): Map<string, string> => {
  const fields = new Map<string, string>();
  if (typeof body !== 'string') return fields;
  for (const [name, value] of new URLSearchParams(body)) {
    if (fields.has(name))
      throw new OAuthError('invalid_request', `${name.slice(0, 50)} must not be given twice`);
    fields.set(name, value);
  }
  return fields;
};

export const CHALLENGE = { 'www-authenticate': 'Basic realm="pentarch"' };

const unknownClient = () =>
  new OAuthError('invalid_client', 'the client is unknown or its secret is wrong', CHALLENGE);

const decodePart = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    throw unknownClient();
  }
};

/** `Authorization: Basic` of RFC 6749, 2.3.1: both parts are form-encoded. Null when there is none. */
export const basicCredentials = (header: string | undefined): { id: string; secret: string } | null => {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw unknownClient();
  return { id: decodePart(text.slice(0, colon)), secret: decodePart(text.slice(colon + 1)) };
};

/** The client of a request to introspection or revocation. A public one only names itself. Throws `invalid_client`. */
export const authenticateClient = async (
  clients: Clients,
  authorization: string | undefined,
  form: Map<string, string>,
): Promise<OidcClient> => {
  const basic = basicCredentials(authorization);
  if (authorization !== undefined && basic === null) throw unknownClient();
  if (basic !== null && form.has('client_secret')) {
    throw new OAuthError('invalid_request', 'give the client secret in one place only');
  }
  const id = basic?.id ?? form.get('client_id') ?? '';
  const secret = basic?.secret ?? form.get('client_secret');
  if (secret === undefined) {
    const client = await clients.find(id);
    if (client?.type !== 'public') throw unknownClient();
    return client;
  }
  const client = await clients.authenticate(id, secret);
  if (client === null) throw unknownClient();
  return client;
};
