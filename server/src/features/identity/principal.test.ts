import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { ROLES } from '../../kernel/caller.ts';
import { AppError } from '../../kernel/errors.ts';
import { effectivePermissions } from '../../kernel/permissions.ts';
import { originOf } from './origin.ts';
import {
  assertActive,
  assertWholeAccount,
  type Credential,
  callerOf,
  createPlatformRule,
  type Principal,
  parseRoles,
  parseStrings,
  permissionsOf,
} from './principal.ts';

/** What an account may do with a credential (contract, section 3). */

const principal = (more: Partial<Principal> = {}): Principal => ({
  userId: 'u',
  tenantId: 't',
  tenantSlug: 'default',
  type: 'human',
  email: 'ada@x.test',
  name: 'Ada',
  roles: '["user"]',
  permissions: '["audit:read"]',
  userTier: null,
  tenantTier: 'pro',
  userStatus: 'active',
  tenantStatus: 'active',
  lastSeenAt: null,
  externalId: null,
  ...more,
});
const whole: Credential = {
  kind: 'jwt',
  tokenId: 'j',
  sessionId: 's',
  expiresAt: 5,
  only: null,
  platformAdmin: false,
};
const caller = (more: Partial<Credential> = {}, of: Partial<Principal> = {}) =>
  callerOf(principal(of), { ...whole, ...more });
const sorted = (permissions: ReadonlySet<string>): string[] => [...permissions].sort();
const faultOf = (work: () => void): AppError | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
};

describe('who calls', () => {
  it('is the account as the store has it, with the credential that proved it', () => {
    expect(caller()).toEqual({
      userId: 'u',
      tenantId: 't',
      type: 'person',
      email: 'ada@x.test',
      name: 'Ada',
      roles: ['user'],
      permissions: effectivePermissions(['user'], ['audit:read']),
      tier: 'pro',
      platformAdmin: false,
      whole: true,
      credential: 'jwt',
      tokenId: 'j',
      sessionId: 's',
      expiresAt: 5,
    });
    expect(caller({}, { type: 'service' }).type).toBe('service');
  });

  it('has the tier of the account, else of its tenant; an unknown one is free', () => {
    expect(caller({}, { userTier: 'enterprise' }).tier).toBe('enterprise');
    expect(caller({}, { userTier: 'gold' }).tier).toBe('free');
    expect(caller({}, { tenantTier: 'gold' }).tier).toBe('free');
  });

  it('may do what its roles and its own permissions give, and what the credential adds', () => {
    const added = caller({ added: ['costs:read'] });
    expect(sorted(added.permissions)).toEqual(
      sorted(effectivePermissions(['user'], ['audit:read', 'costs:read'])),
    );
    expect(added.added).toEqual(['costs:read']);
    expect(caller()).not.toHaveProperty('added');
    expect(sorted(permissionsOf(principal()))).toEqual(sorted(caller().permissions));
  });

  it('never has more by a narrowed credential than the account and the credential have both', () => {
    const some = fc.subarray(['audit:read', 'costs:read', 'chat:write', 'agents:manage', 'users:manage']);
    fc.assert(
      fc.property(fc.option(some), fc.option(some, { nil: undefined }), (only, had) => {
        const { permissions, whole: all } = caller({ only, ...(had === undefined ? {} : { had }) });
        const expected = [...permissionsOf(principal())].filter(
          (one) => (only === null || only.includes(one)) && (had === undefined || had.includes(one)),
        );
        expect(sorted(permissions)).toEqual(expected.sort());
        expect(all).toBe(only === null);
      }),
    );
  });

  it('runs the platform by a whole credential alone, and has all rights of an administrator then', () => {
    const admin = caller({ platformAdmin: true });
    expect(admin).toMatchObject({ platformAdmin: true, roles: ['admin', 'user'] });
    expect(sorted(admin.permissions)).toEqual(
      sorted(effectivePermissions(['admin', 'user'], ['audit:read'])),
    );
    expect(caller({ platformAdmin: true, only: ['audit:read'] }).platformAdmin).toBe(false);
    expect(sorted(caller({ platformAdmin: true, only: ['users:manage'] }).permissions)).toEqual([
      'users:manage',
    ]);
  });

  it('may change what concerns the whole account with a whole credential alone', () => {
    expect(faultOf(() => assertWholeAccount(caller()))).toBeNull();
    expect(faultOf(() => assertWholeAccount(caller({ only: ['audit:read'] })))).toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
    });
  });
});

describe('an account', () => {
  it('acts while it and its tenant are active', () => {
    expect(faultOf(() => assertActive(principal()))).toBeNull();
    const gone = faultOf(() =>
      assertActive(principal({ userStatus: 'disabled', tenantStatus: 'suspended' })),
    );
    expect(gone).toMatchObject({ code: 'UNAUTHORIZED', details: { reason: 'TOKEN_REVOKED' } });
    expect(faultOf(() => assertActive(principal({ tenantStatus: 'suspended' })))).toMatchObject({
      code: 'FORBIDDEN',
      status: 403,
      details: { reason: 'TENANT_SUSPENDED' },
    });
  });

  it('that was made here runs the platform as an admin of the tenant default; another when it is named', () => {
    const rule = createPlatformRule(new Set(['idp|1']));
    const admin = { roles: '["admin"]' };
    expect(rule(principal(admin))).toBe(true);
    expect(rule(principal())).toBe(false);
    expect(rule(principal({ ...admin, tenantSlug: 'acme' }))).toBe(false);
    expect(rule(principal({ ...admin, externalId: 'idp|2' }))).toBe(false);
    expect(rule(principal({ externalId: 'idp|1', tenantSlug: 'acme' }))).toBe(true);
  });

  it('has the roles that are known, in their order, and texts for permissions', () => {
    expect(parseRoles('["user","admin","king"]')).toEqual(['admin', 'user']);
    expect(parseRoles(JSON.stringify([...ROLES].reverse()))).toEqual(ROLES);
    expect(parseRoles('"admin"')).toEqual([]);
    expect(parseRoles('{}')).toEqual([]);
    expect(parseStrings('["a",1,null,"b"]')).toEqual(['a', 'b']);
    expect(parseStrings('"ab"')).toEqual([]);
    expect(parseStrings(null)).toEqual([]);
  });
});

it('a session remembers where it came from, with at most 256 characters of the program’s name', () => {
  const from = (headers: Record<string, string>) =>
    originOf({ ip: '10.0.0.7', headers } as unknown as FastifyRequest, 'r');
  expect(from({ 'user-agent': 'curl/8' })).toEqual({
    address: '10.0.0.7',
    userAgent: 'curl/8',
    requestId: 'r',
  });
  expect(from({}).userAgent).toBeNull();
  expect(from({ 'user-agent': 'x'.repeat(300) }).userAgent).toHaveLength(256);
});
