import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withServer } from '../../../test/support/suite.ts';

/** What clients of `/mcp` find beside tools: resources, prompts and completion, in sessions and without. */

let server: TestServer;
let admin: Client;
const it = withServer();
it.beforeAll(({ world }) => {
  ({ server, admin } = world);
});

const connected = async (
  token: string | null,
  mode: 'auto' | 'legacy',
  work: (client: McpClient) => Promise<void>,
): Promise<void> => {
  const client = new McpClient({ name: 'desktop', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  await client.connect(transport);
  try {
    await work(client);
  } finally {
    await client.close();
  }
};
const upload = async (who: Client, title: string, content: string, visibility = 'private') => {
  const made = await who.post('/v2/knowledge/documents', { title, content, visibility });
  expect(made.status, made.text).toBe(201);
  return made.json<{ id: string }>().id;
};
const talk = async (who: Client, message: string): Promise<string> => {
  const said = await who.post('/v2/chat', { message });
  expect(said.status, said.text).toBe(200);
  return said.json<{ conversation_id: string }>().conversation_id;
};

describe.each(['auto', 'legacy'] as const)('a client in mode %s', (mode) => {
  it(req('MCP-13', 'lists and reads what its user may, and nothing else'), async () => {
    const [one, other] = [await newPerson(server, admin), await newPerson(server, admin)];
    const own = await upload(one, 'Lamps', `Lamps are kept in the cellar (${mode}).`);
    const conversation = await talk(one, 'Where are the lamps?');
    const foreign = await upload(other, 'Secret', `Nobody else reads this (${mode}).`);
    const foreignTalk = await talk(other, 'A secret question');
    await connected(one.token, mode, async (client) => {
      expect(client.getServerCapabilities()).toMatchObject({ resources: {}, prompts: {}, completions: {} });
      // Nothing is told of changes, so nothing is promised.
      expect(client.getServerCapabilities()?.resources).toEqual({});
      const { resources, nextCursor } = await client.listResources();
      expect(nextCursor).toBeUndefined();
      expect(resources).toMatchObject([
        { uri: `pentarch://documents/${own}`, title: 'Lamps', mimeType: 'text/plain' },
        { uri: `pentarch://conversations/${conversation}`, mimeType: 'text/markdown' },
      ]);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        'pentarch://documents/{id}{?from}',
        'pentarch://conversations/{id}{?from}',
      ]);
      const read = async (uri: string) => (await client.readResource({ uri })).contents[0];
      expect(await read(`pentarch://documents/${own}`)).toMatchObject({
        text: `Lamps are kept in the cellar (${mode}).`,
      });
      const talked = await read(`pentarch://conversations/${conversation}`);
      expect(JSON.stringify(talked)).toContain('Where are the lamps?');
      for (const uri of [
        `pentarch://documents/${foreign}`,
        `pentarch://conversations/${foreignTalk}`,
        `pentarch://documents/${conversation}`,
        'pentarch://documents/x',
        'pentarch://secrets/x',
        'file:///etc/passwd',
      ])
        await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code: -32602 });
    });
  });

  it(req('MCP-14', 'finds the agents that are switched on as prompts'), async () => {
    const person = await newPerson(server, admin);
    await connected(person.token, mode, async (client) => {
      const names = async () => (await client.listPrompts()).prompts.map(({ name }) => name);
      expect(await names()).toEqual(expect.arrayContaining(['ask_athena', 'ask_zeus']));
      const got = await client.getPrompt({ name: 'ask_athena', arguments: { task: 'Find the lamps' } });
      expect(got.messages).toMatchObject([{ role: 'user', content: { type: 'text' } }]);
      expect(JSON.stringify(got.messages)).toMatch(/pentarch__ask_agent.*athena.*Find the lamps/);
      const wrong: { name: string; arguments?: Record<string, string> }[] = [
        { name: 'ask_nobody', arguments: { task: 'x' } },
        { name: 'ask_athena' },
        { name: 'ask_athena', arguments: { task: ' ' } },
        { name: 'ask_athena', arguments: { task: 'x', other: 'y' } },
      ];
      for (const asked of wrong)
        await expect(client.getPrompt(asked), JSON.stringify(asked)).rejects.toMatchObject({ code: -32602 });
      const off = await admin.patch('/v2/agents/athena', { enabled: false });
      expect(off.status, off.text).toBe(200);
      try {
        expect(await names()).not.toContain('ask_athena');
      } finally {
        await admin.patch('/v2/agents/athena', { enabled: true });
      }
    });
    const reader = await newPerson(server, admin, { roles: ['readonly'] });
    await connected(reader.token, mode, async (client) => {
      expect((await client.listPrompts()).prompts).toEqual([]);
    });
  });

  it(req('MCP-14', 'is helped with their arguments, and with ids'), async () => {
    const person = await newPerson(server, admin);
    const id = await upload(person, 'Lamps', `Completed lamps of ${mode}`);
    await connected(person.token, mode, async (client) => {
      const complete = async (
        ref: Parameters<typeof client.complete>[0]['ref'],
        name: string,
        value: string,
      ): Promise<string[]> => (await client.complete({ ref, argument: { name, value } })).completion.values;
      const prompt = { type: 'ref/prompt', name: 'ask_zeus' } as const;
      expect(await complete(prompt, 'task', 'TELL me a jo')).toEqual(['tell me a joke']);
      expect(await complete(prompt, 'nothing', 't')).toEqual([]);
      const documents = { type: 'ref/resource', uri: 'pentarch://documents/{id}{?from}' } as const;
      expect(await complete(documents, 'id', id.slice(0, 10))).toEqual([id]);
      expect(await complete(documents, 'id', 'zzz')).toEqual([]);
      expect(await complete({ ...documents, uri: 'file:///{id}' }, 'id', '')).toEqual([]);
    });
  });
});

const MANY_MS = 600_000;
it(
  req('MCP-13', 'a long list comes in pages'),
  async () => {
    const person = await newPerson(server, admin);
    for (let i = 0; i < 51; i++) await upload(person, `Short ${i}`, `Short text number ${i}`);
    const conversation = await talk(person, 'And a conversation');
    for (const mode of ['auto', 'legacy'] as const)
      await connected(person.token, mode, async (client) => {
        const page = (cursor?: string) =>
          client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
        const one = await page();
        expect(one.resources).toHaveLength(50);
        const two = await page(one.nextCursor);
        expect(two.nextCursor).toBeUndefined();
        const uris = [...one.resources, ...two.resources].map(({ uri }) => uri);
        expect(new Set(uris).size).toBe(52);
        expect(uris.at(-1)).toBe(`pentarch://conversations/${conversation}`);
        for (const cursor of ['x', 'secrets.', 'documents.x'])
          await expect(page(cursor), cursor).rejects.toMatchObject({ code: -32602 });
      });
  },
  MANY_MS,
);

it(req('MCP-14', 'parameters that say nothing are the client’s fault, in words'), async () => {
  const base = {
    authorization: `Bearer ${admin.token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const send = (body: object, headers: Record<string, string>) =>
    fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { ...base, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
  const began = await send(
    {
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    },
    {},
  );
  await began.text();
  const session = began.headers.get('mcp-session-id') ?? '';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ['prompts/get', {}, /^name is missing/],
    ['prompts/get', { name: 5 }, /^name is missing/],
    ['prompts/get', { name: 'ask_zeus', arguments: { task: 5 } }, /^the argument task must be text$/],
    ['prompts/get', { name: 'ask_zeus', arguments: 'x' }, /^arguments must be an object$/],
    ['resources/read', {}, /^uri is missing/],
    ['completion/complete', {}, /^ref must be/],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'ask_zeus' } }, /^argument must have/],
  ];
  for (const [method, params, message] of cases)
    for (const [body, headers] of [
      [
        { method, params: { ...params, _meta } },
        { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
      ],
      [{ method, params }, { 'mcp-session-id': session }],
    ] as [object, Record<string, string>][]) {
      const answer = await send(body, headers);
      expect([method, params, await answer.json()]).toMatchObject([
        method,
        params,
        { id: 1, error: { code: -32_602, message: expect.stringMatching(message) } },
      ]);
    }
});
