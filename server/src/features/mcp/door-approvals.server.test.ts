import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { newPerson } from '../../../test/support/shapes.ts';
import { withServer } from '../../../test/support/suite.ts';

/** Approvals that a client's person gives where the call was made, within what governance lets them decide. */

let server: TestServer;
let admin: Client;
const it = withServer({
  files: { GOVERNANCE_FILE: { policies: { files: { tools: { write_file: { approval: 'human' } } } } } },
  env: { MCP_BUILTIN: 'on', ALLOW_SELF_APPROVAL: 'on' },
});
it.beforeAll(({ world }) => {
  ({ server, admin } = world);
});

type Answer = {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, boolean | string | number>;
};

/** `answer` null: a client that cannot ask anybody. */
const withClient = async <T>(
  who: Pick<Client, 'token'>,
  mode: 'auto' | 'legacy',
  answer: Answer | null,
  work: (client: McpClient, asked: string[]) => Promise<T>,
): Promise<T> => {
  const asked: string[] = [];
  const client = new McpClient(
    { name: 'desktop', version: '1' },
    {
      versionNegotiation: { mode },
      capabilities: answer === null ? {} : { elicitation: {} },
    },
  );
  if (answer !== null)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return answer;
    });
  const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${who.token}` } },
  });
  await client.connect(transport);
  try {
    return await work(client, asked);
  } finally {
    await client.close();
  }
};
const write = (client: McpClient, path: string) =>
  client.callTool({ name: 'files__write_file', arguments: { path, content: 'x' } });
const UNCLEAR: readonly Answer['content'][] = [{}, { approve: 'yes' }, { approve: 1 }, undefined];
const YES: Answer = { action: 'accept', content: { approve: true } };
const proposals = async (status: string) =>
  (await admin.get(`/v2/governance/proposals?status=${status}`)).json<
    { id: string; tool: { arguments: { path: string } } | null }[]
  >();
const pathsOf = async (status: string) =>
  (await proposals(status)).map(({ tool }) => tool?.arguments.path ?? '');

describe.each(['auto', 'legacy'] as const)('a client in mode %s', (mode) => {
  it(req('MCP-15', 'asks who may decide, and gives the result of the call'), async () => {
    const path = `yes-${mode}.txt`;
    await withClient(admin, mode, YES, async (client, asked) => {
      const written = await write(client, path);
      expect(written).toMatchObject({ isError: false });
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain('files.write_file');
      expect(asked[0]).toContain(path);
      const read = await client.callTool({ name: 'files__read_file', arguments: { path } });
      expect(JSON.stringify(read.content)).toContain('x');
    });
    expect(await pathsOf('approved')).toContain(path);
  });

  it(req('MCP-15', 'makes no call after a no'), async () => {
    for (const [name, answer] of [
      ['no', { action: 'accept', content: { approve: false } }],
      ['declined', { action: 'decline' }],
    ] as const) {
      const path = `${name}-${mode}.txt`;
      await withClient(admin, mode, answer, async (client) => {
        expect(await write(client, path)).toMatchObject({ isError: true });
        const read = await client.callTool({ name: 'files__read_file', arguments: { path } });
        expect(read.isError).toBe(true);
      });
      expect(await pathsOf('rejected')).toContain(path);
    }
  });

  it(req('MCP-15', 'leaves the proposal open when the question is put away'), async () => {
    const path = `later-${mode}.txt`;
    await withClient(admin, mode, { action: 'cancel' }, async (client) => {
      expect(await write(client, path)).toMatchObject({
        isError: true,
        structuredContent: { status: 'awaiting_approval' },
      });
    });
    expect(await pathsOf('awaiting_human')).toContain(path);
  });

  it(req('MCP-15', 'decides nothing by a form without a yes or a no'), async () => {
    for (const [i, content] of UNCLEAR.entries()) {
      const path = `unclear-${i}-${mode}.txt`;
      await withClient(
        admin,
        mode,
        { action: 'accept', ...(content === undefined ? {} : { content }) },
        async (client) => {
          // A client or its library may refuse to send such a form; nothing is decided then either.
          await write(client, path).then(
            (written) =>
              expect(written).toMatchObject({
                isError: true,
                structuredContent: { status: 'awaiting_approval', proposal_id: expect.any(String) },
              }),
            (error: unknown) => expect(error).toBeInstanceOf(Error),
          );
        },
      );
      expect(await pathsOf('awaiting_human')).toContain(path);
      expect(await pathsOf('rejected')).not.toContain(path);
    }
  });

  it(req('MCP-15', 'is not asked for what others decide, nor when it cannot ask'), async () => {
    const person = await newPerson(server, admin);
    for (const [who, answer] of [
      [person, YES],
      [admin, null],
    ] as const)
      await withClient(who, mode, answer, async (client, asked) => {
        const path = `others-${mode}-${answer === null ? 'admin' : 'person'}.txt`;
        expect(await write(client, path)).toMatchObject({
          isError: true,
          structuredContent: { status: 'awaiting_approval', proposal_id: expect.any(String) },
        });
        expect(asked).toEqual([]);
        expect(await pathsOf('awaiting_human')).toContain(path);
      });
  });
});

it(
  req('MCP-15', 'decides nothing for a caller who sends answers to what is not theirs to decide'),
  async () => {
    const person = await newPerson(server, admin);
    const call = async (
      who: Pick<Client, 'token'>,
      path: string,
      inputResponses?: Record<string, unknown>,
    ) => {
      const answer = await fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${who.token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'files__write_file',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'files__write_file',
            arguments: { path, content: 'x' },
            ...(inputResponses === undefined ? {} : { inputResponses }),
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
              'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
            },
          },
        }),
      });
      return answer.text();
    };
    const idIn = (text: string): string =>
      /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/.exec(text)?.[0] ?? '';
    const own = idIn(await call(person, 'own.txt'));
    const foreign = idIn(await call(admin, 'foreign.txt'));
    expect([own, foreign]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
    const yes = (id: string) => ({ [`approval:${id}`]: { action: 'accept', content: { approve: true } } });
    await call(person, 'own.txt', yes(own));
    await call(person, 'foreign.txt', yes(foreign));
    await call(person, 'own.txt', yes(foreign));
    // Theirs to decide, but another call than the one that stands in the proposal.
    await call(admin, 'another.txt', yes(foreign));
    // The caller's own to decide, and neither a yes nor a no.
    const said = (content: object) => ({ [`approval:${foreign}`]: { action: 'accept', content } });
    for (const content of [{}, { approve: 'yes' }, { approve: null }])
      expect(await call(admin, 'foreign.txt', said(content))).toMatch(/approve must be true or false|-32602/);
    expect(await pathsOf('awaiting_human')).toEqual(expect.arrayContaining(['own.txt', 'foreign.txt']));
    for (const path of ['own.txt', 'foreign.txt', 'another.txt'])
      expect(await pathsOf('approved')).not.toContain(path);
  },
);
