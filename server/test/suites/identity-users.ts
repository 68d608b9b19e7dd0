import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { req } from '../requirements.ts';
import { createBrowser } from '../support/browser.ts';
import { holdToContract } from '../support/contract.ts';
import { type IdentityServer, startIdentityServer } from '../support/identity-server.ts';

/** Users, tenants, keys, links and the audit chain over HTTP: contract 3, 11 and 14. */

interface Answer {
  status: number;
  body: Record<string, unknown>;
  text: string;
}

const STRANGER = '00000000-0000-7000-8000-000000000000';

export const identityUsersSuite = (name: string, open?: () => Promise<Db>): void => {
  describe(`users, tenants and audit on ${name}`, () => {
    let server: IdentityServer;
    let admin: string;

    const call = async (method: string, path: string, token?: string, body?: unknown): Promise<Answer> => {
      const answer = await fetch(server.url + path, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      holdToContract({
        method,
        path,
        status: answer.status,
        contentType: answer.headers.get('content-type'),
        text,
      });
      return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : {} };
    };
    const login = async (email: string, password: string) =>
      String((await call('POST', '/v2/auth/login', undefined, { email, password })).body.access_token);

    let count = 0;
    /** A fresh account of the given roles, with its token. */
    const person = async (roles: string[], token = admin) => {
      count += 1;
      const email = `person${count}@example.test`;
      const password = `long password ${count}`;
      const made = await call('POST', '/v2/users', token, { email, password, roles });
      expect(made.status).toBe(201);
      return { id: String(made.body.id), email, password, token: await login(email, password) };
    };

    /** Another tenant with its admin. */
    const otherTenant = async () => {
      count += 1;
      const email = `boss${count}@other.test`;
      const password = 'another long password';
      const made = await call('POST', '/v2/tenants', admin, {
        name: 'Other',
        slug: `other-${count}`,
        admin: { email, password },
      });
      expect(made.status).toBe(201);
      return { id: String(made.body.id), token: await login(email, password) };
    };

    beforeAll(async () => {
      server = await startIdentityServer({}, open);
      admin = await login(server.admin.email, server.admin.password);
    });
    afterAll(() => server.close());

    describe('accounts', () => {
      it(req('USER-01', 'makes, shows, changes and lists accounts'), async () => {
        const made = await call('POST', '/v2/users', admin, {
          email: 'Ada@Example.test',
          name: 'Ada',
          password: 'long enough',
          tier: 'pro',
        });
        expect(made.status).toBe(201);
        expect(made.body).toMatchObject({
          type: 'person',
          email: 'Ada@Example.test',
          name: 'Ada',
          roles: ['user'],
          tier: 'pro',
          status: 'active',
          last_seen_at: null,
        });
        expect(made.text).not.toMatch(/password|hash/);
        const path = `/v2/users/${made.body.id}`;
        expect((await call('GET', path, admin)).body).toEqual(made.body);
        const changed = await call('PATCH', path, admin, { name: 'Ada L.', tier: null });
        expect(changed.body).toMatchObject({ name: 'Ada L.', tier: 'free' });
        const found = await call('GET', '/v2/users?q=ada%20l', admin);
        expect(found.body).toMatchObject({ total: 1, items: [{ id: made.body.id }] });
        const asAdmin = await call('GET', '/api/v1/admin/users?limit=1', admin);
        expect(asAdmin.body).toMatchObject({ limit: 1, has_more: true });
      });

      it('refuses a taken e-mail in any case, bad fields and unknown ones', async () => {
        const taken = await call('POST', '/v2/users', admin, {
          email: 'ADMIN@localhost',
          password: 'long enough',
        });
        expect(taken.status).toBe(409);
        for (const body of [
          {},
          { email: 'no address' },
          { email: 'a@b', password: 'short' },
          { email: 'a@b', roles: ['root'] },
          { email: 'a@b', roles: [] },
          { email: 'a@b', admin: true },
          { email: 'a@b', type: 'service', password: 'long enough' },
          { email: 'a@b', tenant_id: STRANGER },
        ]) {
          expect([body, (await call('POST', '/v2/users', admin, body)).status]).toEqual([body, 422]);
        }
      });

      it(
        req(
          'USER-01',
          'lets a change of roles and a deactivation take effect at once, on every kind of credential',
        ),
        async () => {
          const ops = await person(['operator']);
          const key = await call('POST', '/v2/auth/api-keys', ops.token, { name: 'k' });
          const pat = await call('POST', '/v2/users/me/tokens', ops.token, { name: 'p' });
          const credentials = [ops.token, String(key.body.key), String(pat.body.token)];
          for (const token of credentials) expect((await call('GET', '/v2/users', token)).status).toBe(200);
          await call('PATCH', `/v2/users/${ops.id}`, admin, { roles: ['readonly'] });
          for (const token of credentials) expect((await call('GET', '/v2/users', token)).status).toBe(403);
          expect((await call('DELETE', `/v2/users/${ops.id}`, admin)).status).toBe(204);
          for (const token of credentials) expect((await call('GET', '/v2/auth/me', token)).status).toBe(401);
          expect((await call('DELETE', `/v2/users/${ops.id}`, admin)).status).toBe(204);
          // The dead stay dead when the account comes back.
          expect((await call('PATCH', `/v2/users/${ops.id}`, admin, { status: 'active' })).body.status).toBe(
            'active',
          );
          for (const token of credentials) expect((await call('GET', '/v2/auth/me', token)).status).toBe(401);
          expect(await login(ops.email, ops.password)).not.toBe('undefined');
        },
      );

      it('lets platform administrators alone set a tier', async () => {
        const other = await otherTenant();
        const member = await call('POST', '/v2/users', other.token, {
          email: `member${count}@other.test`,
          password: 'long enough',
        });
        const path = `/v2/users/${member.body.id}`;
        for (const tier of ['enterprise', null]) {
          const refused = await call('PATCH', path, other.token, { tier, name: 'Changed' });
          expect([refused.status, refused.body.details]).toEqual([403, { required: 'tenants:manage' }]);
        }
        expect((await call('GET', path, other.token)).body).toEqual({ ...member.body });
        const planted = { email: `planted${count}@other.test`, password: 'long enough', tier: 'pro' };
        expect((await call('POST', '/v2/users', other.token, planted)).status).toBe(403);
        expect((await call('PATCH', path, other.token, { name: 'New' })).status).toBe(200);
      });

      it('keeps the last active admin', async () => {
        const me = String((await call('GET', '/v2/auth/me', admin)).body.sub);
        expect((await call('PATCH', `/v2/users/${me}`, admin, { roles: ['user'] })).status).toBe(409);
        expect((await call('DELETE', `/v2/users/${me}`, admin)).status).toBe(409);
        expect((await call('GET', '/v2/users/me', admin)).body.roles).toEqual(['admin']);
      });

      it('shows nobody another tenant: the same bytes as for nothing at all', async () => {
        const other = await otherTenant();
        const { id } = await person(['user']);
        const requests = [
          ['GET', ''],
          ['PATCH', '', { name: 'x' }],
          ['DELETE', ''],
          ['GET', '/export'],
          ['DELETE', '/data'],
          ['POST', '/invitation'],
        ] as const;
        for (const [method, tail, body] of requests) {
          const stranger = await call(method, `/v2/users/${id}${tail}`, other.token, body);
          const nothing = await call(method, `/v2/users/${STRANGER}${tail}`, other.token, body);
          expect([method, tail, stranger.status]).toEqual([method, tail, 404]);
          expect({ ...stranger.body, request_id: '' }).toEqual({ ...nothing.body, request_id: '' });
        }
        const list = await call('GET', '/v2/users', other.token);
        expect(list.body.total).toBe(1);
        const planted = await call('POST', '/v2/users', other.token, {
          email: 'p@p.test',
          tenant_id: STRANGER,
        });
        expect(planted.status).toBe(403);
      });

      it('lets people change their name and nothing else of themselves', async () => {
        const user = await person(['user']);
        expect((await call('PATCH', '/v2/users/me', user.token, { name: 'New' })).body.name).toBe('New');
        expect((await call('PATCH', '/v2/users/me', user.token, { roles: ['admin'] })).status).toBe(422);
        const reader = await person(['readonly']);
        expect((await call('PATCH', '/v2/users/me', reader.token, { name: 'New' })).status).toBe(403);
      });
    });

    describe('passwords and links', () => {
      it('invites by a link that works once, on the page', async () => {
        const made = await call('POST', '/v2/users', admin, { email: 'guest@example.test' });
        expect(made.body).toMatchObject({ status: 'invited' });
        const url = String(made.body.invitation_url);
        expect(url.startsWith(server.url)).toBe(true);
        const browser = createBrowser(server.url);
        const page = await browser.open(url);
        expect(page.text).toContain('guest@example.test');
        for (const [password, reason] of [
          ['short', 'The password must have at least 8 characters.'],
          ['x'.repeat(1025), 'The password must have at most 1024 characters.'],
          ['change-me', 'The password is the text of examples: choose one of your own.'],
        ] as const) {
          const refused = await browser.request(url, { password });
          expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(reason)]);
        }
        const set = await browser.request(url, { password: 'my own password' });
        expect([set.status, set.headers.get('location')]).toEqual([303, '/']);
        expect((await browser.request(url, { password: 'another password' })).status).toBe(404);
        expect(await login('guest@example.test', 'my own password')).not.toBe('undefined');
        expect((await call('GET', `/v2/users/${made.body.id}`, admin)).body.status).toBe('active');
      });

      it('resets a password by a link, ending every session', async () => {
        const user = await person(['user']);
        const made = await call('POST', `/v2/users/${user.id}/password-reset`, admin);
        const token = String(made.body.url).split('/').at(-1);
        const done = await call('POST', '/v2/auth/password/reset', undefined, {
          token,
          password: 'brand new password',
        });
        expect(done.status).toBe(204);
        expect((await call('GET', '/v2/auth/me', user.token)).status).toBe(401);
        expect(await login(user.email, 'brand new password')).not.toBe('undefined');
        const again = await call('POST', '/v2/auth/password/reset', undefined, {
          token,
          password: 'brand new password',
        });
        expect(again.status).toBe(404);
      });

      it('answers alike whether the account exists, when somebody forgot their password', async () => {
        const known = await call('POST', '/v2/auth/password/forgot', undefined, {
          email: server.admin.email,
        });
        const unknown = await call('POST', '/v2/auth/password/forgot', undefined, {
          email: 'nobody@localhost',
        });
        expect([known.status, known.text]).toEqual([unknown.status, unknown.text]);
        expect(known.status).toBe(202);
      });

      it('changes the own password, keeping this session and ending others', async () => {
        const user = await person(['user']);
        const elsewhere = await login(user.email, user.password);
        const wrong = { current_password: 'wrong', new_password: 'a new password' };
        expect((await call('POST', '/v2/users/me/password', user.token, wrong)).status).toBe(422);
        const right = { current_password: user.password, new_password: 'a new password' };
        expect((await call('POST', '/v2/users/me/password', user.token, right)).status).toBe(204);
        expect((await call('GET', '/v2/auth/me', user.token)).status).toBe(200);
        expect((await call('GET', '/v2/auth/me', elsewhere)).status).toBe(401);
      });
    });

    describe('keys', () => {
      it(req('AUTH-14', 'shows a key once, keeps a hash, narrows it, and ends it on time'), async () => {
        const made = await call('POST', '/v2/auth/api-keys', admin, {
          name: 'narrow',
          permissions: ['users:read'],
          expires_at: new Date(server.clock.now() + 60_000).toISOString(),
        });
        expect(made.status).toBe(201);
        const key = String(made.body.key);
        expect(key).toMatch(/^ptk_[0-9A-Za-z]{36}$/);
        expect((await call('GET', '/v2/users', key)).status).toBe(200);
        expect((await call('GET', '/v2/audit', key)).status).toBe(403);
        // A key cannot make a wider one.
        expect((await call('POST', '/v2/auth/api-keys', key, { name: 'x' })).status).toBe(403);
        const list = await call('GET', '/v2/auth/api-keys', admin);
        expect(list.text).not.toContain(key);
        expect(list.text).toContain(key.slice(0, 8));
        server.clock.advance(60_000);
        const late = await call('GET', '/v2/users', key);
        expect([late.status, late.body.code]).toEqual([401, 'TOKEN_EXPIRED']);
      });

      it(
        req(
          'AUTH-14',
          'refuses a mistyped key without a look-up, a past end, and permissions that one lacks',
        ),
        async () => {
          const { token } = await person(['user']);
          const made = await call('POST', '/v2/auth/api-keys', token, { name: 'k' });
          const key = String(made.body.key);
          const swapped = key.slice(0, 10) + key.charAt(11) + key.charAt(10) + key.slice(12);
          if (swapped !== key)
            expect((await call('GET', '/v2/auth/me', swapped)).body.message).toContain('mistyped');
          const past = { name: 'x', expires_at: '2001-01-01T00:00:00.000Z' };
          expect((await call('POST', '/v2/auth/api-keys', token, past)).status).toBe(422);
          const wide = { name: 'x', permissions: ['users:manage'] };
          expect((await call('POST', '/v2/auth/api-keys', token, wide)).status).toBe(403);
          const stranger = await person(['user']);
          expect((await call('DELETE', `/v2/auth/api-keys/${made.body.id}`, stranger.token)).status).toBe(
            404,
          );
          expect((await call('DELETE', `/v2/auth/api-keys/${made.body.id}`, token)).status).toBe(204);
          const deleted = await call('GET', '/v2/auth/me', key);
          expect([deleted.status, deleted.body.code]).toEqual([401, 'TOKEN_REVOKED']);
        },
      );

      it(req('AUTH-14', 'rotates a key with an overlap'), async () => {
        const { token } = await person(['user']);
        const old = await call('POST', '/v2/auth/api-keys', token, { name: 'k' });
        const path = `/v2/auth/api-keys/${old.body.id}/rotate`;
        const fresh = await call('POST', path, token, { overlap_s: 60 });
        expect(fresh.status).toBe(201);
        for (const key of [old.body.key, fresh.body.key]) {
          expect((await call('GET', '/v2/auth/me', String(key))).status).toBe(200);
        }
        server.clock.advance(61_000);
        expect((await call('GET', '/v2/auth/me', String(old.body.key))).status).toBe(401);
        expect((await call('GET', '/v2/auth/me', String(fresh.body.key))).status).toBe(200);
      });
    });

    describe('rotation of keys', () => {
      const rotate = (id: unknown, token: string, body: unknown = {}) =>
        call('POST', `/v2/auth/api-keys/${id}/rotate`, token, body);

      it('has one winner among parallel ones, whose secret works at once', async () => {
        const { token } = await person(['user']);
        const old = await call('POST', '/v2/auth/api-keys', token, { name: 'k' });
        const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(old.body.id, token)));
        expect(answers.map((answer) => answer.status).sort()).toEqual([201, ...Array(9).fill(409)]);
        const won = answers.find((answer) => answer.status === 201);
        expect((await call('GET', '/v2/auth/me', String(won?.body.key))).status).toBe(200);
        expect((await call('GET', '/v2/auth/api-keys', token)).body.total).toBe(2);
      });

      it('keeps the end of the first key, not that of the overlap', async () => {
        const { token } = await person(['user']);
        const expires_at = new Date(server.clock.now() + 3_600_000).toISOString();
        const old = await call('POST', '/v2/auth/api-keys', token, { name: 'k', expires_at });
        const second = await rotate(old.body.id, token, { overlap_s: 60 });
        expect(second.body.expires_at).toBe(expires_at);
        const third = await rotate(second.body.id, token, { overlap_s: 60 });
        expect(third.body.expires_at).toBe(expires_at);
      });

      it('refuses one that was rotated, has expired or was deleted with 409, and an unknown one with 404', async () => {
        const { token } = await person(['user']);
        const make = async (more: object = {}) =>
          (await call('POST', '/v2/auth/api-keys', token, { name: 'k', ...more })).body.id;
        const [rotated, deleted] = [await make(), await make()];
        const expired = await make({ expires_at: new Date(server.clock.now() + 1000).toISOString() });
        await rotate(rotated, token);
        await call('DELETE', `/v2/auth/api-keys/${deleted}`, token);
        server.clock.advance(1000);
        for (const id of [rotated, expired, deleted]) expect((await rotate(id, token)).status).toBe(409);
        const stranger = await person(['user']);
        expect((await rotate(STRANGER, token)).status).toBe(404);
        expect((await rotate(deleted, stranger.token)).status).toBe(404);
        expect((await call('DELETE', `/v2/auth/api-keys/${deleted}`, token)).status).toBe(404);
        expect((await call('GET', '/v2/auth/api-keys', token)).text).not.toContain(String(deleted));
      });
    });

    describe('tenants', () => {
      it(req('TENANT-01', 'are listed and made by platform administrators alone'), async () => {
        const other = await otherTenant();
        expect((await call('GET', '/v2/tenants', other.token)).status).toBe(403);
        expect((await call('POST', '/v2/tenants', other.token, { name: 'x', slug: 'x' })).status).toBe(403);
        expect((await call('GET', '/v2/tenants', admin)).body.total).toBeGreaterThan(1);
        const home = String((await call('GET', '/v2/auth/me', admin)).body.org_id);
        expect((await call('GET', `/v2/tenants/${home}`, other.token)).status).toBe(404);
        expect((await call('GET', `/v2/tenants/${other.id}`, other.token)).body).toMatchObject({
          id: other.id,
        });
        expect((await call('POST', '/v2/tenants', admin, { name: 'x', slug: 'default' })).status).toBe(409);
        expect((await call('POST', '/v2/tenants', admin, { name: 'x', slug: 'No Slug' })).status).toBe(422);
      });

      it('let their own admins change names and settings, not tier or status', async () => {
        const other = await otherTenant();
        const path = `/v2/tenants/${other.id}`;
        const settings = { timezone: 'Europe/Berlin' };
        expect((await call('PATCH', path, other.token, { settings })).body).toMatchObject({ settings });
        expect((await call('PATCH', path, other.token, { settings: { timezone: 'Mars/Base' } })).status).toBe(
          422,
        );
        expect((await call('PATCH', path, other.token, { tier: 'enterprise' })).status).toBe(403);
        expect((await call('PATCH', path, admin, { tier: 'enterprise' })).body.tier).toBe('enterprise');
        expect((await call('GET', '/v2/auth/me', other.token)).body.tier).toBe('enterprise');
      });

      it(req('TENANT-01', 'are shut everywhere while suspended, at once'), async () => {
        const other = await otherTenant();
        expect((await call('GET', '/v2/auth/me', other.token)).status).toBe(200);
        await call('PATCH', `/v2/tenants/${other.id}`, admin, { status: 'suspended' });
        for (const path of ['/v2/auth/me', '/v2/users', '/v2/audit']) {
          expect((await call('GET', path, other.token)).status).toBe(403);
        }
        await call('PATCH', `/v2/tenants/${other.id}`, admin, { status: 'active' });
        expect((await call('GET', '/v2/auth/me', other.token)).status).toBe(200);
        const home = String((await call('GET', '/v2/auth/me', admin)).body.org_id);
        expect((await call('PATCH', `/v2/tenants/${home}`, admin, { status: 'suspended' })).status).toBe(409);
      });
    });

    describe('audit', () => {
      it('records sign-ins, refusals and changes of rights, and filters them', async () => {
        const user = await person(['user']);
        await call('POST', '/v2/auth/login', undefined, { email: user.email, password: 'wrong' });
        await call('PATCH', `/v2/users/${user.id}`, admin, { roles: ['analyst'] });
        const refused = await call('GET', `/v2/audit?actor=${user.id}&outcome=refused`, admin);
        expect(refused.body).toMatchObject({ total: 1, items: [{ action: 'session.refused' }] });
        const created = await call('GET', `/v2/audit?actor=${user.id}&action=session.created`, admin);
        expect(created.body.total).toBe(1);
        const changed = await call('GET', `/v2/audit?action=user&target=${user.id}`, admin);
        expect((changed.body.items as { action: string }[]).map((item) => item.action)).toEqual([
          'user.updated',
          'user.created',
        ]);
        const later = new Date(server.clock.now() + 1000).toISOString();
        expect((await call('GET', `/v2/audit?from=${later}`, admin)).body.total).toBe(0);
        expect((await call('GET', '/v2/audit', user.token)).status).toBe(200);
        const plain = await person(['user']);
        expect((await call('GET', '/v2/audit', plain.token)).status).toBe(403);
      });

      it('proves its chain, and shows a change, a gap and a cut tail', async () => {
        const verify = async () => (await call('GET', '/v2/audit/verify', admin)).body;
        expect(await verify()).toMatchObject({ ok: true, broken_at: null });
        const tenant = String((await call('GET', '/v2/auth/me', admin)).body.org_id);
        const rows = () =>
          server.db.read
            .selectFrom('audit_events')
            .selectAll()
            .where('tenant_id', '=', tenant)
            .orderBy('seq')
            .execute();
        const [, second] = await rows();
        const last = (await rows()).at(-1);
        if (!second || !last) throw new Error('no rows');
        const tamper = (work: Parameters<typeof server.db.write>[0]) => server.db.write(work);
        const { sql } = await import('kysely');

        // The store itself refuses; only whoever can drop its guard gets further, and the chain shows that.
        await expect(
          tamper((tx) =>
            tx.updateTable('audit_events').set({ action: 'x' }).where('id', '=', second.id).execute(),
          ),
        ).rejects.toThrow(/append-only/);
        await expect(
          tamper((tx) => tx.deleteFrom('audit_events').where('id', '=', second.id).execute()),
        ).rejects.toThrow(/append-only/);
        await tamper(async (tx) => {
          if (server.db.dialect === 'postgres') {
            await sql`drop trigger audit_events_append_only on audit_events`.execute(tx);
            return;
          }
          await sql`drop trigger audit_events_no_update`.execute(tx);
          await sql`drop trigger audit_events_no_delete`.execute(tx);
        });
        const restore = (row: typeof second) =>
          tamper((tx) => tx.insertInto('audit_events').values(row).execute());

        await tamper((tx) =>
          tx.updateTable('audit_events').set({ action: 'x' }).where('id', '=', second.id).execute(),
        );
        expect(await verify()).toMatchObject({ ok: false, broken_at: second.seq });
        await tamper((tx) =>
          tx.updateTable('audit_events').set({ action: second.action }).where('id', '=', second.id).execute(),
        );
        expect(await verify()).toMatchObject({ ok: true });
        for (const row of [second, last]) {
          await tamper((tx) => tx.deleteFrom('audit_events').where('id', '=', row.id).execute());
          expect(await verify()).toMatchObject({ ok: false, broken_at: row.seq });
          await restore(row);
        }
        expect(await verify()).toMatchObject({ ok: true });
      });
    });

    describe('personal data', () => {
      it(req('USER-02', 'is handed out and erased: one’s own, or by an admin; never to others'), async () => {
        const user = await person(['user']);
        const notes = new Map([[user.id, ['a', 'b']]]);
        server.users.registerPersonalData({
          name: 'notes',
          exportData: (who) => Promise.resolve(notes.get(who.userId) ?? []),
          eraseData: (who) => {
            const size = notes.get(who.userId)?.length ?? 0;
            notes.delete(who.userId);
            return Promise.resolve(size);
          },
        });
        const exported = await call('GET', `/v2/users/${user.id}/export`, user.token);
        expect(exported.body).toMatchObject({ user: { id: user.id }, data: { notes: ['a', 'b'] } });
        const neighbour = await person(['user']);
        for (const [method, tail] of [
          ['GET', '/export'],
          ['DELETE', '/data'],
        ] as const) {
          const real = await call(method, `/v2/users/${user.id}${tail}`, neighbour.token);
          const none = await call(method, `/v2/users/${STRANGER}${tail}`, neighbour.token);
          expect([method, real.status]).toEqual([method, 404]);
          expect({ ...real.body, request_id: '' }).toEqual({ ...none.body, request_id: '' });
        }
        expect((await call('DELETE', `/v2/users/${user.id}/data`, admin)).body).toEqual({
          user_id: user.id,
          erased: { notes: 2 },
        });
        expect((await call('GET', `/v2/users/${user.id}/export`, user.token)).body.data).toEqual({
          notes: [],
        });

        await call('DELETE', `/v2/users/${user.id}`, admin);
        await call('DELETE', `/v2/users/${user.id}/data`, admin);
        const gone = await call('GET', `/v2/users/${user.id}`, admin);
        expect(gone.text).not.toContain(user.email);
        const again = await call('POST', '/v2/users', admin, { email: user.email, password: 'long enough' });
        expect(again.status).toBe(201);
      });
    });

    it('drops what has expired and keeps what has not', async () => {
      const { token } = await person(['user']);
      await server.identity.maintain();
      expect((await call('GET', '/v2/auth/me', token)).status).toBe(200);
      server.clock.advance(40 * 86_400_000);
      await server.identity.maintain();
      for (const table of ['sessions', 'access_tokens', 'login_failures', 'oidc_records'] as const) {
        const rows = await server.db.read.selectFrom(table).selectAll().execute();
        expect([table, rows.length]).toEqual([table, 0]);
      }
    });
  });
};
