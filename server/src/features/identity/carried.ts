import { OIDC_CLIENTS } from '../../kernel/oidc.ts';
import { isPermission } from '../../kernel/permissions.ts';
import { foldEmail, movedAway } from '../users/index.ts';
import { redirectFault } from './clients/rules.ts';
import { readKeySet } from './public-keys.ts';

/** Rows of this feature that come from another installation, under the rules of this one's API. */
type Row = Record<string, unknown>;

/** Written out: a role of the platform that a release adds is not one that a tenant may bring. */
const ROLES_OF_A_TENANT = ['admin', 'operator', 'analyst', 'user', 'readonly'];

const listOf = (text: unknown, what: string): unknown[] => {
  const list: unknown = typeof text === 'string' ? JSON.parse(text) : null;
  if (!Array.isArray(list)) throw new Error(`${what} is no list`);
  return list;
};

const assertKnown = (text: unknown, what: string, known: (word: string) => boolean): void => {
  for (const word of listOf(text, what)) {
    if (typeof word !== 'string' || !known(word))
      throw new Error(`${what} holds ${JSON.stringify(word)}, which a tenant cannot give`);
  }
};

/** The form of argon2 (PHC string format), its parameters in any order. */
const HASH =
  /^\$argon2id\$v=19\$([a-z]=\d{1,7}(?:,[a-z]=\d{1,7}){2})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{16,128}$/;
/** Work that a sign-in may cost: memory in KiB, passes and lanes; ours are 19,456, 2 and 1. */
const MOST: Record<string, number> = { m: 65_536, t: 4, p: 4 };

const isUsableHash = (text: string): boolean => {
  const parameters = (HASH.exec(text)?.[1] ?? '').split(',').map((part) => part.split('='));
  return (
    new Set(parameters.map(([name]) => name)).size === Object.keys(MOST).length &&
    parameters.every(([name = '', value]) => Number(value) <= (MOST[name] ?? -1))
  );
};

/**
 * `own`: of an archive of this platform; others' accounts lose the override of the tier and, unless `keepExternalIds`, the tie to an
 * external provider, by which somebody else's sign-in could be led into this tenant. Throws for roles that are none.
 */
export const carriedUser = (row: Row, how: { own: boolean; keepExternalIds: boolean }): Row => {
  assertKnown(row.roles, 'roles of an account', (word) => ROLES_OF_A_TENANT.includes(word));
  assertKnown(row.permissions, 'permissions of an account', isPermission);
  const hash = row.password_hash;
  if (hash !== null && hash !== undefined && !isUsableHash(String(hash)))
    throw new Error('a password hash is not in the form that this platform makes');
  return {
    ...row,
    type: row.type === 'service' ? 'service' : 'person',
    // Whom a person was moved away from does not take their address.
    email_folded:
      row.email_folded === movedAway(String(row.id)) ? row.email_folded : foldEmail(String(row.email)),
    tier: how.own ? (row.tier ?? null) : null,
    external_id: how.own || how.keepExternalIds ? (row.external_id ?? null) : null,
    // A time from elsewhere could hold off what the provider says from now on.
    claims_at: how.own ? (row.claims_at ?? null) : null,
    placed_by_admin: how.own ? (row.placed_by_admin ?? null) : null,
  };
};

/** Throws for permissions that are none. */
export const assertCarriedKey = (row: Row): void => {
  if (row.permissions !== null && row.permissions !== undefined)
    assertKnown(row.permissions, 'permissions of a key', isPermission);
};

/** Throws for redirect addresses or keys that the API would not have taken, and for ids of the platform's own clients. */
export const assertCarriedClient = (row: Row, reserved: readonly string[]): void => {
  const id = String(row.id);
  if ([...Object.values(OIDC_CLIENTS), ...reserved].includes(id))
    throw new Error(`the client ${id} is the platform's own`);
  if (row.type !== 'public' && row.type !== 'confidential') throw new Error('a client has no known type');
  const uris = [row.redirect_uris, row.post_logout_redirect_uris ?? '[]'];
  for (const uri of uris.flatMap((list) => listOf(list, 'redirect addresses of a client'))) {
    const fault = typeof uri === 'string' ? redirectFault(uri) : 'must be a text';
    if (fault !== null) throw new Error(`a redirect address of the client ${id} ${fault}`);
  }
  if (row.jwks === null || row.jwks === undefined) return;
  const [first] = readKeySet(listOf(row.jwks, 'keys of a client')).faults;
  if (first !== undefined) throw new Error(`a key of the client ${id} ${first.fault}`);
};
