import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { createMemory } from '../../src/features/memory/index.ts';
import { buildApp } from '../../src/http/app.ts';
import { createIdempotencyStore } from '../../src/http/idempotency.store.ts';
import { createIdempotency } from '../../src/http/idempotency.ts';
import { OVERVIEW_RATES, REFERENCE_RATES } from '../../src/http/rate-limit.rules.ts';
import { createMemoryRateLog } from '../../src/http/rate-limit.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { unauthorized } from '../../src/kernel/errors.ts';
import { req } from '../requirements.ts';
import { nodeOf } from '../support/cluster.ts';
import { holdToContract } from '../support/contract.ts';
import { callerOfToken } from '../support/memory.ts';

/** The memory over HTTP, on whichever store `openDb` gives. */
export const memoryHttpSuite = (store: string, openDb: () => Promise<Db>): void => {
  describe(`memory over HTTP (${store})`, () => {
    let db: Db;
    let app: FastifyInstance;
    beforeAll(async () => {
      db = await openDb();
      app = await buildApp({
        routes: createMemory({ db, cluster: nodeOf(db), clock: systemClock }).routes,
        authenticate: (token) => {
          if (token === 'bad') throw unauthorized('TOKEN_INVALID', 'the token is not valid');
          return callerOfToken(token);
        },
        idempotency: createIdempotency(createIdempotencyStore(db), systemClock),
        limits: {
          log: createMemoryRateLog(1000),
          tables: { reference: REFERENCE_RATES, overview: OVERVIEW_RATES },
          enforce: false,
          clock: systemClock,
        },
        logger: pino({ level: 'silent' }),
        corsOrigins: [],
        trustProxy: [],
        tls: null,
        maxUploadBytes: 1024,
        draining: () => false,
        observe: () => {},
      });
    });
    afterAll(async () => {
      await app.close();
      await db.close();
    });

    type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
    const send = async (token: string | null, method: Method, url: string, body?: unknown, headers = {}) => {
      const path = url.startsWith('/') ? url : `/api/v1/memory/${url}`;
      const response = await app.inject({
        method,
        url: path,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const contentType = String(response.headers['content-type'] ?? '');
      holdToContract({
        method,
        path,
        status: response.statusCode,
        contentType,
        text: response.body,
        namedPeople: true,
      });
      const isJson = response.headers['content-type']?.toString().startsWith('application/json');
      return {
        status: response.statusCode,
        headers: response.headers,
        text: response.body,
        json: isJson === true && response.body !== '' ? JSON.parse(response.body) : null,
      };
    };
    const make = async (
      token: string,
      name: string,
      entity_type = 'person',
      extra: object = {},
    ): Promise<string> => {
      const made = await send(token, 'POST', 'entities', { name, entity_type, ...extra });
      expect(made.status).toBe(201);
      return made.json.id;
    };
    const relate = (token: string, from: string, to: string, relation_type: string, extra: object = {}) =>
      send(token, 'POST', 'relations', { from_entity_id: from, to_entity_id: to, relation_type, ...extra });

    it('makes an entity with all its fields', async () => {
      const made = await send('ann', 'POST', 'entities', {
        name: '  Ada Lovelace ',
        entity_type: 'person',
        observations: ['wrote the first program', { text: 'lives in London' }],
        importance: 0.8,
      });
      expect(made.status).toBe(201);
      expect(made.headers.location).toBe(`/api/v1/memory/entities/${made.json.id}`);
      expect(made.json).toMatchObject({
        name: 'Ada Lovelace',
        entity_type: 'person',
        visibility: 'private',
        owner_id: 'ann',
        importance: 0.8,
      });
      expect(made.json.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      expect(made.json.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(made.json.observations.map((o: { text: string }) => o.text)).toEqual([
        'wrote the first program',
        'lives in London',
      ]);
      expect(made.json.observations[0].source).toEqual({
        kind: 'api',
        message_id: null,
        conversation_id: null,
        user: 'ann',
      });
      expect((await send('ann', 'GET', `entities/${made.json.id}`)).json).toEqual(made.json);
    });

    it('gives the address under the prefix that was used', async () => {
      const made = await send('ann', 'POST', '/api/v2/memory/entities', { name: 'Prefix', entity_type: 'x' });
      expect(made.headers.location).toBe(`/api/v2/memory/entities/${made.json.id}`);
    });

    it(req('MEM-01', 'joins observations to the entity of the same folded name and type (200)'), async () => {
      const id = await make('joi', 'Café  Straße', 'place', { observations: ['opens at 8'] });
      const again = await send('joi', 'POST', 'entities', {
        name: ' CAFE\u0301 STRASSE ',
        entity_type: 'Place',
        observations: ['opens at 8', 'closed on Sunday'],
      });
      expect(again.status).toBe(200);
      expect(again.json.id).toBe(id);
      expect(again.json.name).toBe('Café  Straße');
      expect(again.json.observations.map((o: { text: string }) => o.text)).toEqual([
        'opens at 8',
        'closed on Sunday',
      ]);
      expect(
        (await send('joi', 'POST', 'entities', { name: 'Café Straße', entity_type: 'film' })).status,
      ).toBe(201);
    });

    it(req('MEM-01', 'makes one entity of ten parallel ones'), async () => {
      const all = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          send('par', 'POST', 'entities', {
            name: i % 2 ? 'Grace' : 'GRACE ',
            entity_type: 'person',
            observations: [`fact ${i}`, 'same'],
          }),
        ),
      );
      expect(all.map((r) => r.status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 201]);
      expect(new Set(all.map((r) => r.json.id)).size).toBe(1);
      const list = await send('par', 'GET', 'entities');
      expect(list.json.total).toBe(1);
      expect(list.json.items[0].observations).toHaveLength(11);
    });

    it(req('MEM-02', 'keeps both of two statements that contradict, the newer one holding'), async () => {
      const id = await make('con', 'Bob', 'person', { observations: ['works at Acme'] });
      const after = await send('con', 'POST', `entities/${id}/observations`, { text: 'works at Globex' });
      expect(after.status).toBe(201);
      const [older, newer] = after.json.observations;
      expect(older.text).toBe('works at Acme');
      expect(older.valid_to).toBe(newer.valid_from);
      expect(newer).toMatchObject({ text: 'works at Globex', valid_to: null, source: { user: 'con' } });
    });

    it(req('MEM-02', 'never ends what somebody else has said of a shared entity'), async () => {
      const id = await make('op1/operator', 'Head office', 'place', {
        visibility: 'tenant',
        observations: ['located in Rome'],
      });
      await send('op2/operator', 'POST', `entities/${id}/observations`, { text: 'located in Oslo' });
      const seen = await send('reader', 'GET', `entities/${id}`);
      expect(seen.json).toMatchObject({ visibility: 'tenant', owner_id: null });
      expect(
        seen.json.observations.map((o: { valid_to: string | null; source: { user: string } }) => [
          o.source.user,
          o.valid_to,
        ]),
      ).toEqual([
        ['op1', null],
        ['op2', null],
      ]);
    });

    it('lets nobody without memory:* share or change what is shared (403)', async () => {
      const denied = await send('usr', 'POST', 'entities', {
        name: 'X',
        entity_type: 'y',
        visibility: 'tenant',
      });
      expect(denied.status).toBe(403);
      expect(denied.json.error.details.required).toBe('memory:*');
      const id = await make('op1/operator', 'Handbook', 'document', { visibility: 'tenant' });
      expect((await send('usr', 'GET', `entities/${id}`)).status).toBe(200);
      expect((await send('usr', 'POST', `entities/${id}/observations`, { text: 'mine' })).status).toBe(403);
      expect((await send('usr', 'PATCH', `entities/${id}`, { name: 'Mine' })).status).toBe(403);
      expect((await send('usr', 'DELETE', `entities/${id}`)).status).toBe(403);
    });

    it('keeps a user’s own entity beside the shared one of the same name', async () => {
      const shared = await make('op1/operator', 'Roadmap', 'document', {
        visibility: 'tenant',
        observations: ['status is green'],
      });
      const own = await make('dup', 'Roadmap', 'document', { observations: ['status is red'] });
      expect(own).not.toBe(shared);
      const list = await send('dup', 'GET', 'entities?q=roadmap');
      expect(list.json.items.map((e: { id: string }) => e.id).sort()).toEqual([own, shared].sort());
      expect((await send('dup', 'GET', `entities/${shared}`)).json.observations[0].valid_to).toBeNull();
    });

    it(req('MEM-06', 'answers a stranger as if nothing were there'), async () => {
      const id = await make('own', 'Secret plan', 'plan');
      const other = await make('own', 'Ally', 'person');
      const rel = (await relate('own', id, other, 'needs')).json.id;
      for (const stranger of ['str', 'adm/admin/t2']) {
        const mine = await make(stranger, `Mine ${stranger}`, 'thing');
        for (const [method, url, body] of [
          ['GET', `entities/${id}`],
          ['PATCH', `entities/${id}`, { name: 'n' }],
          ['DELETE', `entities/${id}`],
          ['POST', `entities/${id}/observations`, { text: 't' }],
          ['POST', `entities/${id}/merge`, { entity_id: mine }],
          ['POST', `entities/${mine}/merge`, { entity_id: id }],
          ['GET', `graph?entity_id=${id}`],
          ['GET', `relations/${rel}`],
          ['PATCH', `relations/${rel}`, { properties: {} }],
          ['DELETE', `relations/${rel}`],
          ['POST', 'relations', { from_entity_id: mine, to_entity_id: id, relation_type: 'x' }],
        ] as const) {
          const answer = await send(stranger, method, url, body);
          expect([method, url, answer.status]).toEqual([method, url, 404]);
        }
        expect((await send(stranger, 'GET', 'entities?q=secret')).json.total).toBe(0);
        expect((await send(stranger, 'GET', 'relations')).json.total).toBe(0);
      }
      const unknown = await send('str', 'GET', 'entities/01890000-0000-7000-8000-000000000000', undefined, {
        'x-request-id': 'r',
      });
      const foreign = await send('str', 'GET', `entities/${id}`, undefined, { 'x-request-id': 'r' });
      expect(foreign.text).toBe(unknown.text);
      expect((await send('str', 'GET', 'entities/nonsense')).status).toBe(404);
      expect((await send('own', 'GET', `entities/${id}`)).status).toBe(200);
    });

    it('shows operators the memory of their tenant', async () => {
      const id = await make('emp/user/t7', 'Desk', 'thing');
      expect((await send('boss/operator/t7', 'GET', `entities/${id}`)).status).toBe(200);
      expect((await send('boss/operator/t8', 'GET', `entities/${id}`)).status).toBe(404);
      const shared = await send('boss/operator/t7', 'PATCH', `entities/${id}`, { visibility: 'tenant' });
      expect(shared.status).toBe(403);
    });

    it('refuses 401 and 403 first', async () => {
      expect((await send(null, 'GET', 'entities')).status).toBe(401);
      expect((await send('bad', 'GET', 'entities')).status).toBe(401);
      expect((await send('ro/readonly', 'POST', 'entities', { name: 'a', entity_type: 'b' })).status).toBe(
        403,
      );
      expect((await send('ro/readonly', 'GET', 'entities')).status).toBe(200);
    });

    it.each([
      ['entities', {}, '/name'],
      ['entities', { name: 'a' }, '/entity_type'],
      ['entities', { name: '  ', entity_type: 'b' }, '/name'],
      ['entities', { name: 'x'.repeat(201), entity_type: 'b' }, '/name'],
      ['entities', { name: 'a', entity_type: 'b', colour: 1 }, '/colour'],
      ['entities', { name: 'a', entity_type: 'b', importance: 2 }, '/importance'],
      ['entities', { name: 7, entity_type: 'b' }, '/name'],
      ['entities', { name: 'a\u0000', entity_type: 'b' }, '/name'],
      ['entities', { name: 'a', entity_type: 'b', observations: [''] }, '/observations/0'],
      ['relations', { from_entity_id: 'x', to_entity_id: 'y', relation_type: 'z' }, '/from_entity_id'],
      ['relations', { relation_type: 'z' }, '/from_entity_id'],
    ])('422 on POST %s %j names %s', async (path, body, field) => {
      const answer = await send('val', 'POST', path, body);
      expect(answer.status).toBe(422);
      expect(answer.json.error.details.fields.map((f: { field: string }) => f.field)).toContain(field);
    });

    it.each([
      'entities?limit=0',
      'entities?limit=101',
      'entities?page=0',
      'entities?colour=1',
      'entities?cursor=%21',
      'entities?q=%00',
      'relations?at=yesterday',
      'relations?entity_id=x',
      'graph?depth=4',
      'graph?depth=0',
      'graph?limit=0',
      'graph?limit=5001',
    ])('422 on GET %s', async (url) => {
      expect((await send('val', 'GET', url)).status).toBe(422);
    });

    it('pages through a list without skips or repeats, newest first', async () => {
      for (let i = 0; i < 7; i++) await make('pag', `Item ${i}`, 'item');
      const names: string[] = [];
      let url = 'entities?limit=3';
      for (let pages = 0; pages < 5; pages++) {
        const page = await send('pag', 'GET', url);
        expect(page.json).toMatchObject({ limit: 3, total: expect.any(Number) });
        names.push(
          ...page.json.items
            .filter((e: { entity_type: string }) => e.entity_type === 'item')
            .map((e: { name: string }) => e.name),
        );
        if (!page.json.has_more) break;
        url = `entities?limit=3&cursor=${page.json.next_cursor}`;
      }
      expect(names).toEqual([6, 5, 4, 3, 2, 1, 0].map((i) => `Item ${i}`));
      const second = await send('pag', 'GET', 'entities?limit=3&page=2&type=ITEM');
      expect(second.json.items.map((e: { name: string }) => e.name)).toEqual(['Item 3', 'Item 2', 'Item 1']);
      expect(second.json).toMatchObject({ page: 2, total: 7, has_more: true });
    });

    it('finds by part of name or observation, taking wildcards as they stand', async () => {
      await make('fnd', '100% Cotton_Shirt', 'thing', { observations: ['Größe M\\L'] });
      await make('fnd', 'Other', 'thing');
      for (const q of ['100%', 'cotton_', 'GRÖSSE', 'm\\l', 'on_sh']) {
        const found = await send('fnd', 'GET', `entities?type=thing&q=${encodeURIComponent(q)}`);
        expect([q, found.json.items.map((e: { name: string }) => e.name)]).toEqual([
          q,
          ['100% Cotton_Shirt'],
        ]);
      }
      expect((await send('fnd', 'GET', 'entities?type=thing&q=%25o%25')).json.total).toBe(0);
    });

    it('stores and finds names of any script', async () => {
      for (const name of ['数据库 🗄️', 'a-b/c\\d(e:f"g\'h', '𝒳 𐍈', 'O’Brien; drop table']) {
        const id = await make('scr', name, 'thing');
        const found = await send('scr', 'GET', `entities?type=thing&q=${encodeURIComponent(name)}`);
        expect(found.json.items.map((e: { id: string }) => e.id)).toEqual([id]);
      }
    });

    it('renames, and refuses a name that is taken (409)', async () => {
      const id = await make('ren', 'Old', 'thing');
      await make('ren', 'Taken', 'thing');
      const renamed = await send('ren', 'PATCH', `entities/${id}`, { name: 'New', importance: 0.2 });
      expect(renamed.json).toMatchObject({ name: 'New', importance: 0.2 });
      expect((await send('ren', 'PATCH', `entities/${id}`, { name: ' TAKEN' })).status).toBe(409);
      expect((await send('ren', 'PATCH', `entities/${id}`, {})).status).toBe(422);
      expect((await send('ren', 'PATCH', `entities/${id}`, { name: 'NEW' })).json.name).toBe('NEW');
    });

    it('shares an own entity with the tenant', async () => {
      const id = await make('op9/operator', 'Style guide', 'document');
      expect((await send('els', 'GET', `entities/${id}`)).status).toBe(404);
      expect(
        (await send('op9/operator', 'PATCH', `entities/${id}`, { visibility: 'tenant' })).json.visibility,
      ).toBe('tenant');
      expect((await send('els', 'GET', `entities/${id}`)).status).toBe(200);
    });

    it('adds, corrects and deletes observations', async () => {
      const id = await make('obs', 'Car', 'thing');
      const added = await send('obs', 'POST', `entities/${id}/observations`, {
        observations: ['is blue', 'has four doors'],
      });
      expect(added.status).toBe(201);
      expect((await send('obs', 'POST', `entities/${id}/observations`, { text: 'IS  BLUE' })).status).toBe(
        200,
      );
      expect((await send('obs', 'POST', `entities/${id}/observations`, {})).status).toBe(422);
      const blue = added.json.observations[0].id;
      const corrected = await send('obs', 'PATCH', `entities/${id}/observations/${blue}`, {
        text: 'is green',
      });
      expect(
        corrected.json.observations.map((o: { text: string; valid_to: string | null }) => [
          o.text,
          o.valid_to === null,
        ]),
      ).toEqual([
        ['is blue', false],
        ['has four doors', true],
        ['is green', true],
      ]);
      expect((await send('obs', 'DELETE', `entities/${id}/observations/${blue}`)).status).toBe(204);
      expect((await send('obs', 'DELETE', `entities/${id}/observations/${blue}`)).status).toBe(404);
      expect((await send('obs', 'GET', `entities/${id}`)).json.observations).toHaveLength(2);
    });

    it('makes, filters, ends and deletes relations', async () => {
      const a = await make('rel', 'A');
      const b = await make('rel', 'B');
      const c = await make('rel', 'C');
      const old = await relate('rel', a, b, 'works_at', {
        valid_from: '2019-01-01T00:00:00Z',
        valid_to: '2021-01-01T00:00:00Z',
        properties: { role: 'dev' },
      });
      expect(old.status).toBe(201);
      expect(old.headers.location).toBe(`/api/v1/memory/relations/${old.json.id}`);
      expect(old.json).toMatchObject({
        from_entity_id: a,
        to_entity_id: b,
        relation_type: 'works_at',
        properties: { role: 'dev' },
        valid_from: '2019-01-01T00:00:00.000Z',
        valid_to: '2021-01-01T00:00:00.000Z',
      });
      const now = await relate('rel', a, c, 'works_at', { valid_from: '2021-01-01T00:00:00Z' });
      const ids = async (query: string) =>
        (await send('rel', 'GET', `relations?${query}`)).json.items.map((r: { id: string }) => r.id);
      expect(await ids('')).toEqual([now.json.id, old.json.id]);
      expect(await ids('at=2020-06-01T00:00:00Z')).toEqual([old.json.id]);
      expect(await ids('at=2021-01-01T00:00:00Z')).toEqual([now.json.id]);
      expect(await ids('at=2018-01-01T00:00:00Z')).toEqual([]);
      expect(await ids(`entity_id=${c}`)).toEqual([now.json.id]);
      expect(await ids('type=WORKS_AT&limit=1')).toEqual([now.json.id]);
      expect(await ids('type=knows')).toEqual([]);
      const same = await relate('rel', a, c, 'Works_At', { properties: { since: 1 } });
      expect([same.status, same.json.id, same.json.properties]).toEqual([200, now.json.id, { since: 1 }]);
      const ended = await send('rel', 'PATCH', `relations/${now.json.id}`, {
        valid_to: '2022-01-01T00:00:00Z',
      });
      expect(ended.json.valid_to).toBe('2022-01-01T00:00:00.000Z');
      expect(
        (await send('rel', 'PATCH', `relations/${now.json.id}`, { valid_to: '2020-01-01T00:00:00Z' })).status,
      ).toBe(422);
      expect((await relate('rel', a, c, 'works_at')).status).toBe(201);
      expect((await send('rel', 'PATCH', `relations/${now.json.id}`, { valid_to: null })).status).toBe(409);
      expect(
        (
          await relate('rel', a, b, 'x', {
            valid_from: '2021-01-01T00:00:00Z',
            valid_to: '2021-01-01T00:00:00Z',
          })
        ).status,
      ).toBe(422);
      expect((await relate('rel', a, '01890000-0000-7000-8000-000000000000', 'x')).status).toBe(404);
      expect((await send('rel', 'DELETE', `relations/${now.json.id}`)).status).toBe(204);
      expect((await send('rel', 'GET', `relations/${now.json.id}`)).status).toBe(404);
    });

    it('makes one relation of ten parallel ones', async () => {
      const a = await make('rp', 'A');
      const b = await make('rp', 'B');
      const all = await Promise.all(Array.from({ length: 10 }, () => relate('rp', a, b, 'knows')));
      expect(all.filter((r) => r.status === 201)).toHaveLength(1);
      expect(new Set(all.map((r) => r.json.id)).size).toBe(1);
    });

    it('deletes the relations of an entity with it', async () => {
      const a = await make('del', 'A');
      const b = await make('del', 'B');
      const id = (await relate('del', a, b, 'knows')).json.id;
      expect((await send('del', 'DELETE', `entities/${b}`)).status).toBe(204);
      expect((await send('del', 'DELETE', `entities/${b}`)).status).toBe(404);
      expect((await send('del', 'GET', `relations/${id}`)).status).toBe(404);
      expect((await send('del', 'GET', 'relations')).json.total).toBe(0);
    });

    it('hides private relations between shared entities from others', async () => {
      const a = await make('op1/operator', 'Team A', 'team', { visibility: 'tenant' });
      const b = await make('op1/operator', 'Team B', 'team', { visibility: 'tenant' });
      const mine = await relate('prv', a, b, 'annoys');
      expect(mine.json.visibility).toBe('private');
      expect((await send('oth', 'GET', `relations?entity_id=${a}`)).json.total).toBe(0);
      expect((await relate('op1/operator', a, b, 'works_with')).json.visibility).toBe('tenant');
      expect((await send('oth', 'GET', `relations?entity_id=${a}`)).json.total).toBe(1);
      expect((await relate('prv', a, b, 'x', { visibility: 'tenant' })).status).toBe(403);
      const own = await make('prv', 'Own', 'x');
      expect((await relate('prv', own, b, 'x', { visibility: 'tenant' })).status).toBe(422);
    });

    it('merges two entities', async () => {
      const kept = await make('mrg', 'Robert Smith', 'person', {
        observations: ['works at Acme', 'likes tea'],
        importance: 0.3,
      });
      const other = await make('mrg', 'Bob', 'contact', {
        observations: ['likes tea', 'works at Globex', 'has a boat'],
        importance: 0.9,
      });
      const acme = await make('mrg', 'Acme', 'organization');
      await relate('mrg', kept, acme, 'knows');
      await relate('mrg', other, acme, 'knows');
      await relate('mrg', other, acme, 'buys_from');
      await relate('mrg', kept, other, 'same_as');
      const merged = await send('mrg', 'POST', `entities/${kept}/merge`, { entity_id: other });
      expect(merged.status).toBe(200);
      expect(merged.json.importance).toBe(0.9);
      const held = merged.json.observations
        .filter((o: { valid_to: string | null }) => o.valid_to === null)
        .map((o: { text: string }) => o.text);
      expect(held.sort()).toEqual(['also known as Bob', 'has a boat', 'likes tea', 'works at Globex']);
      expect((await send('mrg', 'GET', `entities/${other}`)).status).toBe(404);
      const types = (await send('mrg', 'GET', `relations?entity_id=${kept}`)).json.items.map(
        (r: { relation_type: string }) => r.relation_type,
      );
      expect(types.sort()).toEqual(['buys_from', 'knows']);
      expect((await send('mrg', 'POST', `entities/${kept}/merge`, { entity_id: kept })).status).toBe(422);
    });

    it(req('MEM-03', 'walks the graph in one to three steps'), async () => {
      const ids: string[] = [];
      for (const name of ['a', 'b', 'c', 'd', 'e']) ids.push(await make('grp', name, 'node'));
      for (let i = 0; i < 4; i++) await relate('grp', ids[i] ?? '', ids[i + 1] ?? '', 'next');
      await relate('grp', ids[0] ?? '', ids[4] ?? '', 'was', {
        valid_from: '2000-01-01T00:00:00Z',
        valid_to: '2001-01-01T00:00:00Z',
      });
      const at = async (query: string) => {
        const graph = await send('grp', 'GET', `graph?${query}`);
        expect(graph.status).toBe(200);
        return [
          graph.json.entities.map((e: { name: string }) => e.name).join(''),
          graph.json.relations.length,
          graph.json.truncated,
        ];
      };
      expect(await at(`entity_id=${ids[0]}`)).toEqual(['ab', 1, false]);
      expect(await at(`entity_id=${ids[0]}&depth=2`)).toEqual(['abc', 2, false]);
      expect(await at(`entity_id=${ids[0]}&depth=3`)).toEqual(['abcd', 3, false]);
      // The nearest come first, and what was left out is told.
      expect(await at(`entity_id=${ids[0]}&depth=3&limit=3`)).toEqual(['abc', 2, true]);
      expect(await at(`entity_id=${ids[2]}&depth=1`)).toEqual(['bcd', 2, false]);
      expect(await at(`entity_id=${ids[0]}&at=2000-06-01T00:00:00Z`)).toEqual(['ae', 1, false]);
    });

    it(req('MEM-03', 'says when the graph is cut'), async () => {
      const lines = Array.from({ length: 230 }, (_, i) =>
        JSON.stringify({ type: 'entity', name: `n${i}`, entityType: 'n', observations: [] }),
      );
      const ties = Array.from({ length: 229 }, (_, i) =>
        JSON.stringify({ type: 'relation', from: 'n0', to: `n${i + 1}`, relationType: 'r' }),
      );
      await send('big', 'POST', 'import', [...lines, ...ties].join('\n'), {
        'content-type': 'application/x-ndjson',
      });
      const start = (await send('big', 'GET', 'entities?q=n0')).json.items.find(
        (e: { name: string }) => e.name === 'n0',
      ).id;
      const graph = await send('big', 'GET', `graph?entity_id=${start}`);
      expect([graph.json.entities.length, graph.json.relations.length, graph.json.truncated]).toEqual([
        200,
        199,
        true,
      ]);
      expect((await send('big', 'GET', 'graph')).json.truncated).toBe(true);
    });

    it(req('MEM-04', 'imports the public MCP memory server’s file and exports it again'), async () => {
      const file = [
        { type: 'relation', from: 'Ada', to: 'Engine', relationType: 'programmed' },
        {
          type: 'entity',
          name: 'Ada',
          entityType: 'person',
          observations: ['likes numbers', 'lives in London'],
        },
        { type: 'entity', name: 'Engine', entityType: 'machine', observations: [] },
        { type: 'relation', from: 'Ada', to: 'Nobody', relationType: 'knows' },
        { type: 'strange' },
      ];
      const text = `${file.map((line) => JSON.stringify(line)).join('\r\n')}\nno json\n\n`;
      const ndjson = { 'content-type': 'application/x-ndjson' };
      const first = await send('imp', 'POST', 'import', text, ndjson);
      expect([first.status, first.json]).toEqual([200, { entities: 2, relations: 1, skipped: 3 }]);
      expect((await send('imp', 'POST', 'import', text, ndjson)).json).toEqual({
        entities: 0,
        relations: 0,
        skipped: 6,
      });
      const shared = (await send('imp', 'GET', 'entities')).json.items.filter(
        (e: { visibility: string }) => e.visibility === 'tenant',
      ).length;
      const out = await send('imp', 'GET', 'export');
      expect(out.headers['content-type']).toBe('application/x-ndjson');
      const lines = out.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines.filter((line) => line.type === 'entity')).toHaveLength(2 + shared);
      for (const index of [0, 1, 2]) expect(lines).toContainEqual(file[index]);
      const copy = await send('cop/user/t9', 'POST', 'import', out.text, ndjson);
      expect(copy.json).toMatchObject({ skipped: 0 });
      expect((await send('cop/user/t9', 'GET', 'export')).text).toBe(out.text);
    });

    it('refuses names that nobody sees, and folds control characters to blanks', async () => {
      for (const name of ['\u200b', '\u2060\ufeff', ' \u200d '])
        expect((await send('see', 'POST', 'entities', { name, entity_type: 'x' })).status).toBe(422);
      const made = await send('see', 'POST', 'entities', { name: 'One\nTwo\u0007 Three', entity_type: 'x' });
      expect(made.json.name).toBe('One Two Three');
      const again = await send('see', 'POST', 'entities', { name: 'one two three', entity_type: 'x' });
      expect([again.status, again.json.id]).toEqual([200, made.json.id]);
    });

    it('imports twelve thousand entities, and again without a change', async () => {
      const ndjson = { 'content-type': 'application/x-ndjson' };
      const text = Array.from({ length: 12_000 }, (_, i) =>
        JSON.stringify({
          type: 'entity',
          name: `Thing ${i}`,
          entityType: 'thing',
          observations: [`has number ${i}`],
        }),
      ).join('\n');
      const first = await send('many', 'POST', 'import', text, ndjson);
      expect(first.json).toEqual({ entities: 12_000, relations: 0, skipped: 0 });
      const again = await send('many', 'POST', 'import', text, ndjson);
      expect(again.json).toEqual({ entities: 0, relations: 0, skipped: 12_000 });
    }, 120_000);

    it('refuses what is no import', async () => {
      const ndjson = { 'content-type': 'application/x-ndjson' };
      expect((await send('imp2', 'POST', 'import', { a: 1 })).status).toBe(415);
      expect((await send('imp2', 'POST', 'import', 'text', { 'content-type': 'text/plain' })).status).toBe(
        415,
      );
      expect((await send('imp2', 'POST', 'import', 'garbage', ndjson)).status).toBe(422);
      expect((await send('imp2', 'POST', 'import', '\n \n', ndjson)).status).toBe(422);
      expect((await send('imp2', 'POST', 'import', '', ndjson)).status).toBe(422);
      expect((await send('imp2', 'POST', 'import', 'x'.repeat(26 * 1024 * 1024), ndjson)).status).toBe(413);
      expect((await send('imp2', 'POST', 'import?visibility=tenant', '{}', ndjson)).status).toBe(403);
      expect((await send('imp2', 'POST', 'entities', '{"name":"a"}', ndjson)).status).toBe(415);
      expect((await send('imp2', 'GET', 'export')).status).toBe(200);
    });

    it('replays an idempotent POST', async () => {
      const body = { name: 'Once', entity_type: 'thing', observations: ['a'] };
      const first = await send('ide', 'POST', 'entities', body, { 'idempotency-key': 'k1' });
      const again = await send('ide', 'POST', 'entities', body, { 'idempotency-key': 'k1' });
      expect([first.status, again.status, again.headers['idempotent-replayed'], again.text]).toEqual([
        201,
        201,
        'true',
        first.text,
      ]);
      expect(again.headers.location).toBe(first.headers.location);
    });

    it('sets, shows, corrects and deletes the preferences that agents are told', async () => {
      const list = async (token = 'prf') => (await send(token, 'GET', 'preferences')).json;
      expect(await list()).toMatchObject({ items: [], total: 0, has_more: false });
      const made = await send('prf', 'POST', 'preferences', { name: 'tone', value: ' friendly ' });
      expect(made.status).toBe(201);
      expect(made.json).toMatchObject({
        name: 'tone',
        value: 'friendly',
        text: 'wants a friendly tone',
        told: true,
        source: { kind: 'api', user: 'prf' },
      });
      expect(made.headers.location).toBe(`/api/v1/memory/entities/${made.json.entity_id}`);
      const again = await send('prf', 'POST', 'preferences', { name: 'tone', value: 'FRIENDLY' });
      expect([again.status, again.json.id]).toEqual([200, made.json.id]);
      const changed = await send('prf', 'POST', 'preferences', { name: 'tone', value: 'dry' });
      expect(changed.status).toBe(201);
      expect((await list()).items.map((one: { text: string }) => one.text)).toEqual(['wants a dry tone']);
      for (const value of ['likes short lists', 'likes green tea'])
        expect((await send('prf', 'POST', 'preferences', { name: 'other', value })).status).toBe(201);
      const zone = await send('prf', 'POST', 'preferences', { name: 'time_zone', value: 'europe/madrid' });
      expect(zone.json).toMatchObject({ name: 'time_zone', value: 'Europe/Madrid' });
      expect(await list()).toMatchObject({ total: 4 });
      const first = (await send('prf', 'GET', 'preferences?limit=3')).json;
      expect(first).toMatchObject({ has_more: true, total: 4 });
      const rest = (await send('prf', 'GET', `preferences?cursor=${first.next_cursor}`)).json;
      expect([...first.items, ...rest.items]).toEqual((await list()).items);

      const tea = first.items.find((one: { text: string }) => one.text.includes('tea'));
      expect(tea).toMatchObject({ name: null, value: null });
      const path = `entities/${tea.entity_id}/observations/${tea.id}`;
      expect((await send('prf', 'PATCH', path, { text: 'likes black tea' })).status).toBe(200);
      const black = (await list()).items.find((one: { text: string }) => one.text.includes('tea'));
      expect(black.text).toBe('likes black tea');
      expect(
        (await send('prf', 'DELETE', `entities/${black.entity_id}/observations/${black.id}`)).status,
      ).toBe(204);
      expect(await list()).toMatchObject({ total: 3 });

      // Nobody else's.
      expect(await list('prg')).toMatchObject({ total: 0 });
      const faults = async (body: object) => (await send('prf', 'POST', 'preferences', body)).status;
      expect(await faults({ name: 'time_zone', value: 'Atlantis' })).toBe(422);
      expect(await faults({ name: 'colour', value: 'red' })).toBe(422);
      expect(await faults({ name: 'tone', value: '  ' })).toBe(422);
      expect(await faults({ name: 'other', value: 'password is hunter2-xyz' })).toBe(422);
      expect(await faults({ name: 'tone', value: 'x'.repeat(201) })).toBe(422);
    });

    it('says which preferences agents are told: the newest twenty', async () => {
      for (let i = 0; i < 21; i++)
        await send('prm', 'POST', 'preferences', { name: 'other', value: `likes number ${i}` });
      const { items } = (await send('prm', 'GET', 'preferences?limit=100')).json;
      expect(items.map((one: { told: boolean }) => one.told)).toEqual([
        ...Array.from({ length: 20 }, () => true),
        false,
      ]);
      expect(items.at(-1).text).toBe('likes number 0');
    });

    describe('while the same is deleted', () => {
      /** `create` and `remove` at the same instant, again and again: what the creates answered. */
      const race = async (rounds: number, create: () => Promise<number>, remove: () => Promise<unknown>) => {
        const seen = new Set<number>();
        for (let round = 0; round < rounds; round++) {
          const all = await Promise.all([create(), remove(), create(), remove(), create()]);
          for (const at of [0, 2, 4]) seen.add(Number(all[at]));
        }
        return [...seen].filter((status) => status !== 201 && status !== 200);
      };

      it('an entity is made: never 404, 409 or 500', async () => {
        const named = async () =>
          (await send('rce', 'GET', 'entities?q=Rival')).json.items.map((one: { id: string }) => one.id);
        const create = async () =>
          (
            await send('rce', 'POST', 'entities', {
              name: 'Rival',
              entity_type: 'thing',
              observations: ['is fast', 'is red'],
            })
          ).status;
        const remove = async () => {
          for (const id of await named()) await send('rce', 'DELETE', `entities/${id}`);
        };
        await create();
        expect(await race(40, create, remove)).toEqual([]);
      });

      it('a relation is made: never 404, 409 or 500', async () => {
        const [from, to] = [await make('rcr', 'From'), await make('rcr', 'To')];
        const create = async () => (await relate('rcr', from, to, 'knows')).status;
        const remove = async () => {
          const { items } = (await send('rcr', 'GET', `relations?entity_id=${from}`)).json;
          for (const { id } of items) await send('rcr', 'DELETE', `relations/${id}`);
        };
        await create();
        expect(await race(40, create, remove)).toEqual([]);
      });

      it('a preference is set: never 404, 409 or 500', async () => {
        const create = async () =>
          (await send('rcp', 'POST', 'preferences', { name: 'tone', value: 'formal' })).status;
        const remove = async () => {
          const { items } = (await send('rcp', 'GET', 'preferences')).json;
          for (const one of items)
            await send('rcp', 'DELETE', `entities/${one.entity_id}/observations/${one.id}`);
        };
        await create();
        expect(await race(40, create, remove)).toEqual([]);
      });

      it('a file is imported: lines whose entities are gone are skipped', async () => {
        const lines = [
          { type: 'entity', name: 'Left', entityType: 'thing', observations: ['a'] },
          { type: 'entity', name: 'Right', entityType: 'thing', observations: ['b'] },
          { type: 'relation', from: 'Left', to: 'Right', relationType: 'next to' },
        ];
        const create = async () =>
          (
            await send('rci', 'POST', 'import', lines.map((line) => JSON.stringify(line)).join('\n'), {
              'content-type': 'application/x-ndjson',
            })
          ).status;
        const remove = async () => {
          const { items } = (await send('rci', 'GET', 'entities')).json;
          for (const { id } of items) await send('rci', 'DELETE', `entities/${id}`);
        };
        await create();
        expect(await race(40, create, remove)).toEqual([]);
      });
    });

    it('stands in the OpenAPI document', async () => {
      const document = JSON.parse((await send(null, 'GET', '/openapi.json')).text);
      expect(Object.keys(document.paths)).toContain('/api/v1/memory/entities/{id}/observations');
    });
  });
};
