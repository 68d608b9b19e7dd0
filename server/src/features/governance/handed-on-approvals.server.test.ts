import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type Client, createClient } from '../../../test/support/client.ts';
import {
  startTestProvider,
  type TestProvider,
  type TestReply,
  type TestRequest,
} from '../../../test/support/provider.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** A call that needs a person, asked for by an agent that works for another: as without a hand-off. */

interface Answer {
  content: string;
  finish_reason: string;
  conversation_id: string;
  run_id: string;
  cost_usd: number;
  proposals: string[];
  usage: { input_tokens: number };
  tool_calls: { status: string; name: string }[];
}
interface Started {
  run_id: string;
  conversation_id: string;
}

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };

const USAGE = { inputTokens: 100, outputTokens: 10 };

const call = (name: string, args: Record<string, unknown>, id: string) => ({
  id,
  name,
  arguments: JSON.stringify(args),
});
const isVote = (request: TestRequest): boolean => request.body.response_format !== undefined;
const told = (request: TestRequest): string[] =>
  (request.body.messages ?? []).filter((m) => m.role === 'tool').map((m) => String(m.content));
const is = (request: TestRequest, name: string): boolean =>
  String(request.body.messages?.[0]?.content).includes(`You are ${name}`);
const said = (request: TestRequest): string =>
  String((request.body.messages ?? []).findLast((m) => m.role === 'user')?.content).replace(
    /^Now: \S+\n\n/,
    '',
  );

const proposalIn = (events: readonly { data: unknown }[]): string =>
  (events.at(-1)?.data as { id?: string } | undefined)?.id ?? '';

describe('an approval asked for within a hand-off', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;

  beforeAll(async () => {
    provider = await startTestProvider();
    server = await startServer({
      files: { GOVERNANCE_FILE: POLICIES },
      env: {
        MODEL: 'compatible/test',
        COMPATIBLE_BASE_URL: provider.url,
        MCP_BUILTIN: 'on',
        ALLOW_SELF_APPROVAL: 'on',
        // Who may hand on is seen from what is offered.
        TOOL_TOKENS: '0',
      },
    });
    admin = await server.signIn();
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
  });
  beforeEach(() => provider.reset());

  const files = (): string[] => {
    const root = path.join(server.dataDir, 'files');
    mkdirSync(root, { recursive: true });
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
  };

  /** Zeus hands the files on to Hephaestus; each writes one file and tells what came of it. */
  const script = (names: readonly string[]): void =>
    provider.always((request) => ({ ...replyTo(request, names), usage: USAGE }));
  const replyTo = (request: TestRequest, names: readonly string[]): TestReply => {
    if (isVote(request)) return { chunks: ['{}'] };
    const results = told(request);
    if (said(request).includes('Are you there')) return { chunks: ['Here I am.'] };
    if (is(request, 'Hephaestus'))
      return results.length === 0
        ? {
            toolCalls: [
              call('files__write_file', { path: said(request).split(' ')[1] ?? '', content: 'x' }, 'call_1'),
            ],
          }
        : { chunks: [`wrote<${results.join('|')}>`] };
    if (results.length > 0) return { chunks: [`zeus(${results.join('|')})`] };
    return {
      toolCalls: names.map((name, i) =>
        call('delegate', { agent: 'hephaestus', task: `Write ${name} now` }, `call_${i + 1}`),
      ),
    };
  };

  const start = async (proposals: number): Promise<{ started: Started; ids: string[]; stream: Stream }> => {
    const stream = await admin.stream('/api/v1/chat/stream', {
      message: 'Have it written',
      context: { agent_id: 'zeus' },
    });
    const ids: string[] = [];
    const first = (await stream.until('run.started')).at(-1)?.data as Started;
    while (ids.length < proposals) ids.push(proposalIn(await stream.until('proposal.created')));
    return { started: first, ids, stream };
  };
  type Stream = Awaited<ReturnType<Client['stream']>>;

  const vote = async (id: string, how: 'approve' | 'reject' = 'approve'): Promise<void> => {
    const done = await admin.post(`/api/v1/governance/proposals/${id}/vote`, {
      vote: how,
      reason: 'because',
    });
    expect(done.status, done.text).toBe(200);
  };
  const statusOf = async (id: string): Promise<string> =>
    (await admin.get(`/api/v1/chat/runs/${id}`)).json<{ status: string }>().status;
  const reaches = (id: string, status: string) =>
    expect.poll(() => statusOf(id), { timeout: 60_000 }).toBe(status);
  const answerOf = async (conversationId: string): Promise<string> => {
    const read = await admin.get(`/api/v1/conversations/${conversationId}`);
    const { messages } = read.json<{ messages: { role: string; content: string }[] }>();
    expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(1);
    return messages.at(-1)?.content ?? '';
  };

  it(req(
    'RUN-23',
    'is told by the JSON chat in time, leaves the turn free, and its decision reaches the conversation',
  ), async () => {
    script(['json.txt']);
    const began = Date.now();
    const asked = await admin.post('/api/v1/chat', {
      message: 'Have it written',
      context: { agent_id: 'zeus' },
    });
    expect(Date.now() - began).toBeLessThan(30_000);
    const waits = asked.json<Answer>();
    expect(waits).toMatchObject({
      finish_reason: 'awaiting_approval',
      tool_calls: [{ name: 'delegate', status: 'awaiting_approval' }],
    });
    expect(waits.proposals).toHaveLength(1);
    expect(await statusOf(waits.run_id)).toBe('awaiting_approval');
    const free = await admin.post('/api/v1/chat', {
      message: 'Are you there?',
      conversation_id: waits.conversation_id,
      context: { agent_id: 'zeus' },
    });
    expect(free.json<Answer>().content).toBe('Here I am.');
    expect(files()).not.toContain('json.txt');
    await vote(waits.proposals[0] ?? '');
    await reaches(waits.run_id, 'completed');
    const read = await admin.get(`/api/v1/conversations/${waits.conversation_id}`);
    expect(read.text).toContain('zeus(wrote<');
    expect(files().filter((name) => name === 'json.txt')).toHaveLength(1);
    // Zeus and Hephaestus twice each, and nothing counted again at the decision.
    const run = (await admin.get(`/api/v1/chat/runs/${waits.run_id}`)).json<Answer>();
    const calls = provider.requests.filter((r) => !isVote(r) && !said(r).includes('Are you there'));
    expect(calls).toHaveLength(4);
    expect([waits.usage.input_tokens, run.usage.input_tokens]).toEqual([200, 400]);
  }, 60_000);

  it(req('RUN-23', 'tells the helper of a rejection, which goes on without the call'), async () => {
    script(['rejected.txt']);
    const { started, ids, stream } = await start(1);
    await vote(ids[0] ?? '', 'reject');
    await stream.rest();
    expect(await answerOf(started.conversation_id)).toMatch(/^zeus\(wrote<.*not approved.*because/);
    expect(files()).not.toContain('rejected.txt');
  }, 60_000);

  it(req('RUN-23', 'is withdrawn with the run'), async () => {
    script(['cancelled.txt']);
    const { started, ids } = await start(1);
    await reaches(started.run_id, 'awaiting_approval');
    expect((await admin.post(`/api/v1/chat/runs/${started.run_id}/cancel`)).status).toBe(202);
    expect(await statusOf(started.run_id)).toBe('cancelled');
    const proposal = await admin.get(`/api/v1/governance/proposals/${ids[0]}`);
    expect(proposal.json<{ status: string }>().status).toBe('cancelled');
    expect(files()).not.toContain('cancelled.txt');
  }, 60_000);

  it(req('RUN-23', 'waits for two helpers at once, and over a killed server'), async () => {
    script(['both-a.txt', 'both-b.txt']);
    const { started, ids } = await start(2);
    await reaches(started.run_id, 'awaiting_approval');
    await vote(ids[0] ?? '');
    // What is under way when the process dies nobody knows: the call has to have ended.
    await expect
      .poll(async () => {
        const read = await admin.get(`/api/v1/governance/proposals/${ids[0]}`);
        return read.json<{ execution: { status: string } | null }>().execution?.status;
      })
      .toBe('completed');
    await server.end('SIGKILL');
    await server.start();
    admin = await server.signIn();
    expect(await statusOf(started.run_id)).toBe('awaiting_approval');
    for (const id of ids.slice(1)) await vote(id);
    await reaches(started.run_id, 'completed');
    const answer = await answerOf(started.conversation_id);
    expect(answer.match(/wrote</g), answer).toHaveLength(2);
    expect(answer).not.toContain('Error');
    expect(
      files()
        .filter((name) => name.startsWith('both-'))
        .sort(),
    ).toEqual(['both-a.txt', 'both-b.txt']);
    const run = (await admin.get(`/api/v1/chat/runs/${started.run_id}`)).json<Answer>();
    // Zeus and two of Hephaestus, twice each.
    expect(provider.requests.filter((request) => !isVote(request))).toHaveLength(6);
    expect(run.usage.input_tokens).toBe(600);
  }, 180_000);

  it(req('RUN-23', 'of a helper that asks once more waits once more'), async () => {
    let writes = 0;
    provider.always((request) => {
      if (isVote(request)) return { chunks: ['{}'] };
      const results = told(request);
      if (is(request, 'Hephaestus')) {
        if (results.length === 2) return { chunks: ['both written'] };
        writes += 1;
        const name = `again-${results.length}.txt`;
        return { toolCalls: [call('files__write_file', { path: name, content: 'x' }, `w${writes}`)] };
      }
      return results.length === 0
        ? { toolCalls: [call('delegate', { agent: 'hephaestus', task: 'Write both' }, 'd')] }
        : { chunks: [`zeus(${results.join('|')})`] };
    });
    const { started, ids, stream } = await start(1);
    await vote(ids[0] ?? '');
    const second = proposalIn(await stream.until('proposal.created'));
    expect(second).not.toBe(ids[0]);
    await vote(second);
    await stream.rest();
    expect(await answerOf(started.conversation_id)).toBe('zeus(both written)');
    expect(
      files()
        .filter((name) => name.startsWith('again-'))
        .sort(),
    ).toEqual(['again-0.txt', 'again-1.txt']);
  }, 60_000);

  it(req('RUN-23', 'holds a task, and the decision ends it'), async () => {
    script(['task.txt']);
    const made = await admin.post('/v2/tasks', { description: 'Have it written', agent_id: 'zeus' });
    expect(made.status, made.text).toBe(201);
    const { id } = made.json<{ id: string }>();
    const status = async () => (await admin.get(`/v2/tasks/${id}`)).json<{ status: string }>().status;
    await expect.poll(status, { timeout: 20_000 }).toBe('awaiting_approval');
    const open = await admin.get('/api/v1/governance/proposals?status=awaiting_human');
    await vote(open.json<{ id: string }[]>()[0]?.id ?? '');
    await expect.poll(status, { timeout: 20_000 }).toBe('completed');
    expect((await admin.get(`/v2/tasks/${id}`)).text).toContain('zeus(wrote<');
    expect(files()).toContain('task.txt');
  }, 60_000);

  it(req('RUN-23', 'is told by the OpenAI API, and frees nothing but the turn'), async () => {
    script(['api.txt']);
    const asked = await admin.post('/v1/chat/completions', {
      model: 'pentarch/zeus',
      messages: [{ role: 'user', content: 'Have it written' }],
    });
    expect(asked.status, asked.text).toBe(200);
    const open = await admin.get('/api/v1/governance/proposals?status=awaiting_human');
    const [proposal] = open.json<{ id: string }[]>();
    expect(asked.text).toContain(proposal?.id);
    await vote(proposal?.id ?? '');
    await expect.poll(files, { timeout: 20_000 }).toContain('api.txt');
  }, 60_000);

  /** Zeus asks Athena, who asks Hephaestus, who writes; each tells what came of it. */
  const nested = (name: string): void =>
    provider.always((request) => {
      const results = told(request);
      const reply = (who: string, toolCall: ReturnType<typeof call>): TestReply =>
        results.length === 0
          ? { toolCalls: [toolCall], usage: USAGE }
          : { chunks: [`${who}(${results.join('|')})`], usage: USAGE };
      if (isVote(request)) return { chunks: ['{}'] };
      if (said(request).includes('Are you there')) return { chunks: ['Here I am.'] };
      if (is(request, 'Hephaestus'))
        return reply('hephaestus', call('files__write_file', { path: name, content: 'x' }, 'w'));
      const to = is(request, 'Athena') ? 'hephaestus' : 'athena';
      return reply(
        is(request, 'Athena') ? 'athena' : 'zeus',
        call('delegate', { agent: to, task: 'Write' }, 'd'),
      );
    });

  it(req(
    'RUN-23',
    'of a helper of a helper is told in time, frees the turn and reaches the conversation',
  ), async () => {
    nested('nested.txt');
    const asked = await admin.post('/api/v1/chat', {
      message: 'Have it written',
      context: { agent_id: 'zeus' },
    });
    const waits = asked.json<Answer>();
    expect(waits).toMatchObject({
      finish_reason: 'awaiting_approval',
      tool_calls: [{ name: 'delegate', status: 'awaiting_approval' }],
    });
    expect(waits.proposals).toHaveLength(1);
    expect(await statusOf(waits.run_id)).toBe('awaiting_approval');
    const free = await admin.post('/api/v1/chat', {
      message: 'Are you there?',
      conversation_id: waits.conversation_id,
      context: { agent_id: 'zeus' },
    });
    expect(free.json<Answer>().content).toBe('Here I am.');
    await vote(waits.proposals[0] ?? '');
    await reaches(waits.run_id, 'completed');
    const read = await admin.get(`/api/v1/conversations/${waits.conversation_id}`);
    expect(read.text).toContain('zeus(athena(hephaestus(');
    expect(files()).toContain('nested.txt');
    const run = (await admin.get(`/api/v1/chat/runs/${waits.run_id}`)).json<
      Answer & { agent_ids: string[] }
    >();
    // Three agents, twice each.
    expect([waits.usage.input_tokens, run.usage.input_tokens]).toEqual([300, 600]);
    expect([...run.agent_ids].sort()).toEqual(['athena', 'hephaestus', 'zeus']);
  }, 120_000);

  it(req('RUN-23', 'of a helper of a helper waits over a killed server'), async () => {
    nested('deep.txt');
    const { started, ids } = await start(1);
    await reaches(started.run_id, 'awaiting_approval');
    await server.end('SIGKILL');
    await server.start();
    admin = await server.signIn();
    expect(await statusOf(started.run_id)).toBe('awaiting_approval');
    await vote(ids[0] ?? '');
    await reaches(started.run_id, 'completed');
    expect(await answerOf(started.conversation_id)).toMatch(/^zeus\(athena\(hephaestus\(/);
    expect(files().filter((name) => name === 'deep.txt')).toHaveLength(1);
    expect(provider.requests.filter((request) => !isVote(request))).toHaveLength(6);
  }, 180_000);

  it(req('RUN-23', 'agents hand on twice and no further'), async () => {
    const offered: Record<string, boolean> = {};
    provider.always((request) => {
      if (isVote(request)) return { chunks: ['{}'] };
      const tools = (request.body.tools ?? []).map((tool) => tool.function.name);
      const names = ['Zeus', 'Athena', 'Hephaestus'];
      const name = names.find((one) => is(request, one)) ?? '';
      offered[name] = tools.includes('delegate');
      const next = names[names.indexOf(name) + 1]?.toLowerCase();
      return told(request).length > 0 || next === undefined
        ? { chunks: [`${name} is done`] }
        : { toolCalls: [call('delegate', { agent: next, task: 'Go on' }, 'd')] };
    });
    const asked = await admin.post('/api/v1/chat', { message: 'Go', context: { agent_id: 'zeus' } });
    expect(asked.json<Answer>().content).toBe('Zeus is done');
    expect(offered).toEqual({ Zeus: true, Athena: true, Hephaestus: false });
  }, 60_000);

  it(req(
    'RUN-23',
    'is withdrawn where the cancel comes while another call of the same answer is going on',
  ), async () => {
    provider.always((request) => {
      if (isVote(request)) return { chunks: ['{}'] };
      if (is(request, 'Hephaestus'))
        return said(request).includes('slow')
          ? { chunks: ['late'], hangAfter: 0 }
          : { toolCalls: [call('files__write_file', { path: 'half.txt', content: 'x' }, 'w')] };
      return {
        toolCalls: [
          call('files__write_file', { path: 'own.txt', content: 'x' }, 'own'),
          call('delegate', { agent: 'hephaestus', task: 'Write it' }, 'd1'),
          call('delegate', { agent: 'hephaestus', task: 'Be slow' }, 'd2'),
        ],
      };
    });
    const stream = await admin.stream('/api/v1/chat/stream', {
      message: 'Have it written',
      context: { agent_id: 'zeus' },
    });
    const started = (await stream.until('run.started')).at(-1)?.data as Started;
    const proposals = async () =>
      (await admin.get('/api/v1/governance/proposals?limit=100'))
        .json<{ run_id: string; status: string }[]>()
        .filter((one) => one.run_id === started.run_id)
        .map((one) => one.status);
    await expect.poll(async () => (await proposals()).length, { timeout: 20_000 }).toBe(2);
    await expect.poll(() => provider.requests.some((request) => said(request).includes('slow'))).toBe(true);
    expect((await admin.post(`/api/v1/chat/runs/${started.run_id}/cancel`)).status).toBe(202);
    expect(await proposals()).toEqual(['cancelled', 'cancelled']);
  }, 60_000);
});

describe('a helper that is lost while one of its calls waits', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;
  beforeAll(async () => {
    provider = await startTestProvider();
    server = await startServer({
      files: { GOVERNANCE_FILE: POLICIES },
      env: { MODEL: 'compatible/test', COMPATIBLE_BASE_URL: provider.url, MCP_BUILTIN: 'on' },
    });
    admin = await server.signIn();
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
  });
  const runOfKey = async (client: Client): Promise<Started> => {
    const stream = await client.stream('/api/v1/chat/stream', {
      message: 'Have it written',
      context: { agent_id: 'zeus' },
    });
    return (await stream.until('run.started')).at(-1)?.data as Started;
  };
  const proposalsOf = async ({ run_id }: Started): Promise<string[]> =>
    (await admin.get('/api/v1/governance/proposals?limit=100'))
      .json<{ run_id: string; status: string }[]>()
      .filter((one) => one.run_id === run_id)
      .map((one) => one.status);
  const runStatus = async ({ run_id }: Started): Promise<string> =>
    (await admin.get(`/api/v1/chat/runs/${run_id}`)).json<{ status: string }>().status;
  const restart = async (): Promise<void> => {
    await server.end('SIGKILL');
    await server.start();
    admin = await server.signIn();
  };

  it(req('RUN-23', 'leaves no proposal open behind a run that completes'), async () => {
    // Hephaestus asks for a file and, beside it, hands on to Athena, who never answers before the process dies.
    let died = false;
    provider.always((request) => {
      if (isVote(request)) return { chunks: ['{}'] };
      if (is(request, 'Athena')) return { chunks: ['late'], hangAfter: 0 };
      if (is(request, 'Hephaestus'))
        return {
          toolCalls: [
            call('files__write_file', { path: 'left.txt', content: 'x' }, 'w'),
            call('delegate', { agent: 'athena', task: 'Be slow' }, 'd'),
          ],
        };
      if (died) return { chunks: ['it was lost'] };
      return { toolCalls: [call('delegate', { agent: 'hephaestus', task: 'Write it' }, 'd')] };
    });
    const run = await runOfKey(admin);
    await expect.poll(() => proposalsOf(run), { timeout: 20_000 }).toHaveLength(1);
    await expect.poll(() => provider.requests.some((request) => is(request, 'Athena'))).toBe(true);
    died = true;
    await restart();
    await expect.poll(() => runStatus(run), { timeout: 60_000 }).toBe('completed');
    await expect.poll(() => proposalsOf(run)).toEqual(['cancelled']);
  }, 120_000);

  it(req('RUN-23', 'nor behind a run that nobody may go on with after a restart'), async () => {
    provider.reset();
    provider.always((request) =>
      isVote(request)
        ? { chunks: ['{}'] }
        : { toolCalls: [call('files__write_file', { path: 'nobody.txt', content: 'x' }, 'w')] },
    );
    const made = await admin.post('/v2/auth/api-keys', { name: 'soon gone' });
    const { id, key } = made.json<{ id: string; key: string }>();
    const run = await runOfKey(createClient(() => server.url, key));
    await expect.poll(() => runStatus(run), { timeout: 20_000 }).toBe('awaiting_approval');
    expect((await admin.delete(`/v2/auth/api-keys/${id}`)).status).toBe(204);
    await restart();
    await expect.poll(() => runStatus(run), { timeout: 60_000 }).toBe('failed');
    expect(await proposalsOf(run)).toEqual(['cancelled']);
  }, 120_000);
});

describe('a hand-off that itself needs an approval', () => {
  it(req('RUN-23', 'is made once it is approved, and its helper may wait in turn'), async () => {
    const provider = await startTestProvider();
    const server = await startServer({
      files: {
        GOVERNANCE_FILE: {
          policies: {
            pentarch: { tools: { delegate: { approval: 'human' } } },
            files: { tools: { write_file: { approval: 'human' } } },
          },
        },
      },
      env: {
        MODEL: 'compatible/test',
        COMPATIBLE_BASE_URL: provider.url,
        MCP_BUILTIN: 'on',
        ALLOW_SELF_APPROVAL: 'on',
      },
    });
    try {
      let admin = await server.signIn();
      provider.always((request) => {
        if (isVote(request)) return { chunks: ['{}'] };
        const results = told(request);
        if (is(request, 'Hephaestus'))
          return results.length === 0
            ? { toolCalls: [call('files__write_file', { path: 'both.txt', content: 'x' }, 'w')] }
            : { chunks: ['written'] };
        return results.length === 0
          ? { toolCalls: [call('delegate', { agent: 'hephaestus', task: 'Write' }, 'd')] }
          : { chunks: [`zeus(${results.join('|')})`] };
      });
      const approve = async (id: string): Promise<void> => {
        const body = { vote: 'approve', reason: 'because' };
        const done = await admin.post(`/api/v1/governance/proposals/${id}/vote`, body);
        expect(done.status, done.text).toBe(200);
      };
      const stream = await admin.stream('/api/v1/chat/stream', {
        message: 'Have it written',
        context: { agent_id: 'zeus' },
      });
      const started = (await stream.until('run.started')).at(-1)?.data as Started;
      const { run_id: runId, conversation_id: conversation } = started;
      const first = proposalIn(await stream.until('proposal.created'));
      expect(provider.requests.some((request) => is(request, 'Hephaestus'))).toBe(false);
      await approve(first);
      const second = proposalIn(await stream.until('proposal.created'));
      expect(second).not.toBe(first);
      const status = async () =>
        (await admin.get(`/api/v1/chat/runs/${runId}`)).json<{ status: string }>().status;
      await expect.poll(status, { timeout: 20_000 }).toBe('awaiting_approval');
      await server.end('SIGKILL');
      await server.start();
      admin = await server.signIn();
      await approve(second);
      await expect.poll(status, { timeout: 60_000 }).toBe('completed');
      const read = await admin.get(`/api/v1/conversations/${conversation}`);
      expect(read.text).toContain('zeus(written)');
    } finally {
      await server.close();
      await provider.close();
    }
  }, 180_000);
});
