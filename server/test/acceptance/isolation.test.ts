import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import type { Answer, Client } from '../support/client.ts';
import {
  FIND,
  HARMLESS_FIELDS,
  HARMLESS_QUERY,
  type Ids,
  KINDS,
  type Kind,
  PLANS,
  type Plan,
  SECRET,
} from '../support/isolation-map.ts';
import {
  allAtRest,
  makeEverything,
  type Person,
  randomIds,
  readEverything,
} from '../support/isolation-world.ts';
import { startReceiver } from '../support/receiver.ts';
import type { TestServer } from '../support/server.ts';
import { newPerson } from '../support/shapes.ts';
import { openSocket } from '../support/socket-client.ts';
import { withWorld } from '../support/suite.ts';

/**
 * Every operation of api/openapi.json, called as a stranger of the same tenant and as the administrator of another one, with the ids
 * of what somebody else has made in path, query, body and headers, and with cursors of somebody else's lists. Nothing of it comes back, nothing of it is
 * changed, and the answer is that for an id of nothing, byte by byte.
 */

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const record = (value: unknown): Json => (isRecord(value) ? value : {});

interface Operation {
  method: string;
  template: string;
  /** Of the plan: without the prefix of the surface. */
  name: string;
  plan: Plan;
  queryNames: string[];
  takesKey: boolean;
}

const DOCUMENT = record(
  JSON.parse(
    readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'api', 'openapi.json'), 'utf8'),
  ) as unknown,
);

const resolve = (schema: unknown): Json => {
  const found = record(schema);
  if (typeof found.$ref !== 'string') return found;
  const keys = found.$ref.slice(2).split('/');
  return resolve(keys.reduce<unknown>((at, key) => record(at)[key], DOCUMENT));
};

/** Fields of a body that end like the id of a record. */
const idFields = (schema: unknown, at: string, out: Set<string>, depth = 0): Set<string> => {
  if (depth > 6) return out;
  const found = resolve(schema);
  if (
    /(^|_)(ids?|subject|target|actor|owner|user)$/.test(at.split('.').findLast((part) => part !== '0') ?? '')
  )
    out.add(at);
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const list = found[key];
    if (Array.isArray(list)) for (const inner of list) idFields(inner, at, out, depth + 1);
  }
  for (const [name, inner] of Object.entries(record(found.properties)))
    idFields(inner, at === '' ? name : `${at}.${name}`, out, depth + 1);
  if (found.items !== undefined) idFields(found.items, `${at}.0`, out, depth + 1);
  return out;
};

const missing: string[] = [];
const operations: Operation[] = [];
for (const [template, methods] of Object.entries(record(DOCUMENT.paths))) {
  for (const [verb, described] of Object.entries(record(methods))) {
    const method = verb.toUpperCase();
    const name = `${method} ${template.replace(/^\/(api\/v1|v2)(?=\/)/, '')}`;
    const plan = PLANS[name];
    if (plan === undefined) {
      missing.push(`${name} is new: say in server/test/support/isolation-map.ts which ids it takes`);
      continue;
    }
    const parameters = record(described).parameters;
    const queryNames: string[] = [];
    let takesKey = false;
    for (const parameter of Array.isArray(parameters) ? parameters.map(resolve) : []) {
      const word = String(parameter.name);
      if (parameter.in === 'query') queryNames.push(word);
      if (parameter.in === 'header') takesKey ||= word === 'Idempotency-Key';
      const known =
        parameter.in === 'header'
          ? word === 'Idempotency-Key'
          : parameter.in === 'path'
            ? plan.path?.[word] !== undefined || plan.words?.[word] !== undefined
            : HARMLESS_QUERY.has(word) || plan.query?.[word] !== undefined;
      if (!known && plan.left === undefined)
        missing.push(`${name}: the ${String(parameter.in)} parameter ${word} is not in isolation-map.ts`);
    }
    const content = record(record(record(described).requestBody).content);
    for (const media of Object.values(content)) {
      for (const field of idFields(record(media).schema, '', new Set())) {
        const named = [field, field.replace(/\.0$/, ''), `${field}.0`];
        const known = named.some((name) => HARMLESS_FIELDS.has(name) || plan.body?.[name] !== undefined);
        if (!known && plan.left === undefined && plan.upload === undefined)
          missing.push(`${name}: the field ${field} of its body is not in isolation-map.ts`);
      }
    }
    operations.push({ method, template, name, plan, queryNames, takesKey });
  }
}

/** Sets `a.b.0` in a copy. */
const withField = (body: Json, field: string, value: string): Json => {
  const copy = structuredClone(body);
  const keys = field.split('.');
  let at: Json | unknown[] = copy;
  for (const [n, key] of keys.entries()) {
    const last = n === keys.length - 1;
    const next = keys[n + 1];
    const index = Array.isArray(at) ? Number(key) : key;
    const slots = at as Record<string | number, unknown>;
    if (last) slots[index] = value;
    else {
      slots[index] ??= next === '0' ? [] : {};
      at = slots[index] as Json | unknown[];
    }
  }
  return copy;
};

interface Slot {
  where: 'path' | 'query' | 'body';
  name: string;
  kind: Kind;
  /** What it must be answered where the caller may call the operation. */
  status: number | null;
}

const slotsOf = (plan: Plan): Slot[] => [
  ...Object.entries(plan.path ?? {}).map(
    ([name, kind]): Slot => ({ where: 'path', name, kind, status: plan.anyStatus ? null : 404 }),
  ),
  ...Object.entries(plan.query ?? {}).map(
    ([name, kind]): Slot => ({ where: 'query', name, kind, status: null }),
  ),
  ...Object.entries(plan.body ?? {}).map(
    ([name, { kind, status }]): Slot => ({ where: 'body', name, kind, status }),
  ),
];

let server: TestServer;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let boss: Client;
let owner: Person;
/** Whoever must not see what is the owner's, with things of their own. */
const callers: { name: string; who: Person; reach: 'tenant' | 'own' }[] = [];
let before: Record<string, string> = {};

const it = withWorld({
  env: {
    MODEL: 'builtin',
    MODELS: 'compatible/seeing',
    VISION_MODELS: 'compatible/seeing',
    MCP_ALLOW_STDIO: `*: ${process.execPath} **`,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    MCP_BUILTIN: 'on',
  },
});
it.beforeAll(async ({ world }) => {
  ({ server } = world);
  receiver = await startReceiver((response) => response.writeHead(200).end());
  const root = await server.signIn();
  const tenant = async (slug: string): Promise<{ id: string; admin: Client }> => {
    const person = { email: `boss@${slug}.test`, password: 'a long enough password' };
    const made = await root.post('/v2/tenants', { name: slug, slug, tier: 'enterprise', admin: person });
    expect(made.status).toBe(201);
    return { id: made.json<{ id: string }>().id, admin: await server.signIn(person.email, person.password) };
  };
  const home = await tenant('home');
  const far = await tenant('far');
  boss = home.admin;
  const hookUrl = receiver.url;
  const make = (client: Client, of: { id: string; admin: Client }, word: string): Promise<Person> =>
    makeEverything({ server, client, boss: of.admin, tenantId: of.id, hookUrl, word });
  owner = await make(await newPerson(server, boss), home, 'owner');
  callers.push(
    {
      name: 'a stranger of the tenant',
      who: await make(await newPerson(server, boss), home, 'peer'),
      reach: 'own',
    },
    { name: 'an administrator elsewhere', who: await make(far.admin, far, 'far'), reach: 'tenant' },
  );
  await allAtRest(owner, boss);
  before = await readEverything(owner, boss);
}, 240_000);
afterAll(async () => {
  await receiver?.close();
});

/** Ids that a caller must not be told. What belongs to the tenant as a whole is no secret of it. */
const TENANTS_OWN: ReadonlySet<Kind> = new Set(['tenant', 'mcp_server', 'user', 'webhook', 'oauth_client']);
const hiddenIds = (sameTenant: boolean): string[] =>
  KINDS.filter((kind) => !(sameTenant && TENANTS_OWN.has(kind))).map((kind) => owner.ids[kind]);

const leaksIn = (text: string, sameTenant: boolean, sentByCaller: string): string[] =>
  [...hiddenIds(sameTenant), owner.secret].filter((word) => {
    // The title of an MCP server is for the whole tenant; every other place of the secret is not.
    const read = sameTenant ? text.replaceAll(`"title":"${owner.secret}"`, '') : text;
    return read.includes(word) && !sentByCaller.includes(word);
  });

const REQUEST_ID = 'isolation-suite-request';

const call = async (
  client: Client,
  operation: Operation,
  ids: { path: Ids; body: Json | null; query: Record<string, string> },
  headers: Record<string, string> = {},
): Promise<Answer & { sent: string }> => {
  const { plan, method, template } = operation;
  const words = plan.words ?? {};
  const target = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
    const kind = plan.path?.[name];
    return encodeURIComponent(kind === undefined ? (words[name] ?? name) : ids.path[kind]);
  });
  const query = new URLSearchParams(ids.query);
  if (operation.queryNames.includes('uri') && words.uri !== undefined) query.set('uri', words.uri);
  const url = query.size === 0 ? target : `${target}?${query}`;
  const body = plan.upload?.text ?? (ids.body === null ? undefined : JSON.stringify(ids.body));
  const type = plan.upload?.type ?? 'application/json';
  const answer = await client.send(method, url, body, {
    headers: {
      'x-request-id': REQUEST_ID,
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
  });
  return { ...answer, sent: `${url} ${body ?? ''} ${JSON.stringify(headers)}` };
};

/** The answer with the id that was asked for taken out, and the headers that say something. */
const facts = (answer: Answer, asked: string): unknown => ({
  status: answer.status,
  type: answer.headers.get('content-type'),
  location: answer.headers.get('location'),
  text: answer.text.replaceAll(asked, '<id>'),
});

it('knows every operation, parameter and id of the document', () => {
  expect(missing).toEqual([]);
  const served = new Set(operations.map(({ name }) => name));
  expect(Object.keys(PLANS).filter((name) => !served.has(name))).toEqual([]);
});

describe(req('ISO-01', 'with ids of another'), () => {
  it.each(
    operations
      .filter(({ plan }) => plan.left === undefined)
      .map((o) => [`${o.method} ${o.template}`, o] as const),
  )('%s', async (_title, operation) => {
    const { plan } = operation;
    for (const { name, who, reach } of callers) {
      const sameTenant = reach === 'own';
      const own = who.ids;
      const bodyFrom = (ids: Ids): Json | null => plan.send?.(ids) ?? null;
      const plain = { path: own, body: bodyFrom(own), query: {} as Record<string, string> };
      const slots = slotsOf(plan);
      for (const slot of slots) {
        // The tenant's own records are for its people by right.
        if (sameTenant && TENANTS_OWN.has(slot.kind)) continue;
        const ask = (ids: Ids): Promise<Answer & { sent: string }> => {
          const value = ids[slot.kind];
          if (slot.where === 'path') {
            // The other records of the address and the body stay the caller's own.
            const path: Ids = { ...own, [plan.path?.[slot.name] ?? slot.kind]: value };
            return call(who.client, operation, { ...plain, path });
          }
          if (slot.where === 'query')
            return call(who.client, operation, { ...plain, query: { [slot.name]: value } });
          return call(who.client, operation, {
            ...plain,
            body: withField(plain.body ?? {}, slot.name, value),
          });
        };
        const nothing = randomIds();
        const foreign = await ask(owner.ids);
        const random = await ask(nothing);
        const where = `${name}, ${slot.where} ${slot.name}`;
        expect([where, leaksIn(foreign.text, sameTenant, foreign.sent)]).toEqual([where, []]);
        const allowed = foreign.status !== 403 || slot.status === 403;
        if (allowed && slot.status !== null)
          expect([where, foreign.status, foreign.text]).toEqual([where, slot.status, foreign.text]);
        // An answer that makes or counts something anew differs in its own ids and times.
        if (foreign.status >= 400 || slot.where === 'query')
          expect([where, facts(foreign, owner.ids[slot.kind])]).toEqual([
            where,
            facts(random, nothing[slot.kind]),
          ]);
        else expect([where, foreign.status]).toEqual([where, random.status]);
        // An administrator may call all there is: a 403 there would hide what this test is about.
        if (reach === 'tenant' && slot.status === 404) expect([where, foreign.status]).toEqual([where, 404]);
      }
      if (slots.some((slot) => slot.where === 'path')) {
        // All of them foreign at once.
        if (!(sameTenant && slots.every((slot) => TENANTS_OWN.has(slot.kind)))) {
          const all = await call(who.client, operation, {
            path: owner.ids,
            body: bodyFrom(owner.ids),
            query: {},
          });
          expect([name, leaksIn(all.text, sameTenant, all.sent)]).toEqual([name, []]);
          if (!sameTenant) expect([name, all.status]).toEqual([name, 404]);
        }
        continue;
      }
      // Without an id in its path: lists, searches, exports, streams. Whatever it is asked for, nothing foreign is in it.
      const queries: Record<string, string>[] = [{}];
      if (operation.queryNames.includes('q')) queries.push({ q: FIND }, { q: owner.secret });
      if (operation.queryNames.includes('limit')) queries.push({ limit: '100' });
      if (operation.queryNames.includes('scope')) queries.push({ scope: 'tenant' }, { scope: 'all' });
      if (operation.queryNames.includes('tags')) queries.push({ tags: owner.secret });
      for (const query of queries) {
        const answer = await call(who.client, operation, { ...plain, query });
        expect([query, answer.status < 500 || answer.status === 503]).toEqual([query, true]);
        expect([name, query, leaksIn(answer.text, sameTenant, answer.sent)]).toEqual([name, query, []]);
      }
      if (operation.queryNames.includes('cursor')) {
        const theirs = await call(owner.client, operation, { ...plain, query: { limit: '1' } });
        const cursor =
          theirs.status === 200 ? theirs.json<{ next_cursor: string | null }>().next_cursor : null;
        if (cursor === null) continue;
        const answer = await call(who.client, operation, { ...plain, query: { limit: '100', cursor } });
        expect([200, 403, 422]).toContain(answer.status);
        expect([name, 'cursor', leaksIn(answer.text, sameTenant, answer.sent)]).toEqual([name, 'cursor', []]);
      }
    }
  });

  it('a run that another follows with its event ids is not there', async () => {
    for (const { who } of callers) {
      const headers = { 'last-event-id': `${owner.ids.run}:0` };
      const foreign = await who.client.get(`/v2/chat/runs/${owner.ids.run}/stream`, { headers });
      expect(foreign.status).toBe(404);
      // On one's own run, the event id of another's is no way into it.
      const own = await who.client.get(`/v2/chat/runs/${who.ids.run}/stream`, { headers });
      expect(leaksIn(own.text, true, owner.ids.run)).toEqual([]);
    }
  });

  it('changes nothing of the owner', async () => {
    expect(await readEverything(owner, boss)).toEqual(before);
  });

  it('a socket gets no event of another, whatever event it says it saw last', async () => {
    const address = `${server.url.replace('http', 'ws')}/v2/ws`;
    const mine = openSocket(address, { token: owner.client.token ?? '' });
    const open = [mine];
    try {
      await mine.next('ready');
      const turn = await owner.client.post('/v2/chat', { message: `Once more ${owner.secret}` });
      const { run_id: run } = turn.json<{ run_id: string }>();
      const seen = await mine.next('message.created', (m) => JSON.stringify(m).includes(run));
      for (const { who } of callers) {
        const theirs = openSocket(`${address}?last_event_id=${seen.id ?? ''}`, {
          token: who.client.token ?? '',
        });
        open.push(theirs);
        await theirs.next('ready');
        await owner.client.post('/v2/chat', { message: `And again ${owner.secret}` });
        // The event of one's own turn comes after all that was before it.
        const own = await who.client.post('/v2/chat', { message: 'My own turn' });
        const { run_id: ownRun } = own.json<{ run_id: string }>();
        await theirs.next('message.created', (m) => JSON.stringify(m).includes(ownRun));
        const heard = JSON.stringify(theirs.messages);
        expect(heard).not.toContain(owner.secret);
        expect(heard).not.toContain(owner.ids.conversation);
      }
    } finally {
      for (const socket of open) socket.close();
    }
  });

  it('the MCP door’s tools give nothing of another', async () => {
    const byField: Readonly<Record<string, Kind>> = {
      conversation_id: 'conversation',
      document_id: 'document',
      entity_id: 'entity',
      id: 'task',
      task_id: 'task',
      run_id: 'run',
      proposal_id: 'proposal',
    };
    for (const { who, reach } of callers) {
      const door = new McpClient({ name: 'isolation', version: '1.0.0' });
      await door.connect(
        new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${who.client.token ?? ''}` } },
        }),
      );
      const { tools } = await door.listTools();
      expect(tools.length).toBeGreaterThan(3);
      for (const tool of tools) {
        const args: Json = {};
        for (const [field, described] of Object.entries(record(tool.inputSchema.properties))) {
          const kind = byField[field];
          if (kind === undefined && /(^|_)ids?$/.test(field) && field !== 'agent_id')
            throw new Error(`${tool.name} takes ${field}: say in this test whose id that is`);
          if (kind !== undefined) args[field] = owner.ids[kind];
          else if (tool.inputSchema.required?.includes(field) && record(described).type === 'string')
            args[field] = FIND;
        }
        // What refuses its arguments is told so by an error: it has given nothing.
        const answer = await door
          .callTool({ name: tool.name, arguments: args })
          .catch((error: unknown) => ({ refused: String(error) }));
        const told = JSON.stringify(answer);
        expect([tool.name, leaksIn(told, reach === 'own', JSON.stringify(args))]).toEqual([tool.name, []]);
      }
      await door.close();
    }
  });

  it('the A2A door gives nothing of another', async () => {
    for (const { who } of callers) {
      for (const [method, of] of [
        ['tasks/get', (ids: Ids) => ({ id: ids.run })],
        ['tasks/cancel', (ids: Ids) => ({ id: ids.run })],
        ['tasks/resubscribe', (ids: Ids) => ({ id: ids.run })],
      ] as const) {
        const nothing = randomIds();
        const ask = (ids: Ids) =>
          who.client.post(
            '/a2a',
            { jsonrpc: '2.0', id: 1, method, params: of(ids) },
            { headers: { 'x-request-id': REQUEST_ID } },
          );
        const foreign = await ask(owner.ids);
        const random = await ask(nothing);
        expect(foreign.text).not.toContain(owner.secret);
        expect(facts(foreign, owner.ids.run)).toEqual(facts(random, nothing.run));
        expect(foreign.text).toContain('error');
      }
    }
  });

  // After all others: what it sends again holds the owner's words, and is the caller's own from then on.
  it('an idempotency key of another gives no answer of another', async () => {
    for (const { name, who, reach } of callers) {
      for (const { path: target, body, key } of owner.sent) {
        const answer = await who.client.post(target, body, { headers: { 'idempotency-key': key } });
        expect([name, target, answer.headers.get('idempotent-replayed')]).toEqual([name, target, null]);
        const sent = JSON.stringify(body) + owner.secret;
        expect([name, target, leaksIn(answer.text, reach === 'own', sent)]).toEqual([name, target, []]);
      }
    }
  });

  it('the owner still finds what nobody else may', async () => {
    // Without it the whole suite could be green on an empty store.
    const found = await owner.client.post('/v2/knowledge/search', { query: FIND, include_memories: true });
    expect(found.text).toContain(owner.secret);
    expect(owner.secret).toContain(SECRET);
  });
});
