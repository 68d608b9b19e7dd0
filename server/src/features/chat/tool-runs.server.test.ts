import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestReply, TestRequest } from '../../../test/support/provider.ts';
import { NODES, type TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Runs that use tools: the loop, approvals, cancellation, and what a killed server leaves. */

const call = (name: string, args: Record<string, unknown>, id = 'call_1') => ({
  id,
  name,
  arguments: JSON.stringify(args),
});

const lastRole = (request: TestRequest): string => request.body.messages?.at(-1)?.role ?? '';
interface ChatAnswer {
  id: string;
  content: string;
  finish_reason: string;
  conversation_id: string;
  run_id: string;
  cost_usd: number;
  tool_calls: { status: string; name: string }[];
}
interface Started {
  run_id: string;
  conversation_id: string;
}
interface Conversation {
  message_count: number;
  messages: { role: string; content: string; tool_calls: unknown[] }[];
}
interface RunState {
  status: string;
  error: { code: string } | null;
}

const POLICIES = { policies: { files: { tools: { write_file: { approval: 'human' } } } } };

const isVote = (request: TestRequest): boolean => request.body.response_format !== undefined;

const told = (request: TestRequest): string[] =>
  (request.body.messages ?? []).filter((m) => m.role === 'tool').map((m) => String(m.content));

const it = withWorld({
  files: { GOVERNANCE_FILE: POLICIES },
  env: {
    MODEL: 'compatible/test',
    MCP_BUILTIN: 'on',
    ALLOW_SELF_APPROVAL: 'on',
  },
});

describe('runs with tools', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;

  it.beforeAll(({ world }) => {
    ({ provider, server, admin } = world);
  });

  beforeEach(() => provider.reset());

  const ask = async (message: string, agent = 'hephaestus') => {
    const answer = await admin.post('/api/v1/chat', { message, context: { agent_id: agent } });
    return { status: answer.status, body: answer.json<ChatAnswer>() };
  };
  const streamed = (message: string) =>
    admin.stream('/api/v1/chat/stream', { message, context: { agent_id: 'hephaestus' } });
  const conversation = async (id: string) =>
    (await admin.get(`/api/v1/conversations/${id}`)).json<Conversation>();
  const runState = async (id: string) => (await admin.get(`/api/v1/chat/runs/${id}`)).json<RunState>();

  it('tell the model what its tools gave, and the client which were used', async () => {
    provider.script(
      { toolCalls: [call('time__get_current_time', { timezone: 'Asia/Tokyo' })] },
      (request) => ({
        chunks: [`It is ${JSON.parse(told(request)[0] ?? '{}').weekday ?? 'unknown'} in Tokyo.`],
      }),
    );
    const { status, body } = await ask('What time is it in Tokyo?');
    expect(status).toBe(200);
    expect(body.content).toMatch(/It is \w+day in Tokyo\./);
    expect(body.finish_reason).toBe('stop');
    expect(body.tool_calls).toEqual([
      expect.objectContaining({
        server: 'time',
        name: 'get_current_time',
        status: 'completed',
        agent_id: 'hephaestus',
        arguments: { timezone: 'Asia/Tokyo' },
      }),
    ]);
  });

  it('tell broken arguments, unknown tools and broken schemas back to the model', async () => {
    provider.script(
      {
        toolCalls: [
          { id: 'a', name: 'time__get_current_time', arguments: '{"timezone": "Asia/Tok' },
          call('no_such_tool', {}, 'b'),
          call('time__get_current_time', { timezone: 7 }, 'c'),
        ],
      },
      { chunks: ['I could not find out.'] },
    );
    const { body } = await ask('What time is it in Tokyo?');
    expect(body.content).toBe('I could not find out.');
    expect(body.tool_calls.map((c) => c.status)).toEqual(['failed', 'failed', 'failed']);
    const second = provider.requests.at(-1);
    expect(second && told(second)).toEqual([
      expect.stringContaining('not valid JSON'),
      expect.stringContaining('no tool no_such_tool'),
      expect.stringContaining('timezone'),
    ]);
  });

  it('end a loop of tools that has no end', async () => {
    provider.always({ toolCalls: [call('time__get_current_time', { timezone: 'UTC' })] });
    const { body } = await ask('Again and again');
    expect(body.finish_reason).toBe('length');
    expect(body.tool_calls).toHaveLength(11);
    expect(body.content).toContain('not come to an answer');
  });

  it('that are approved while another message has its conversation’s turn can be cancelled at once', async () => {
    const gate = Promise.withResolvers<void>();
    provider.always((request) => {
      if (isVote(request)) return { chunks: ['{}'] };
      const last = String(request.body.messages?.at(-1)?.content);
      if (last.endsWith('Write it'))
        return { toolCalls: [call('files__write_file', { path: 'later.txt', content: 'x' })] };
      return last.endsWith('Meanwhile') ? { text: 'Answered.', hold: gate.promise } : { text: 'Written.' };
    });
    const first = await streamed('Write it');
    const told = await first.until('proposal.created');
    const started = told[0]?.data as Started;
    const proposal = String((told.at(-1)?.data as { id?: unknown } | undefined)?.id);
    const body = {
      message: 'Meanwhile',
      conversation_id: started.conversation_id,
      context: { agent_id: 'iris' },
    };
    const second = await admin.stream('/api/v1/chat/stream', body);
    await second.until('agent.selected');
    const vote = await admin.post(`/v2/governance/proposals/${proposal}/vote`, { vote: 'approve' });
    expect(vote.status, vote.text).toBe(200);
    // The call is carried out at once; its run waits for the turn, to go on.
    await first.until('proposal.decided');
    const cancelled = await admin.post(`/api/v1/chat/runs/${started.run_id}/cancel`);
    expect(cancelled.status).toBe(202);
    expect(cancelled.json<RunState>().status).toBe('cancelled');
    gate.resolve();
    expect((await second.rest()).at(-1)?.data).toMatchObject({ content: 'Answered.' });
    expect((await ask('And now?')).body.content).toBe('Written.');
  });

  it('hand a part to another agent, whose answer, tools and cost are told', async () => {
    provider.always((request) => {
      const system = String(request.body.messages?.[0]?.content);
      if (system.includes('You are Chronos')) {
        return told(request).length === 0
          ? { toolCalls: [call('time__get_current_time', { timezone: 'Europe/Lisbon' }, 'inner')] }
          : { chunks: ['It is Saturday in Lisbon.'] };
      }
      return told(request).length === 0
        ? { toolCalls: [call('delegate', { agent: 'chronos', task: 'Which weekday is it in Lisbon?' })] }
        : { chunks: [`Chronos says: ${told(request)[0]}`] };
    });
    const stream = await admin.stream('/api/v1/chat/stream', {
      message: 'Which weekday is it in Lisbon?',
      context: { agent_id: 'zeus' },
    });
    const events = await stream.rest();
    const chosen = events
      .filter((e) => e.event === 'agent.selected')
      .map((e) => (e.data as { agent_id: string }).agent_id);
    expect(chosen).toEqual(['zeus', 'chronos']);
    const tools = events
      .filter((e) => e.event === 'tool.completed')
      .map((e) => e.data as { name: string; agent_id: string });
    expect(tools.map((t) => [t.agent_id, t.name])).toEqual([
      ['chronos', 'get_current_time'],
      ['zeus', 'delegate'],
    ]);
    const answer = events.at(-1)?.data as ChatAnswer;
    expect(answer.content).toBe('Chronos says: It is Saturday in Lisbon.');
    const usage = await admin.get('/api/v1/costs/usage?period=day');
    const byAgent = usage.json<{ by_agent: { agent_id: string; cost_usd: number }[] }>().by_agent;
    expect(byAgent.find((row) => row.agent_id === 'chronos')?.cost_usd).toBeGreaterThan(0);
    expect(answer.cost_usd).toBeGreaterThan(byAgent.find((row) => row.agent_id === 'chronos')?.cost_usd ?? 0);
  });

  it('tell of a helper’s proposal in full, and go on with the decision about it', async () => {
    provider.always((request) => {
      if (isVote(request)) return { chunks: ['{}'] };
      const asked = told(request).length === 0;
      if (String(request.body.messages?.[0]?.content).includes('You are Hephaestus'))
        return asked
          ? { toolCalls: [call('files__write_file', { path: 'helped.txt', content: 'x' }, 'inner')] }
          : { chunks: ['It is written.'] };
      return asked
        ? { toolCalls: [call('delegate', { agent: 'hephaestus', task: 'Write it' })] }
        : { chunks: [`Hephaestus says: ${told(request)[0]}`] };
    });
    const stream = await admin.stream('/api/v1/chat/stream', {
      message: 'Have it written',
      context: { agent_id: 'zeus' },
    });
    const proposal = (await stream.until('proposal.created')).at(-1)?.data as { id: string };
    const shown = (await admin.get(`/v2/governance/proposals/${proposal.id}`)).json<
      Record<string, unknown>
    >();
    expect(Object.keys(proposal).sort()).toEqual(Object.keys(shown).sort());
    const vote = await admin.post(`/v2/governance/proposals/${proposal.id}/vote`, { vote: 'approve' });
    expect(vote.status, vote.text).toBe(200);
    expect((await stream.rest()).at(-1)?.data).toMatchObject({
      content: 'Hephaestus says: It is written.',
    });
  });

  it('count what a helper used to the answer, and in the helper’s own figures', async () => {
    interface Figures {
      requests: number;
      input_tokens: number;
      output_tokens: number;
      tool_calls: number;
      cost_usd: number;
    }
    const figures = async (agent: string) =>
      (await admin.get(`/api/v1/agents/${agent}/metrics`)).json<Figures>();
    const before = { zeus: await figures('zeus'), iris: await figures('iris') };
    provider.always((request) => {
      const asked = told(request).length === 0;
      const usage = { inputTokens: 100, outputTokens: 10 };
      if (String(request.body.messages?.[0]?.content).includes('You are Iris'))
        return asked
          ? { toolCalls: [call('list_notifications', {}, 'inner')], usage }
          : { chunks: ['Nothing new.'], usage };
      return asked
        ? { toolCalls: [call('delegate', { agent: 'iris', task: 'What is new?' })], usage }
        : { chunks: ['Iris says: nothing.'], usage };
    });
    const { body } = await ask('What is new?', 'zeus');
    expect(body).toMatchObject({
      content: 'Iris says: nothing.',
      usage: { input_tokens: 400, output_tokens: 40 },
    });
    const run = (await admin.get(`/api/v1/chat/runs/${body.run_id}`)).json();
    expect(run).toMatchObject({ agent_ids: ['zeus', 'iris'], usage: { input_tokens: 400 } });
    const talk = (await admin.get(`/api/v1/conversations/${body.conversation_id}`)).json();
    expect(talk).toMatchObject({ agent_ids: ['zeus', 'iris'] });
    for (const agent of ['zeus', 'iris'] as const) {
      const now = await figures(agent);
      const then = before[agent];
      expect([
        agent,
        now.requests - then.requests,
        now.input_tokens - then.input_tokens,
        now.output_tokens - then.output_tokens,
        now.tool_calls - then.tool_calls,
      ]).toEqual([agent, 1, 200, 20, 1]);
      expect(now.cost_usd - then.cost_usd).toBeCloseTo(body.cost_usd / 2, 9);
    }
  });

  it('keep what a helper had used when the run is cancelled meanwhile', async () => {
    provider.always((request) => {
      if (String(request.body.messages?.[0]?.content).includes('You are Iris'))
        return told(request).length === 0
          ? {
              toolCalls: [call('list_notifications', {}, 'inner')],
              usage: { inputTokens: 100, outputTokens: 10 },
            }
          : { hangAfter: 0 };
      return {
        toolCalls: [call('delegate', { agent: 'iris', task: 'What is new?' })],
        usage: { inputTokens: 100, outputTokens: 10 },
      };
    });
    const stream = await admin.stream('/api/v1/chat/stream', {
      message: 'What is new?',
      context: { agent_id: 'zeus' },
    });
    const started = (await stream.next())?.data as Started;
    await provider.seen(3);
    await admin.post(`/api/v1/chat/runs/${started.run_id}/cancel`);
    const run = (await admin.get(`/api/v1/chat/runs/${started.run_id}`)).json<{
      cost_usd: number;
      usage: { input_tokens: number };
    }>();
    expect(run).toMatchObject({
      status: 'cancelled',
      agent_ids: ['zeus', 'iris'],
      usage: { output_tokens: 20 },
    });
    // The two answers, and the prompt of the call that was stopped.
    expect(run.usage.input_tokens).toBeGreaterThan(200);
    const rows = (await admin.get('/api/v1/costs/usage/export')).text
      .split('\r\n')
      .filter((line) => line.includes(started.run_id));
    expect(rows).toHaveLength(3);
    const column = 15;
    const spent = rows.reduce((sum, row) => sum + Number(row.split(',')[column]), 0);
    expect(run.cost_usd).toBeCloseTo(spent, 9);
  });

  it('give a reader the end after a restart, however much of what is lost it had seen', async () => {
    const events = async (id: string, seen: string) =>
      (
        await admin.stream(`/api/v1/chat/runs/${id}/stream`, undefined, {
          headers: { 'last-event-id': seen },
        })
      ).rest();
    const restart = async () => {
      await server.end('SIGKILL');
      await server.start();
      admin = await server.signIn();
    };
    const number = (id: string) => Number(id.split(':')[1]);

    // In the text of a first answer: the run ends as failed, and its end has a number that was never told.
    provider.always({ chunks: ['one ', 'two '], hangAfter: 1 });
    const talking = await streamed('Talk');
    const told1 = [await talking.next(), ...(await talking.until('message.delta'))];
    const first = String((told1[0]?.data as Partial<Started> | undefined)?.run_id);
    const seen1 = told1.at(-1)?.id ?? '';
    await restart();
    await expect.poll(async () => (await runState(first)).status, { timeout: 20_000 }).toBe('failed');
    for (let n = 2; n <= number(seen1) + 3; n++) {
      const rest = await events(first, `${first}:${n}`);
      expect([n, rest.at(-1)?.event]).toEqual([n, 'error']);
      expect(number(rest.at(-1)?.id ?? '')).toBeGreaterThan(n);
    }

    // In the work of a helper, whose events are lost with it: the run goes on, and its end is told.
    provider.always((request) => {
      if (String(request.body.messages?.[0]?.content).includes('You are Iris'))
        return told(request).length === 0
          ? { toolCalls: [call('list_notifications', {}, 'inner')] }
          : { hangAfter: 0 };
      return told(request).length === 0
        ? { toolCalls: [call('delegate', { agent: 'iris', task: 'What is new?' })] }
        : { chunks: ['I could not ask Iris.'] };
    });
    const helped = await admin.stream('/api/v1/chat/stream', {
      message: 'What is new?',
      context: { agent_id: 'zeus' },
    });
    const told2 = await helped.until('tool.completed');
    const second = String((told2[0]?.data as Partial<Started> | undefined)?.run_id);
    await provider.seen(3);
    await restart();
    await expect.poll(async () => (await runState(second)).status, { timeout: 20_000 }).toBe('completed');
    for (const event of told2) {
      const rest = await events(second, event.id);
      expect([event.id, rest.at(-1)?.event]).toEqual([event.id, 'message.completed']);
      const numbers = rest.map((one) => number(one.id));
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    }
  }, 90_000);

  /** A person must decide about `files.write_file` by the policy of this server. */
  const writes = (name: string, text: string): ((request: TestRequest) => TestReply) => {
    return (request) => {
      if (isVote(request)) return { chunks: ['{}'] };
      return lastRole(request) === 'tool'
        ? { chunks: [`Told: ${told(request).at(-1)}`] }
        : { toolCalls: [call('files__write_file', { path: name, content: text })] };
    };
  };

  const files = (): string[] => {
    const root = path.join(server.dataDir, 'files');
    mkdirSync(root, { recursive: true });
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
  };

  const openProposal = async (): Promise<string> => {
    let id: string | undefined;
    await expect
      .poll(
        async () => {
          const open = await admin.get('/api/v1/governance/proposals?status=awaiting_human');
          id = open.json<{ id: string }[]>()[0]?.id;
          return id;
        },
        { timeout: 15_000 },
      )
      .toBeDefined();
    return String(id);
  };

  describe('that need a person', () => {
    it('wait, go on with the approved call made once, and keep one answer', async () => {
      provider.always(writes('approved.txt', 'hello'));
      const stream = await streamed('Write the file');
      const proposal = await openProposal();
      expect(files()).not.toContain('approved.txt');
      const vote = await admin.post(`/api/v1/governance/proposals/${proposal}/vote`, { vote: 'approve' });
      expect(vote.status).toBe(200);
      const events = await stream.rest();
      const names = events.map((e) => e.event);
      expect(names).toContain('proposal.created');
      expect(names).toContain('proposal.decided');
      expect(names.at(-1)).toBe('message.completed');
      const answer = events.at(-1)?.data as ChatAnswer;
      expect(answer.finish_reason).toBe('stop');
      expect(answer.tool_calls).toEqual([
        expect.objectContaining({ name: 'write_file', status: 'completed' }),
      ]);
      expect(files()).toContain('approved.txt');
      const stored = await conversation(answer.conversation_id);
      expect(stored.messages.map((m) => m.role)).toEqual(['user', 'assistant']);
      expect(stored.messages[1]?.content).toBe(answer.content);
      expect(stored.message_count).toBe(2);
    });

    it('are told of a rejection and do nothing', async () => {
      provider.always(writes('rejected.txt', 'no'));
      const stream = await streamed('Write the other file');
      const proposal = await openProposal();
      await admin.post(`/api/v1/governance/proposals/${proposal}/vote`, {
        vote: 'reject',
        reason: 'not now',
      });
      const answer = (await stream.rest()).at(-1)?.data as ChatAnswer;
      expect(answer.content).toContain('not approved');
      expect(answer.tool_calls[0]?.status).toBe('denied');
      expect(files()).not.toContain('rejected.txt');
    });

    it('go on after the server was killed while they waited', async () => {
      provider.always(writes('survived.txt', 'still here'));
      const stream = await streamed('Write the third file');
      const proposal = await openProposal();
      const started = (await stream.next())?.data as Started;
      await server.end('SIGKILL');
      await server.start();
      admin = await server.signIn();
      const vote = await admin.post(`/api/v1/governance/proposals/${proposal}/vote`, { vote: 'approve' });
      expect(vote.status).toBe(200);
      await expect
        .poll(async () => (await runState(started.run_id)).status, { timeout: 15_000 })
        .toBe('completed');
      expect(files().filter((name) => name === 'survived.txt')).toHaveLength(1);
      const { messages } = await conversation(started.conversation_id);
      expect(messages).toHaveLength(2);
      expect(messages[1]?.content).toContain('Told: ');
    });

    it('can be cancelled, which withdraws the proposal and frees the conversation', async () => {
      provider.always(writes('cancelled.txt', 'no'));
      const stream = await streamed('Write the fourth file');
      const proposal = await openProposal();
      const started = (await stream.next())?.data as Started;
      const cancelled = await admin.post(`/api/v1/chat/runs/${started.run_id}/cancel`);
      expect(cancelled.status).toBe(202);
      expect(cancelled.json<RunState>().status).toBe('cancelled');
      const withdrawn = await admin.get(`/api/v1/governance/proposals/${proposal}`);
      expect(withdrawn.json<{ status: string }>().status).toBe('cancelled');
      const { messages } = await conversation(started.conversation_id);
      expect(messages.at(-1)?.tool_calls).toMatchObject([
        { name: 'write_file', status: 'denied', error: 'the run was cancelled' },
      ]);
      provider.always({ chunks: ['Here I am.'] });
      const next = await admin.post('/api/v1/chat', {
        message: 'Are you there?',
        conversation_id: started.conversation_id,
        context: { agent_id: 'zeus' },
      });
      expect(next.json<ChatAnswer>().content).toBe('Here I am.');
      expect(files()).not.toContain('cancelled.txt');
    });
  });

  it(req(
    'TREE-03',
    'a second answer that a crash interrupts goes on, and leads its branch then',
  ), async () => {
    provider.script({ chunks: ['First.'] });
    const { body: first } = await ask('Which day is it?');
    const id = first.conversation_id;
    let cut = true;
    provider.always((request) => {
      if (told(request).length === 0)
        return { toolCalls: [call('time__get_current_time', { timezone: 'UTC' }, 'again_1')] };
      return cut ? { chunks: ['lost'], hangAfter: 0 } : { chunks: ['Second.'] };
    });
    const stream = await admin.stream(`/api/v1/conversations/${id}/messages/${first.id}/regenerate`, {});
    const started = (await stream.next())?.data as Started;
    await provider.seen(3);
    await server.end('SIGKILL');
    cut = false;
    await server.start();
    admin = await server.signIn();
    await expect
      .poll(async () => (await runState(started.run_id)).status, { timeout: 20_000 })
      .toBe('completed');
    const { messages, message_count: count } = await conversation(id);
    expect(messages.map((message) => message.content)).toEqual(['Which day is it?', 'Second.']);
    expect(messages[1]).toMatchObject({ siblings: { index: 1, count: 2 } });
    expect(count).toBe(2);
  }, 60_000);

  it('end right when the server is killed in the middle, every tool effect at most once', async () => {
    // Three nodes take three times as long to come back.
    for (let round = 0; round < (NODES === 1 ? 6 : 2); round++) {
      provider.reset();
      const name = `round-${round}.txt`;
      let step = 0;
      provider.always((request) => {
        if (isVote(request)) return { chunks: ['{}'] };
        step = told(request).length;
        if (step === 0)
          return { toolCalls: [call('time__get_current_time', { timezone: 'UTC' }, `r${round}a`)] };
        if (step === 1) return { toolCalls: [call('files__list_files', {}, `r${round}b`)] };
        return { chunks: [`done ${name}`], chunkDelayMs: 20 };
      });
      const stream = await streamed(`Do ${name}`);
      const started = (await stream.next())?.data as Started;
      // Another moment in each round: after so many of the run's calls to its model.
      await provider.seen(1 + (round % 3));
      await server.end('SIGKILL');
      await server.start();
      admin = await server.signIn();
      await expect
        .poll(async () => (await runState(started.run_id)).status, { timeout: 20_000 })
        .toMatch(/^(completed|failed)$/);
      const run = await runState(started.run_id);
      const { messages } = await conversation(started.conversation_id);
      if (run.status === 'completed') {
        expect(messages.at(-1)?.content).toContain(`done ${name}`);
        expect(messages.at(-1)?.tool_calls).toHaveLength(2);
      } else expect(run.error?.code).toBe('SERVICE_UNAVAILABLE');
    }
  }, 300_000);
});
