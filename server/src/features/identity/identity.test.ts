import { statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../kernel/errors.ts';
import { ORIGIN, startIdentity, type TestIdentity } from './testing/identity.ts';

const reasonOf = async (work: unknown): Promise<unknown> => {
  try {
    await work;
    return 'accepted';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.details.reason ?? error.code;
  }
};

describe('identity', () => {
  let t: TestIdentity;
  beforeEach(async () => {
    t = await startIdentity();
  });
  afterEach(() => t.close());

  const login = () => t.identity.sessions.login(t.admin, ORIGIN);
  const authenticate = async (token: string) => t.identity.authenticate(token);

  it('makes the first admin once, and a password that signs in', async () => {
    expect(t.admin.password).toMatch(/^\w{5}(-\w{5}){3}$/);
    expect(await t.identity.ensureFirstAdmin()).toMatchObject({ created: false, password: null });
    const caller = await authenticate((await login()).access_token);
    expect(caller).toMatchObject({
      email: 'admin@localhost',
      roles: ['admin'],
      type: 'person',
      platformAdmin: true,
      tier: 'free',
    });
    expect(caller.permissions.has('users:manage')).toBe(true);
  });

  it('keeps its keys for their owner alone, and private keys sealed', async () => {
    expect(statSync(path.join(t.dataDir, 'keys/identity.key')).mode & 0o777).toBe(0o600);
    const row = await t.db.read.selectFrom('signing_keys').selectAll().executeTakeFirstOrThrow();
    expect(row.private_sealed).not.toContain('{');
    expect(() => JSON.parse(Buffer.from(row.private_sealed, 'base64url').toString())).toThrow();
  });

  it('answers a wrong password and an unknown account alike', async () => {
    const wrong = t.identity.sessions.login({ email: t.admin.email, password: 'wrong' }, ORIGIN);
    const unknown = t.identity.sessions.login({ email: 'nobody@localhost', password: 'wrong' }, ORIGIN);
    const [a, b] = await Promise.allSettled([wrong, unknown]);
    expect(a).toEqual(b);
    expect(a.status).toBe('rejected');
  });

  it('locks an account after 10 failures, also when they come at once, and opens it after 15 minutes', async () => {
    const attempt = () =>
      reasonOf(t.identity.sessions.login({ email: 'Admin@LOCALHOST', password: 'wrong' }, ORIGIN));
    const outcomes = await Promise.all(Array.from({ length: 25 }, attempt));
    expect(outcomes.filter((outcome) => outcome === 'TOKEN_INVALID')).toHaveLength(10);
    expect(outcomes.filter((outcome) => outcome === 'RATE_LIMITED')).toHaveLength(15);
    expect(await reasonOf(login())).toBe('RATE_LIMITED');
    t.clock.advance(15 * 60_000);
    expect(await reasonOf(login())).toBe('accepted');
  });

  it('does not lock out a person who signs in many times at once with the right password', async () => {
    const outcomes = await Promise.all(Array.from({ length: 15 }, () => reasonOf(login())));
    expect(new Set(outcomes)).toEqual(new Set(['accepted']));
  });

  it('lets exactly one of 20 parallel refreshes win, and ends the family of a replayed token', async () => {
    const pair = await login();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => t.identity.sessions.refresh(pair.refresh_token, ORIGIN)),
    );
    const won = results.filter((result) => result.status === 'fulfilled');
    expect(won).toHaveLength(1);
    const [winner] = won;
    if (winner?.status !== 'fulfilled') throw new Error('unreachable');
    expect(await reasonOf(authenticate(pair.access_token))).toBe('TOKEN_REVOKED');
    expect(await reasonOf(authenticate(winner.value.access_token))).toBe('TOKEN_REVOKED');
    expect(await reasonOf(t.identity.sessions.refresh(winner.value.refresh_token, ORIGIN))).not.toBe(
      'accepted',
    );
  });

  it('refuses a token at once after sign-out, also one that it remembers', async () => {
    const pair = await login();
    const caller = await authenticate(pair.access_token);
    expect(t.identity.authenticate(pair.access_token)).toBe(caller);
    await t.identity.sessions.logout(caller, ORIGIN);
    expect(await reasonOf(authenticate(pair.access_token))).toBe('TOKEN_REVOKED');
    expect(await reasonOf(t.identity.sessions.refresh(pair.refresh_token, ORIGIN))).toBe('TOKEN_INVALID');
  });

  it('refuses an expired token, also one that it remembers', async () => {
    const { access_token: token } = await login();
    await authenticate(token);
    t.clock.advance(3_600_000 + 31_000);
    expect(await reasonOf((async () => t.identity.authenticate(token))())).toBe('TOKEN_EXPIRED');
    expect(await reasonOf(authenticate(token))).toBe('TOKEN_EXPIRED');
  });

  it('refuses other spellings of a valid token', async () => {
    const { access_token: token } = await login();
    await authenticate(token);
    const last = token.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spellings = [`${token}=`, `${token}==`, ` ${token}`, `${token}\n`];
    // A 256-byte signature leaves 4 unused bits in its last character: 15 other characters decode alike.
    const group = Math.floor(alphabet.indexOf(last) / 16) * 16;
    for (const other of alphabet.slice(group, group + 16)) {
      if (other !== last) spellings.push(token.slice(0, -1) + other);
    }
    for (const spelling of spellings) expect(await reasonOf(authenticate(spelling))).toBe('TOKEN_INVALID');
  });

  it('verifies tokens of a rotated key until they expire', async () => {
    const { access_token: token } = await login();
    await t.identity.rotateKeys();
    expect(await reasonOf(authenticate(token))).toBe('accepted');
    expect(await reasonOf(authenticate((await login()).access_token))).toBe('accepted');
  });

  it('accepts what another node signed with a key that it has just made', async () => {
    const other = await t.another();
    await other.rotateKeys();
    const { access_token: token } = await other.sessions.login(t.admin, ORIGIN);
    t.clock.advance(5_000);
    expect(await reasonOf(authenticate(token))).toBe('accepted');
    // A retired key stays while any node may still sign with it, and goes later.
    const kids = async () => (await t.db.read.selectFrom('signing_keys').select('id').execute()).length;
    await other.rotateKeys();
    expect(await kids()).toBe(3);
    t.clock.advance(4 * 3_600_000);
    await other.rotateKeys();
    expect(await kids()).toBe(2);
  });

  it('takes a change of roles and a suspension at once', async () => {
    const { access_token: token } = await login();
    const caller = await authenticate(token);
    await t.db.write((tx) =>
      tx.updateTable('users').set({ roles: '["readonly"]' }).where('id', '=', caller.userId).execute(),
    );
    t.identity.forgetUser(caller.userId);
    expect((await authenticate(token)).permissions.has('users:manage')).toBe(false);
    await t.db.write((tx) => tx.updateTable('tenants').set({ status: 'suspended' }).execute());
    t.identity.forgetTenant(caller.tenantId);
    expect(await reasonOf(authenticate(token))).toBe('TENANT_SUSPENDED');
  });

  it('sees a change of another process within 5 s', async () => {
    const { access_token: token } = await login();
    await authenticate(token);
    await t.db.write((tx) => tx.updateTable('users').set({ status: 'deactivated' }).execute());
    t.clock.advance(5_001);
    expect(await reasonOf(authenticate(token))).toBe('TOKEN_REVOKED');
  });

  it('answers a remembered token at once, without waiting for anything', async () => {
    const { access_token: token } = await login();
    const caller = await authenticate(token);
    expect(t.identity.authenticate(token)).toBe(caller);
  });
});
