import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, vi } from 'vitest';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** What was approved waits after a restart for the MCP server that it needs: one that is connecting is not gone. */

const FIXTURE = path.join(import.meta.dirname, '..', '..', '..', 'test', 'mcp', 'fixture-server.ts');
const LIMIT_MS = 120_000;
const END = /^(completed|failed|unknown)$/;

interface ProposalItem {
  id: string;
  execution: { status: string; error: string | null } | null;
}
interface RunState {
  status: string;
  tool_calls: { status: string; error: string | null }[];
}

const told = (request: TestRequest): string[] =>
  (request.body.messages ?? []).filter((m) => m.role === 'tool').map((m) => String(m.content));
const isVote = (request: TestRequest): boolean => request.body.response_format !== undefined;

const it = withWorld({
  env: {
    MODEL: 'compatible/test',
    MCP_ALLOW_STDIO: `*: ${process.execPath} **`,
    ALLOW_SELF_APPROVAL: 'on',
  },
});

describe('after a restart with an MCP server that needs its time', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;
  let gate: string;
  const openGate = (): void => writeFileSync(gate, '');

  it.beforeAll(async ({ world }) => {
    ({ provider, server } = world);
    gate = path.join(path.dirname(server.dataDir), 'gate');
    admin = await server.signIn();
    openGate();
    const made = await admin.post('/api/v1/mcp/servers', {
      name: 'shop',
      transport: 'stdio',
      command: process.execPath,
      args: [FIXTURE, JSON.stringify({ waitsFor: gate })],
      policy: { default: { approval: 'human' } },
      accept_tools: true,
    });
    expect(made.status).toBe(201);
    await vi.waitFor(async () => expect(await shopStatus()).toBe('connected'), { timeout: 30_000 });
  });

  const shopStatus = async (): Promise<string | undefined> => {
    const answer = await admin.get('/api/v1/mcp/servers?limit=100');
    const { items } = answer.json<{ items: { name: string; status: string }[] }>();
    return items.find(({ name }) => name === 'shop')?.status;
  };
  const restartBehindGate = async (): Promise<void> => {
    await server.end('SIGKILL');
    rmSync(gate);
    await server.start();
    admin = await server.signIn();
    expect(await shopStatus()).toBe('connecting');
  };
  const approve = async (id: string): Promise<void> => {
    const voted = await admin.post(`/api/v1/governance/proposals/${id}/vote`, { vote: 'approve' });
    expect(voted.status).toBe(200);
  };
  const execution = async (id: string) =>
    (await admin.get(`/api/v1/governance/proposals/${id}`)).json<ProposalItem>().execution;

  it(
    'an approved call is carried out once it is connected',
    async () => {
      const asked = await admin.post('/api/v1/mcp/shop/call', { tool: 'echo', arguments: { text: 'one' } });
      expect(asked.status).toBe(202);
      const { id } = asked.json<{ proposal: ProposalItem }>().proposal;
      await restartBehindGate();
      await approve(id);
      // What ends a call that finds no tool does so before this is answered.
      for (let i = 0; i < 20; i++) expect((await execution(id))?.status).toBe('pending');
      openGate();
      await expect.poll(async () => (await execution(id))?.status, { timeout: 60_000 }).toMatch(END);
      expect(await execution(id)).toMatchObject({ status: 'completed', error: null });
    },
    LIMIT_MS,
  );

  it(
    'one that the end of the process has left is taken up and carried out',
    async () => {
      const asked = await admin.post('/api/v1/mcp/shop/call', { tool: 'echo', arguments: { text: 'two' } });
      const { id } = asked.json<{ proposal: ProposalItem }>().proposal;
      await restartBehindGate();
      await approve(id);
      // It is approved, and nothing has been called yet.
      await restartAgain();
      for (let i = 0; i < 20; i++) expect((await execution(id))?.status).toBe('pending');
      openGate();
      await expect.poll(async () => (await execution(id))?.status, { timeout: 60_000 }).toMatch(END);
      expect(await execution(id)).toMatchObject({ status: 'completed', error: null });
    },
    LIMIT_MS,
  );
  const restartAgain = async (): Promise<void> => {
    await server.end('SIGKILL');
    await server.start();
    admin = await server.signIn();
  };

  it(
    'a run that waited for its approval goes on with all its tools',
    async () => {
      provider.always((request) => {
        if (isVote(request)) return undefined;
        const results = told(request);
        const call = (text: string) => ({
          toolCalls: [{ id: `call_${text}`, name: 'shop__echo', arguments: JSON.stringify({ text }) }],
        });
        if (results.length === 0) return call('first');
        return { chunks: [`Told: ${results.join(' | ')}`] };
      });
      const stream = await admin.stream('/api/v1/chat/stream', {
        message: 'Order the first and then the second',
        context: { agent_id: 'zeus' },
      });
      const started = (await stream.next())?.data as { run_id: string };
      let id: string | undefined;
      await expect
        .poll(
          async () => {
            const open = await admin.get('/api/v1/governance/proposals?status=awaiting_human');
            id = open.json<ProposalItem[]>()[0]?.id;
            return id;
          },
          { timeout: 30_000 },
        )
        .toBeDefined();
      const state = async () =>
        (await admin.get(`/api/v1/chat/runs/${started.run_id}`)).json<RunState>().status;
      await expect.poll(state, { timeout: 30_000 }).toBe('awaiting_approval');
      await restartBehindGate();
      await approve(id ?? '');
      openGate();
      await expect.poll(state, { timeout: 60_000 }).toMatch(/^(completed|failed)$/);
      expect(await state()).toBe('completed');
      const last = provider.requests.filter((request) => !isVote(request)).at(-1);
      expect(last?.body.tools?.map((tool) => tool.function.name)).toContain('shop__echo');
      expect(last === undefined ? [] : told(last).join()).toContain('first');
    },
    LIMIT_MS,
  );
});
