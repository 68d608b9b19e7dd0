import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Tools with a price: no room means that they are not called, by every API, and votes are part of what a conversation cost. */

const POLICIES = {
  policies: {
    files: { tools: { write_file: { cost_usd: 0.06 } } },
    time: {
      tools: {
        get_current_time: { cost_usd: 74.5 },
        'convert_*': { risk: 'critical', flags: ['legal'], approval: 'auto' },
      },
    },
  },
};

interface Limits {
  limits: { scope: string; period: string; used_usd: number; reserved_usd: number }[];
}

const it = withWorld({
  files: {
    GOVERNANCE_FILE: POLICIES,
    // Tokens cost next to nothing: the model's calls have room where the tool has none.
    PRICES_FILE: { 'compatible/test': { input: 0.01, output: 0.01 } },
  },
  env: {
    MODEL: 'compatible/test',
    MCP_BUILTIN: 'on',
  },
});

describe('priced tools', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;

  it.beforeAll(({ world }) => {
    ({ provider, server, admin } = world);
  });

  beforeEach(() => provider.reset());

  const setLimit = async (usd: number | null) => {
    // A sum in floating point may have more than the nine decimals that an amount may have.
    const limit_usd = usd === null ? null : Number(usd.toFixed(9));
    const limits = [{ scope: 'tenant', period: 'day', limit_usd }];
    expect((await admin.put('/v2/costs/limits', { limits })).status).toBe(200);
  };
  const tenantDay = async () => {
    const { limits } = (await admin.get('/v2/costs/limits')).json<Limits>();
    const found = limits.find((limit) => limit.scope === 'tenant' && limit.period === 'day');
    if (found === undefined) throw new Error('no limit of the day');
    return found;
  };
  /** Names of all files that the files server holds. */
  const written = (): string[] => {
    const at = path.join(server.dataDir, 'files');
    return existsSync(at) ? readdirSync(at, { recursive: true }).map(String) : [];
  };
  const write = (name: string) =>
    admin.post('/v2/mcp/files/call', { tool: 'write_file', arguments: { path: name, content: 'x' } });

  it('are shown with the policy that holds at the gate, the file of the operator first', async () => {
    const policyOf = async (to: string, tool: string) =>
      (await admin.get(`/v2/mcp/${to}/tools?limit=100`))
        .json<{ items: { name: string; policy: object }[] }>()
        .items.find(({ name }) => name === tool)?.policy;
    await expect
      .poll(() => policyOf('time', 'get_current_time'))
      .toMatchObject({ cost_usd: 74.5, approval: 'pentarchy' });
    expect(await policyOf('files', 'write_file')).toMatchObject({ cost_usd: 0.06, approval: 'auto' });
    expect(await policyOf('files', 'read_file')).toMatchObject({ cost_usd: 0, approval: 'auto' });
    expect(await policyOf('time', 'convert_time')).toMatchObject({
      cost_usd: 0,
      risk: 'critical',
      flags: ['legal'],
      approval: 'human',
    });
  });

  it('cost a conversation all that was called for it: its answers, its votes and what they approved', async () => {
    provider.always((request) => {
      if (request.body.response_format !== undefined) {
        const vote = { vote: 'approve', reason: 'fine', confidence: 1, veto_reason: null };
        return { chunks: [JSON.stringify(vote)] };
      }
      if (request.body.messages?.at(-1)?.role === 'tool') return { chunks: ['Done.'] };
      const args = JSON.stringify({ timezone: 'Asia/Tokyo' });
      return { toolCalls: [{ id: 'c', name: 'time__get_current_time', arguments: args }] };
    });
    const asked = await admin.post('/v2/chat', {
      message: 'What time is it in Tokyo?',
      context: { agent_id: 'hephaestus' },
    });
    const { conversation_id: id } = asked.json<{ conversation_id: string }>();
    const conversation = async () =>
      (await admin.get(`/v2/conversations/${id}`)).json<{
        total_cost_usd: number;
        messages: { content: string }[];
      }>();
    await expect
      .poll(async () => (await conversation()).messages.at(-1)?.content, { timeout: 20_000 })
      .toBe('Done.');
    const usage = (await admin.get('/v2/costs/usage?period=day')).json<{ total_usd: number }>();
    expect(usage.total_usd).toBeGreaterThan(74.5);
    expect((await conversation()).total_cost_usd).toBe(usage.total_usd);
  });

  it('are not called where there is no room: 20 at once, of which one fits', async () => {
    const { used_usd: used } = await tenantDay();
    await setLimit(used + 0.1);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => write(`direct-${i}.txt`)));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 402)).toHaveLength(19);
    expect(written().filter((name) => name.includes('direct-'))).toHaveLength(1);
    const after = await tenantDay();
    expect(Math.round((after.used_usd - used) * 1e9)).toBe(60_000_000);
    expect(after.reserved_usd).toBe(0);
    const refused = answers.find((answer) => answer.status === 402)?.json<{ details: object }>();
    expect(refused?.details).toMatchObject({
      scope: 'tenant',
      period: 'day',
      reserved_usd: expect.any(Number),
    });
    await setLimit(500);
  });

  it(req('COST-05', 'end a run that has no room for them, uncalled, and keep what it has'), async () => {
    provider.script({
      chunks: ['I shall write it.'],
      toolCalls: [
        { id: 'c', name: 'files__write_file', arguments: JSON.stringify({ path: 'chat.txt', content: 'x' }) },
      ],
    });
    // Room for the model's own calls (fractions of a cent reserved), not for the tool.
    const { used_usd: used } = await tenantDay();
    await setLimit(used + 0.059);
    const asked = await admin.post('/v2/chat', { message: 'Write it', context: { agent_id: 'hephaestus' } });
    expect(asked.status, asked.text).toBe(200);
    expect(asked.json<{ finish_reason: string }>().finish_reason).toBe('cost_exceeded');
    expect(asked.json<{ tool_calls: unknown[] }>().tool_calls).toMatchObject([{ status: 'failed' }]);
    expect(written().some((name) => name.includes('chat.txt'))).toBe(false);
    await setLimit(500);
  });

  it('do not count to the limit of their run, nor after a restart of the server', {
    timeout: 90_000,
  }, async () => {
    const limits = [{ scope: 'run', period: 'run', limit_usd: 0.03 }];
    expect((await admin.put('/v2/costs/limits', { limits })).status).toBe(200);
    const steps = [
      { name: 'files__write_file', args: { path: 'first.txt', content: 'x' } },
      {
        name: 'time__convert_time',
        args: { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' },
      },
    ];
    provider.always((request) => {
      const told = request.body.messages?.filter((one) => one.role === 'tool').length ?? 0;
      const step = steps[told];
      if (step === undefined) return { chunks: ['Done.'] };
      return { toolCalls: [{ id: `c${told}`, name: step.name, arguments: JSON.stringify(step.args) }] };
    });
    // It waits for the decision, until the server is killed.
    const asked = admin
      .post('/v2/chat', { message: 'Write it', context: { agent_id: 'hephaestus' } })
      .catch(() => null);
    interface Waiting {
      id: string;
      run_id: string;
      conversation_id: string;
    }
    const waiting = async () =>
      (await admin.get('/v2/governance/proposals?status=awaiting_human')).json<Waiting[]>();
    await expect.poll(async () => (await waiting()).length, { timeout: 20_000 }).toBe(1);
    const [proposal] = await waiting();
    const voter = { email: 'voter@example.com', password: 'a-long-enough-word-1', roles: ['operator'] };
    expect((await admin.post('/v2/users', voter)).status).toBe(201);

    await server.end('SIGKILL');
    await asked;
    await server.start();
    admin = await server.signIn();
    const operator = await server.signIn(voter.email, voter.password);
    const voted = await operator.post(`/v2/governance/proposals/${proposal?.id}/vote`, { vote: 'approve' });
    expect(voted.status, voted.text).toBe(200);
    const run = async () =>
      (await admin.get(`/v2/chat/runs/${proposal?.run_id}`)).json<{ status: string; cost_usd: number }>();
    await expect.poll(async () => (await run()).status, { timeout: 20_000 }).toBe('completed');
    expect((await run()).cost_usd).toBeGreaterThan(0.06);
  });
});
