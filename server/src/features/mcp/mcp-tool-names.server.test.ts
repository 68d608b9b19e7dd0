import path from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Tools whose names no provider takes as they are: the model can tell them apart, and the one it means is called. */

const FIXTURE = path.join(import.meta.dirname, '..', '..', '..', 'test', 'mcp', 'fixture-server.ts');
const LONG = 'n'.repeat(70);
const ODD = ['report.send', 'report_send', 'report/send', 'report/send/', `${LONG}_A`, `${LONG}_B`];

let provider: TestProvider;
let admin: Client;
const it = withWorld({
  env: {
    MODEL: 'compatible/test',
    // The names are what is looked at here, of all tools at once.
    TOOL_TOKENS: '0',
    MCP_ALLOW_STDIO: `*: ${process.execPath} **`,
  },
});
it.beforeAll(async ({ world }) => {
  ({ provider, admin } = world);
  const made = await admin.post('/api/v1/mcp/servers', {
    name: 'odd',
    transport: 'stdio',
    command: process.execPath,
    args: [FIXTURE, JSON.stringify({ extraTools: ODD })],
    accept_tools: true,
  });
  expect(made.status).toBe(201);
  await vi.waitFor(
    async () => expect((await admin.get('/api/v1/mcp/odd/tools?limit=100')).status).toBe(200),
    { timeout: 30_000, interval: 200 },
  );
});

test.each(ODD)('the model calls %s by a name of its own', async (wanted) => {
  let names: string[] = [];
  // Not by turn: what follows an earlier conversation in the background asks too.
  provider.always(({ body }) => {
    const tools = (body.tools ?? []).map((tool) => tool.function);
    const asksNow = body.messages?.at(-1)?.role === 'user' && JSON.stringify(body.messages).includes(wanted);
    if (tools.length === 0 || !asksNow) return { text: 'done' };
    names = tools.map((tool) => tool.name);
    const meant = tools.find((tool) => tool.description === `Added: ${wanted}`);
    return meant === undefined
      ? { text: 'no such tool' }
      : { toolCalls: [{ id: 'call_1', name: meant.name, arguments: '{}' }] };
  });
  const answer = await admin.post('/api/v1/chat', {
    message: `Use ${wanted} of the odd server`,
    context: { agent_id: 'hephaestus' },
  });
  expect(answer.status).toBe(200);
  expect(answer.json()).toMatchObject({
    tool_calls: [{ server: 'odd', name: wanted, status: 'completed', result: wanted }],
  });
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(names.length).toBeGreaterThan(ODD.length);
  expect(new Set(names).size).toBe(names.length);
});
