import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Platform, startPlatform } from '../../../test/mcp/harness.ts';

/** Servers and policies made to keep the platform busy, or to be answered wrongly. */

const scripted = fileURLToPath(new URL('../../../test/mcp/scripted-server.ts', import.meta.url));
const INPUT = { type: 'object' };

// Each starts processes, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let platform: Platform;
let count = 0;
beforeAll(async () => {
  platform = await startPlatform({ builtins: false });
});
afterAll(() => platform.close());

const tool = (name: string, more: Record<string, unknown> = {}) => ({ name, inputSchema: INPUT, ...more });
const listing = (tools: readonly unknown[]) => ({ 'tools/list': `"result":${JSON.stringify({ tools })}` });

/** Registers a server of this script; its name and what the platform says of it. */
const register = async (script: Record<string, string>, more: Record<string, unknown> = {}) => {
  const name = `s${count++}`;
  const file = path.join(platform.folder, `${name}.json`);
  writeFileSync(file, JSON.stringify(script));
  const { status, body } = await platform.request('POST', '/mcp/servers', {
    body: { name, transport: 'stdio', command: process.execPath, args: [scripted, file], ...more },
  });
  return { name, status, body };
};
const stateOf = async (name: string) => {
  const { body } = await platform.request('GET', '/mcp/servers?limit=100');
  return body.items.find((item: { name: string }) => item.name === name);
};
/** Waits for a state; a busy machine may take longer than the answer to the registration waits. */
const registered = async (
  script: Record<string, string>,
  status: string,
  more: Record<string, unknown> = {},
) => {
  const { name } = await register(script, more);
  await vi.waitFor(async () => expect((await stateOf(name)).status).toBe(status), {
    timeout: 40_000,
    interval: 200,
  });
  return name;
};
const call = (server: string, name: string, args: unknown = {}) =>
  platform.request('POST', `/mcp/${server}/call`, { as: 'user', body: { tool: name, arguments: args } });

describe('globs', () => {
  const glob = `${'*a'.repeat(28)}*b`;
  it('of many stars keep nobody waiting', async () => {
    const server = await registered(listing([tool('a'.repeat(60))]), 'connected', {
      policy: { tools: { [glob]: { risk: 'high' } } },
      access: { deny: [{ tools: [glob] }] },
    });
    const { status, body } = await platform.request('GET', `/mcp/${server}/tools`);
    expect(status).toBe(200);
    expect(body.items).toMatchObject([{ name: 'a'.repeat(60), policy: { risk: 'medium' } }]);
  });

  it('are bounded in number and length: 422', async () => {
    const many = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`t${i}`, { risk: 'low' }]));
    for (const more of [
      { policy: { tools: many } },
      { policy: { tools: { ['x'.repeat(201)]: { risk: 'low' } } } },
      { access: { deny: [{ tools: Object.keys(many) }] } },
    ]) {
      expect(await register(listing([]), more)).toMatchObject({ status: 422 });
    }
  });
});

describe('schemas', () => {
  const attack = `${'a'.repeat(30)}!`;
  it('with patterns that never end are decided, of arguments and of results', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const server = await registered(
      {
        ...listing([tool('in', { inputSchema: schema }), tool('out', { outputSchema: schema })]),
        'tools/call in': '"result":{"content":[]}',
        'tools/call out': `"result":{"content":[],"structuredContent":{"a":"${attack}"}}`,
      },
      'connected',
    );
    expect(await call(server, 'in', { a: attack })).toMatchObject({
      status: 422,
      body: { error: { details: { fields: [{ field: '/arguments/a' }] } } },
    });
    expect((await call(server, 'in', { a: 'aaa' })).status).toBe(200);
    expect((await call(server, 'out')).status).toBe(502);
  });

  it('that refer to themselves, and of other drafts, can be called', async () => {
    const drafts = {
      d4: { $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true },
      d6: { $schema: 'http://json-schema.org/draft-06/schema#', exclusiveMinimum: 1 },
      d7: { $schema: 'http://json-schema.org/draft-07/schema#', exclusiveMinimum: 1 },
      d19: { $schema: 'https://json-schema.org/draft/2019-09/schema', exclusiveMinimum: 1 },
      other: { $schema: 'https://example.com/own', exclusiveMinimum: 1 },
    };
    const tools = Object.entries(drafts).map(([name, { $schema, ...n }]) => {
      const schema = { $schema, type: 'object', properties: { n, next: { $ref: '#' } } };
      return tool(name, { inputSchema: schema, outputSchema: schema });
    });
    const server = await registered(
      { ...listing(tools), 'tools/call': '"result":{"content":[],"structuredContent":{"next":{"n":2}}}' },
      'connected',
    );
    for (const name of Object.keys(drafts)) {
      expect(await call(server, name, { n: 2, next: { n: 2 } }), name).toMatchObject({ status: 200 });
      expect(await call(server, name, { next: { n: 1 } }), name).toMatchObject({
        status: 422,
        body: { error: { details: { fields: [{ field: '/arguments/next/n' }] } } },
      });
    }
  });
});

describe('many tools', () => {
  it('of one server are all listed up to 2,000, and more are an error that says so', async () => {
    const tools = Array.from({ length: 2_001 }, (_, i) => tool(`t${i}`));
    const full = await registered(listing(tools.slice(1)), 'connected');
    const { body } = await platform.request('GET', `/mcp/${full}/tools?limit=1`);
    expect(body.total).toBe(2_000);
    const over = await registered(listing(tools), 'error');
    expect((await stateOf(over)).last_error).toBe(
      'the server lists more than 2,000 tools, which is the most for one server',
    );
    await platform.request('DELETE', `/mcp/servers/${full}`);
  }, 60_000);
});

describe('results', () => {
  const answers = {
    blocks: '"result":{"content":[@times:199999:{"type":"text","text":""},@{"type":"text","text":""}]}',
    deep: '"result":{"content":[],"structuredContent":{"a":@deep:5000@}}',
    meta: '"result":{"content":[],"_meta":{"a":@deep:20000@}}',
    block: '"result":{"content":[{"type":"text","text":"x","_meta":{"a":@deep:5000@}}]}',
    nothing: '"result":null',
    list: '"result":[]',
    words: '"result":{"content":"words"}',
    error: '"error":{"message":"no code"}',
    wrong: '"result":{"content":[{"type":"text"}]}',
    fine: '"result":{"content":[{"type":"text","text":"fine"}]}',
  };
  let server: string;
  beforeAll(async () => {
    const calls = Object.fromEntries(
      Object.entries(answers).map(([name, text]) => [`tools/call ${name}`, text]),
    );
    server = await registered(
      { ...listing(Object.keys(answers).map((name) => tool(name))), ...calls },
      'connected',
    );
  }, 60_000);

  it('of 200,000 blocks hold to the cap', async () => {
    const { status, body } = await call(server, 'blocks');
    expect(status).toBe(200);
    expect(body.truncated).toBe(true);
    expect(JSON.stringify(body).length).toBeLessThan(1024 * 1024 + 8_192);
  });

  it.each(['deep', 'meta', 'block', 'nothing', 'list', 'words', 'error', 'wrong'])(
    'that are wrong (%s) are faults of the server, said in words: 502',
    async (name) => {
      const { status, body } = await call(server, name);
      expect(status).toBe(502);
      expect(body.error).toMatchObject({ code: 'UPSTREAM_ERROR', details: { server, reason: 'protocol' } });
      expect(body.error.message.length).toBeLessThan(400);
      expect(body.error.message).not.toMatch(/[{}[\]]|Zod|call stack/);
      expect((await call(server, 'fine')).status).toBe(200);
    },
  );
});

describe('what the platform says of a server that fails', () => {
  it.each([
    [
      'an error',
      { initialize: '"error":{"code":-32000,"message":"the licence is over"}' },
      /the licence is over/,
    ],
    [
      'an unknown version',
      {
        initialize:
          '"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}',
      },
      /1999-01-01/,
    ],
    [
      'a deep list',
      { 'tools/list': '"result":{"tools":[{"name":"a","inputSchema":@deep:20000@}]}' },
      /too deeply/,
    ],
    ['a list of another form', { 'tools/list': '"result":{"tools":"none"}' }, /tools: /],
    [
      'a list of 40 MB',
      { 'tools/list': '"result":{"tools":[{"name":"a","description":"@times:40000000:x@"}]}' },
      /more than 32 MB/,
    ],
    ['an endless line', { 'tools/list': 'raw @times:68000000:x@' }, /message of more than/],
  ] as [string, Record<string, string>, RegExp][])('answering with %s', async (_name, script, words) => {
    const server = await registered(script, 'error');
    const { last_error } = await stateOf(server);
    expect(last_error).toMatch(words);
    expect(last_error).not.toMatch(/exited with code 0|call stack|Zod|"code"/);
    expect(last_error.length).toBeLessThanOrEqual(300);
    await platform.request('DELETE', `/mcp/servers/${server}`);
  });

  it('leaves out a tool that is none, and keeps the rest', async () => {
    const tools = [
      tool('good'),
      { name: 'bad' },
      { inputSchema: INPUT },
      'text',
      tool('fine', { description: null }),
    ];
    const server = await registered(listing(tools), 'connected');
    const { body } = await platform.request('GET', `/mcp/${server}/tools`);
    expect(body.items.map((item: { name: string }) => item.name)).toEqual(['good', 'fine']);
    expect(await stateOf(server)).toMatchObject({ status: 'connected', tool_count: 2, last_error: null });
    const { body: logs } = await platform.request('GET', `/mcp/servers/${server}/logs`);
    expect(logs.items.map((line: { text: string }) => line.text)).toContainEqual(
      expect.stringMatching(/^the tool bad is left out: inputSchema: /),
    );
  });
});
