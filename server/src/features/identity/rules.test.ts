import { createCipheriv, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { redirectFault } from './clients/rules.ts';
import { isNamedPlatformAdmin, personOf, platformAdminsOf, tenantSlugOf } from './external/claims.rules.ts';
import { isCanonicalBase64url, readHeader } from './jwt-form.ts';
import { attemptsLeft, failuresInWindow, lockedForS, MAX_FAILURES, WINDOW_MS } from './passwords/rules.ts';
import { OAuthError } from './provider/oauth-error.ts';
import { createThrottle } from './provider/throttle.ts';
import { readKeySet, readPublicKey } from './public-keys.ts';
import { hasSecretForm, newPassword, newSecret } from './secrets.ts';
import { openPlatformKeys } from './signing/platform-keys.ts';
import { createSeal } from './signing/seal.ts';

describe('secrets', () => {
  it('know their own form, and no altered one', () => {
    for (let i = 0; i < 200; i += 1) {
      const secret = newSecret('ptk_');
      expect(secret).toMatch(/^ptk_[0-9A-Za-z]{36}$/);
      expect(hasSecretForm(secret, 'ptk_')).toBe(true);
      expect(hasSecretForm(secret, 'pat_')).toBe(false);
      const at = 4 + (i % 36);
      const other = secret[at] === 'A' ? 'B' : 'A';
      expect(hasSecretForm(secret.slice(0, at) + other + secret.slice(at + 1), 'ptk_')).toBe(false);
    }
  });

  it('never take anything else for one', () => {
    fc.assert(fc.property(fc.string(), (text) => !hasSecretForm(`ptk_${text}`, 'ptk_')));
  });

  it('differ each time', () => {
    expect(new Set(Array.from({ length: 1000 }, () => newPassword())).size).toBe(1000);
  });
});

describe('base64url', () => {
  it('has one spelling for all bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) =>
        isCanonicalBase64url(Buffer.from(bytes).toString('base64url')),
      ),
    );
  });

  it('is refused in every other spelling of the same bytes', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const bytes = Buffer.from(text, 'base64url');
        return isCanonicalBase64url(text) === (bytes.toString('base64url') === text);
      }),
    );
    for (const text of ['QQ==', 'QR', 'Q', 'Q Q', 'QQ\n', 'Q+', 'é'])
      expect(isCanonicalBase64url(text)).toBe(false);
  });

  it('never makes the reading of a header throw', () => {
    const part = fc.oneof(
      fc.string(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
    );
    fc.assert(
      fc.property(part, part, part, (a, b, c) => {
        const header = readHeader(`${a}.${b}.${c}`, ['RS256']);
        return header === null || header.alg === 'RS256';
      }),
    );
  });
});

describe('lockout', () => {
  it('locks at the tenth failure, until the oldest has gone out of the window', () => {
    const times = Array.from({ length: MAX_FAILURES }, (_, i) => 1_000_000 + i * 1000);
    expect(lockedForS(times.slice(1), 1_010_000)).toBe(0);
    expect(lockedForS(times, 1_010_000)).toBe(Math.ceil((1_000_000 + WINDOW_MS - 1_010_000) / 1000));
    expect(lockedForS(times, 1_000_000 + WINDOW_MS)).toBe(0);
  });

  it('counts the newest failures alone, and says whole seconds, one at least', () => {
    const times = [1, ...Array.from({ length: 12 }, () => 5_000)];
    expect(failuresInWindow(times, 10_000)).toHaveLength(MAX_FAILURES);
    expect(failuresInWindow([1, 2], WINDOW_MS + 1)).toEqual([2]);
    // The oldest of the ten that count is at 5,000: 900.5 seconds are 901.
    expect(lockedForS(times, 4_500)).toBe(901);
    expect(lockedForS(times, WINDOW_MS + 4_999)).toBe(1);
    expect(lockedForS([7, 7], 7, 2)).toBe(900);
    expect(attemptsLeft([7, 7], 7, 3)).toBe(1);
  });

  it('never lets more attempts in than are left', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2_000_000)), fc.nat(2_000_000), (times, now) => {
        const left = attemptsLeft(times, now);
        expect(left).toBe(MAX_FAILURES - failuresInWindow(times, now).length);
        expect(lockedForS(times, now) > 0).toBe(left === 0);
      }),
    );
  });
});

describe('throttle', () => {
  it('counts by address, slides, and says when to come back', () => {
    let now = 0;
    const throttle = createThrottle({ now: () => now }, { perMinute: 3, enabled: true, what: 'requests' });
    for (let i = 0; i < 3; i += 1) throttle.count('a');
    expect(() => throttle.count('a')).toThrow(OAuthError);
    throttle.count('b');
    // Half of the minute before still counts in the middle of the next one.
    now = 90_000;
    throttle.count('a');
    throttle.count('a');
    expect(() => throttle.count('a')).toThrow(OAuthError);
    now = 240_000;
    for (let i = 0; i < 3; i += 1) throttle.count('a');
  });
});

describe('seal', () => {
  const here = 'webhooks.secret/tenant/one';
  const keysOf = (platformKey: string | null, previousKey: string | null = null, dataDir = '/nowhere') =>
    openPlatformKeys({ dataDir, platformKey, previousKey });
  const ONE = 'the platform key of before, long enough';
  const TWO = 'the platform key of now, which is another';

  it('opens what it sealed, after a restart too, and nothing that was altered or sealed with another key', () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'pentarch-seal-'));
    try {
      const keys = keysOf(null, null, dataDir);
      const sealed = createSeal(keys).seal('secret text', here);
      // In memory alone, until the store is known to be theirs.
      expect(existsSync(path.join(dataDir, 'keys'))).toBe(false);
      keys.keep();
      expect(keys.unkept()).toEqual([]);
      const again = createSeal(keysOf(null, null, dataDir));
      expect(again.open(sealed, here)).toBe('secret text');
      const bytes = Buffer.from(sealed.slice(3), 'base64url');
      for (const at of [0, 12, bytes.length - 1]) {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] ?? 0) ^ 1;
        expect(() => again.open(`v2.${altered.toString('base64url')}`, here)).toThrow(/identity\.key/);
      }
      writeFileSync(path.join(dataDir, 'keys/identity.key'), randomBytes(32).toString('base64url'));
      expect(() => createSeal(keysOf(null, null, dataDir)).open(sealed, here)).toThrow(/identity\.key/);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });

  it(req('KEYS-04', 'opens at no other record, tenant or column'), () => {
    const seal = createSeal(keysOf(ONE));
    const sealed = seal.seal('secret text', here);
    for (const other of ['webhooks.secret/tenant/two', 'webhooks.secret/other/one', 'signing_keys/one', ''])
      expect(() => seal.open(sealed, other)).toThrow(/another record/);
  });

  it(
    req('KEYS-04', 'what was sealed before values named their place still opens, and is not current'),
    () => {
      const key = Buffer.from(keysOf(ONE).secret('identity.key'), 'base64url');
      const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12, 1));
      const body = Buffer.concat([cipher.update('secret text', 'utf8'), cipher.final()]);
      const old = Buffer.concat([Buffer.alloc(12, 1), cipher.getAuthTag(), body]).toString('base64url');
      const seal = createSeal(keysOf(ONE));
      expect(seal.open(old, here)).toBe('secret text');
      expect(seal.isCurrent(old, here)).toBe(false);
      expect(seal.isCurrent(seal.seal('secret text', here), here)).toBe(true);
    },
  );

  it(
    req('KEYS-03', 'the key of before opens beside the new one, and no longer once it is taken away'),
    () => {
      const sealed = createSeal(keysOf(ONE)).seal('secret text', here);
      const both = createSeal(keysOf(TWO, ONE));
      expect(both.open(sealed, here)).toBe('secret text');
      expect(both.isCurrent(sealed, here)).toBe(false);
      const anew = both.seal('secret text', here);
      expect(createSeal(keysOf(TWO)).open(anew, here)).toBe('secret text');
      expect(() => createSeal(keysOf(TWO)).open(sealed, here)).toThrow(/PLATFORM_KEY/);
    },
  );
});

describe('public keys', () => {
  const jwkOf = (type: 'rsa' | 'ec', options: object) =>
    (type === 'rsa'
      ? generateKeyPairSync('rsa', options as { modulusLength: number })
      : generateKeyPairSync('ec', options as { namedCurve: string })
    ).publicKey.export({ format: 'jwk' }) as Record<string, unknown>;

  it('are RSA from 2048 bits, P-256 or Ed25519', () => {
    expect(readPublicKey(jwkOf('rsa', { modulusLength: 2048 })).key?.algorithm).toBe('RS256');
    expect(readPublicKey(jwkOf('ec', { namedCurve: 'P-256' })).key?.algorithm).toBe('ES256');
    const ed = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as Record<string, unknown>;
    expect(readPublicKey(ed).key?.algorithm).toBe('EdDSA');
    expect(readPublicKey(jwkOf('rsa', { modulusLength: 1024 })).fault).toContain('bits');
    expect(readPublicKey(jwkOf('ec', { namedCurve: 'P-384' })).fault).toBeTruthy();
    expect(readPublicKey({ kty: 'oct', k: 'AAAA' }).fault).toBeTruthy();
  });

  it('are for signatures, and fit what they say', () => {
    const key = jwkOf('ec', { namedCurve: 'P-256' });
    for (const members of [
      { use: 'enc' },
      { key_ops: ['sign'] },
      { alg: 'RS256' },
      { d: 'AAAA' },
      { x: 'AAAA' },
    ]) {
      expect([members, typeof readPublicKey({ ...key, ...members }).fault]).toEqual([members, 'string']);
    }
  });

  it('that share a kid are both left out', () => {
    const [a, b, c] = [1, 2, 3].map(() => jwkOf('ec', { namedCurve: 'P-256' }));
    const set = readKeySet([{ ...a, kid: '1' }, { ...b, kid: '1' }, { ...c, kid: '2' }, 'x', null]);
    expect(set.trusted.map((key) => key.kid)).toEqual(['2']);
    expect(set.faults.map((fault) => fault.index)).toEqual([0, 1, 3, 4]);
  });
});

describe('redirect addresses', () => {
  it.each([
    'https://app.test/cb',
    'https://app.test:8443/cb?x=1',
    'http://127.0.0.1/cb',
    'http://localhost:3000/',
    'http://[::1]/cb',
    'com.example.app:/cb',
  ])('%s can be registered', (uri) => {
    expect(redirectFault(uri)).toBeNull();
  });

  it('have at most 2048 characters', () => {
    const uri = (length: number) => `https://app.test/${'a'.repeat(length - 17)}`;
    expect(redirectFault(uri(2048))).toBeNull();
    expect(redirectFault(uri(2049))).toBe('must have at most 2048 characters');
  });

  it.each([
    '',
    '/cb',
    'http://app.test/cb',
    'https://app.test/#x',
    'https://*.app.test/',
    'https://user@app.test/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://127.0.0.1.evil.test/',
  ])('%s cannot', (uri) => {
    expect(redirectFault(uri)).not.toBeNull();
  });
});

describe('claims of external providers', () => {
  const API = { clientId: 'api', projectId: null };
  const OWNER = 'urn:zitadel:iam:user:resourceowner:id';
  const ROLES_CLAIM = 'urn:zitadel:iam:org:project:roles';

  it('count a role for no organisation but the one that it is given for', () => {
    const id = fc.constantFrom('1', '2', '3', '__proto__', 'constructor');
    fc.assert(
      fc.property(
        fc.option(id, { nil: null }),
        fc.dictionary(fc.constantFrom('admin', 'user', 'operator'), fc.dictionary(id, fc.string())),
        fc.boolean(),
        (organisation, map, asList) => {
          const person = personOf(
            {
              sub: 's',
              ...(organisation === null ? {} : { [OWNER]: organisation }),
              [ROLES_CLAIM]: asList ? [map] : map,
            },
            API,
          );
          for (const role of ['admin', 'user', 'operator'] as const) {
            const given = organisation !== null && Object.keys(map[role] ?? {}).includes(organisation);
            expect(person?.roles?.includes(role)).toBe(given);
            expect(person?.roleNames.includes(role)).toBe(given);
          }
        },
      ),
    );
  });

  it('count roles of the project that is set alone', () => {
    const claims = {
      sub: '1',
      [OWNER]: '9',
      [ROLES_CLAIM]: { admin: { '9': 'x' } },
      'urn:zitadel:iam:org:project:77:roles': { analyst: { '9': 'x' } },
      'urn:zitadel:iam:org:project:78:roles': { operator: { '9': 'x' } },
    };
    expect(personOf(claims, { clientId: 'api', projectId: '77' })?.roles).toEqual(['analyst']);
    expect(personOf(claims, { clientId: 'api', projectId: '79' })?.roles).toEqual([]);
  });

  it('take an id that the request asked Zitadel for as no proof of where the person belongs', () => {
    const asked = { sub: '1', 'urn:zitadel:iam:org:id': '9', 'urn:zitadel:iam:org:id:9': '9' };
    expect(personOf({ ...asked, [ROLES_CLAIM]: { admin: { '9': 'x' } } }, API)).toMatchObject({
      organisation: null,
      roles: [],
    });
    expect(personOf({ ...asked, [OWNER]: '9' }, API)).toMatchObject({ organisation: { id: '9' } });
    expect(personOf({ ...asked, [OWNER]: '8' }, API)).toMatchObject({
      organisation: null,
      organisationFault: expect.stringContaining('another organisation'),
    });
  });

  it.each([
    ['a list of one', ['acme'], '', 'acme'],
    ['an object of one', { acme: { id: '42' } }, '', '42'],
    ['an object without ids', { acme: {} }, '', 'acme'],
    [
      'several, asked for by alias',
      { other: { id: '41' }, acme: { id: '42' } },
      'openid organization:acme',
      '42',
    ],
    ['several, asked for by id', { other: { id: '41' }, acme: { id: '42' } }, 'organization:42', '42'],
    ['a list of several, asked for', ['other', 'acme'], 'organization:acme', 'acme'],
    ['several, none asked for', { other: { id: '41' }, acme: { id: '42' } }, 'openid organization', null],
    ['several, all asked for', ['other', 'acme'], 'organization:*', null],
    ['several, two asked for', ['other', 'acme'], 'organization:acme organization:other', null],
    ['several, another asked for', ['other', 'acme'], 'organization:third', null],
    ['an alias by itself', 'acme', '', 'acme'],
    ['a number', 42, '', null],
    ['a list with a number', ['acme', 7], '', null],
    ['a list of objects', [{ id: '42', alias: 'acme' }], '', null],
    ['an id that is no text', { acme: { id: 7 } }, '', null],
    ['a name that is too long', { ['x'.repeat(256)]: {} }, '', null],
  ])('read organization of Keycloak: %s', (_name, organization, scope, id) => {
    const person = personOf({ sub: '1', organization, scope }, API);
    expect(person?.organisation?.id ?? null).toBe(id);
    expect(person?.organisationFault === null).toBe(id !== null);
  });

  it.each([
    { [OWNER]: 42 },
    { [OWNER]: ['1'] },
    { org_id: 42 },
    { org_id: 'x'.repeat(256) },
    { [OWNER]: '1', org_id: { a: 1 } },
  ])('never take an organisation that cannot be read for none: %j', (claims) => {
    const person = personOf({ sub: '1', ...claims }, API);
    expect(person).toMatchObject({ organisation: null, organisationFault: expect.any(String) });
  });

  it.each([undefined, null, '', [], {}])('take %j for no organisation', (nothing) => {
    const claims = { sub: '1', [OWNER]: nothing, org_id: nothing, organization: nothing };
    expect(personOf(claims, API)).toMatchObject({ organisation: null, organisationFault: null });
  });

  it('count no permission of a token whose roles are given for an organisation that it leaves out', () => {
    const claims = { sub: '1', permissions: ['users:manage'], [ROLES_CLAIM]: { user: { '9': 'x' } } };
    expect(personOf(claims, API)?.permissions).toEqual([]);
    expect(personOf({ ...claims, [OWNER]: '9' }, API)?.permissions).toEqual(['users:manage']);
  });

  it('name platform administrators by subject or by a role of its own, never by the platform’s roles', () => {
    const admins = platformAdminsOf(['7', 'role:platform', 'role:admin']);
    expect(isNamedPlatformAdmin(admins, { subject: '7', roleNames: [] })).toBe(true);
    expect(isNamedPlatformAdmin(admins, { subject: '8', roleNames: ['platform'] })).toBe(true);
    expect(isNamedPlatformAdmin(admins, { subject: '8', roleNames: ['admin', '7'] })).toBe(false);
    expect(isNamedPlatformAdmin(admins, { subject: 'role:platform', roleNames: [] })).toBe(false);
  });

  it('give a person or nothing, whatever they are', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (claims) => {
        const person = personOf(claims, API);
        expect(person === null).toBe(typeof claims.sub !== 'string' || claims.sub === '');
      }),
    );
  });

  it('read project roles of Zitadel and both lists of Keycloak', () => {
    const zitadel = personOf(
      {
        sub: '1',
        'urn:zitadel:iam:user:resourceowner:id': '9',
        'urn:zitadel:iam:org:project:77:roles': { analyst: { '9': 'x' }, admin: { '8': 'y' } },
      },
      API,
    );
    expect(zitadel?.roles).toEqual(['analyst']);
    const keycloak = personOf(
      {
        sub: '1',
        realm_access: { roles: ['user'] },
        resource_access: { api: { roles: ['operator'] }, other: { roles: ['admin'] } },
        organization: { acme: { id: '42' } },
      },
      API,
    );
    expect(keycloak).toMatchObject({ roles: ['operator', 'user'], organisation: { id: '42', name: 'acme' } });
    expect(personOf({ sub: '1' }, API)?.roles).toBeNull();
  });

  it('make slugs of any name', () => {
    fc.assert(fc.property(fc.string(), (name) => /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(tenantSlugOf(name))));
    expect(tenantSlugOf('ÀCME & Söhne Ltd.')).toBe('acme-sohne-ltd');
  });
});
