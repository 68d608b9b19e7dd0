import { LRUCache } from 'lru-cache';
import { textWithin } from '../../../kernel/bounded-body.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { OidcClient } from '../../../kernel/oidc.ts';
import type { OutgoingHttp } from '../../../kernel/outgoing.ts';
import { redirectFault } from './rules.ts';

/**
 * Clients that nobody has registered: their id is the https address of a document about them
 * (draft-ietf-oauth-client-id-metadata-document), as MCP clients have it. They are public, and nothing in it is believed
 * but what is checked here.
 */

const MAX_ID_CHARACTERS = 512;
const MAX_BYTES = 10 * 1024;
const MAX_REDIRECTS = 20;
const MAX_NAME_CHARACTERS = 100;
const TIMEOUT_MS = 5_000;
const MAX_KNOWN = 1_000;
/** Whoever asks is not signed in: what this service fetches for them is counted over all of them. */
const FETCHES_PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const SHORTEST_MS = 5 * MINUTE_MS;
const LONGEST_MS = 24 * 60 * MINUTE_MS;
const FAILURE_MS = MINUTE_MS;
/** A document that cannot be read just now does not end the sign-ins of its client. */
const STALE_MS = 24 * 60 * MINUTE_MS;

type Json = Record<string, unknown>;

export interface MetadataDocuments {
  /** The client that the address describes; null where there is none, or it may not sign people in here. */
  find(id: string): Promise<OidcClient | null>;
  /** Whether asking for it would have a document fetched that was not read yet. */
  isNew(id: string): boolean;
}

export interface MetadataDocumentsOptions {
  http: Pick<OutgoingHttp, 'check' | 'fetch'>;
  clock: Clock;
  log: { warn(fields: Record<string, unknown>, message: string): void };
}

/** Whether an id is such an address: in the one form that it can be compared in, with a path and nothing secret. */
export const isDocumentId = (id: string): boolean => {
  const url = id.length > MAX_ID_CHARACTERS ? null : URL.parse(id);
  return (
    url !== null &&
    url.protocol === 'https:' &&
    url.href === id &&
    url.pathname !== '/' &&
    url.username === '' &&
    url.password === '' &&
    !id.includes('#')
  );
};

class Unusable extends Error {}
/** It says nothing of the document: the next one to ask tries again. */
class Shortage extends Unusable {}

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textsOf = (document: Json, field: string): string[] | null => {
  const value = document[field];
  if (value === undefined) return null;
  if (!Array.isArray(value) || !value.every((entry): entry is string => typeof entry === 'string'))
    throw new Unusable(`${field} is not a list of texts`);
  return value;
};

const redirectsOf = (document: Json): string[] => {
  const uris = textsOf(document, 'redirect_uris') ?? [];
  if (uris.length === 0 || uris.length > MAX_REDIRECTS)
    throw new Unusable(`redirect_uris must hold 1 to ${MAX_REDIRECTS} addresses`);
  for (const uri of uris) {
    const fault = redirectFault(uri);
    if (fault !== null) throw new Unusable(`a redirect address ${fault}`);
  }
  return uris;
};

/** What it calls itself, and where that is said: a name alone could be anybody's. */
const nameOf = (document: Json, id: string): string => {
  const { host } = new URL(id);
  const given = typeof document.client_name === 'string' ? document.client_name : '';
  const name = given.replace(/\p{C}/gu, '').trim().slice(0, MAX_NAME_CHARACTERS);
  return name === '' ? host : `${name} (${host})`;
};

/** The client of a document. Throws where the document does not describe one that may sign people in. */
const clientOf = (document: unknown, id: string): OidcClient => {
  if (!isRecord(document)) throw new Unusable('it is not a JSON object');
  if (document.client_id !== id) throw new Unusable('client_id is not the address of the document');
  if ('client_secret' in document || 'client_secret_expires_at' in document)
    throw new Unusable('it holds a secret, which everybody can read');
  const method = document.token_endpoint_auth_method ?? 'none';
  if (method !== 'none') throw new Unusable('token_endpoint_auth_method is not none');
  const grants = textsOf(document, 'grant_types') ?? ['authorization_code'];
  if (!grants.includes('authorization_code'))
    throw new Unusable('grant_types does not hold authorization_code');
  const types = textsOf(document, 'response_types');
  if (types !== null && !types.includes('code')) throw new Unusable('response_types does not hold code');
  return {
    id,
    name: nameOf(document, id),
    type: 'public',
    redirectUris: redirectsOf(document),
    postLogoutRedirectUris: [],
    secretHash: null,
    jwks: null,
    firstParty: false,
    grants: ['authorization_code', 'refresh_token'],
  };
};

const lifeOf = (headers: Headers): number => {
  const seconds = /(?:^|,)\s*max-age\s*=\s*(\d{1,9})/i.exec(headers.get('cache-control') ?? '')?.[1];
  return Math.min(Math.max(Number(seconds ?? 0) * 1000, SHORTEST_MS), LONGEST_MS);
};

interface Known {
  client: OidcClient;
  until: number;
  /** Until when the client counts although its document cannot be read again. */
  staleUntil: number;
}

export const createMetadataDocuments = ({
  http,
  clock,
  log,
}: MetadataDocumentsOptions): MetadataDocuments => {
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN });
  /** Until when each counts as refused. Apart from the known ones: whoever makes up addresses must not have those forgotten. */
  const refused = new LRUCache<string, number>({ max: MAX_KNOWN });
  const pending = new Map<string, Promise<OidcClient | null>>();
  let window = { minute: 0, fetches: 0 };

  const count = (): void => {
    const minute = Math.floor(clock.now() / MINUTE_MS);
    if (window.minute !== minute) window = { minute, fetches: 0 };
    if (window.fetches >= FETCHES_PER_MINUTE) throw new Shortage('too many documents are asked for');
    window.fetches += 1;
  };

  const read = async (id: string): Promise<{ client: OidcClient; lifeMs: number }> => {
    const fault = http.check(id);
    if (fault !== null) throw new Unusable(`its address ${fault}`);
    count();
    const answer = await http.fetch(id, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    // Also a redirect: where a document stands is its id.
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw new Unusable(`it was answered with ${answer.status}`);
    }
    const text = await textWithin(answer.body, MAX_BYTES);
    return { client: clientOf(JSON.parse(text), id), lifeMs: lifeOf(answer.headers) };
  };

  const refresh = async (id: string, before: Known | undefined): Promise<OidcClient | null> => {
    try {
      const { client, lifeMs } = await read(id);
      const until = clock.now() + lifeMs;
      known.set(id, { client, until, staleUntil: until + STALE_MS });
      return client;
    } catch (error) {
      const now = clock.now();
      const kept = before !== undefined && before.staleUntil > now ? before : null;
      log.warn(
        { err: error, client_id: id, kept: kept !== null },
        'a client metadata document is not usable',
      );
      if (kept !== null) known.set(id, { ...kept, until: now + FAILURE_MS });
      else {
        known.delete(id);
        if (!(error instanceof Shortage)) refused.set(id, now + FAILURE_MS);
      }
      return kept?.client ?? null;
    } finally {
      pending.delete(id);
    }
  };

  return {
    isNew: (id) => isDocumentId(id) && !known.has(id) && (refused.get(id) ?? 0) <= clock.now(),
    async find(id) {
      if (!isDocumentId(id)) return null;
      if ((refused.get(id) ?? 0) > clock.now()) return null;
      const found = known.get(id);
      if (found !== undefined && found.until > clock.now()) return found.client;
      const running = pending.get(id);
      if (running !== undefined) return running;
      const started = refresh(id, found);
      pending.set(id, started);
      return started;
    },
  };
};
