import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver, treeOf } from '../support/otlp.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Traces as a collector gets them. */

const SECRET = ['sk', 'proj', 'Zx81kQmVb39dLrTq27WyNc64'].join('-');
const FAST = { OTEL_BSP_SCHEDULE_DELAY: '50' };
const delegating = {
  id: 'd1',
  name: 'delegate',
  arguments: JSON.stringify({ agent: 'athena', task: 'one part' }),
};

let collector: OtlpReceiver;
let provider: TestProvider;
let server: TestServer;
let admin: Client;
let hooks: Awaited<ReturnType<typeof startReceiver>>;

const settings = (): Record<string, string> => ({
  MODEL: 'compatible/test-model',
  COMPATIBLE_BASE_URL: provider.url,
  WEBHOOK_ALLOW_PRIVATE: 'on',
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  ...FAST,
});

beforeAll(async () => {
  [collector, provider, hooks] = await Promise.all([
    startOtlpReceiver(),
    startTestProvider(),
    startReceiver((response) => response.writeHead(204).end()),
  ]);
  server = await startServer({ env: settings() });
  admin = await server.signIn();
});
afterAll(async () => {
  await server?.close();
  await provider?.close();
  await hooks?.close();
  await collector?.close();
});

const newTrace = () => {
  const traceId = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
  const spanId = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex');
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
};
const spanNamed = async (name: string, fits: (span: ReceivedSpan) => boolean = () => true) => {
  const found = () => collector.spans.find((span) => span.name === name && fits(span));
  await expect.poll(found, { timeout: 20_000 }).toBeDefined();
  const span = found();
  if (span === undefined) throw new Error('it was there');
  return span;
};

describe(req('OBS-01', 'a chat with a hand-off'), () => {
  it('is one tree within the caller’s trace: request, run, steps, model, tool, inner run', async () => {
    const trace = newTrace();
    provider.script({ toolCalls: [delegating] }, { text: 'The part.' }, { text: 'All of it.' });
    const before = provider.requests.length;
    const answer = await admin.post(
      '/v2/chat',
      { message: 'Hand it on', context: { agent_id: 'zeus' } },
      { headers: trace.headers },
    );
    expect(answer.status, answer.text).toBe(200);
    const { run_id, conversation_id } = answer.json<{ run_id: string; conversation_id: string }>();
    const inTrace = (span: ReceivedSpan): boolean => span.traceId === trace.traceId;
    const request = await spanNamed('POST /v2/chat', inTrace);
    expect(request).toMatchObject({
      parentId: trace.spanId,
      kind: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v2/chat',
        'http.response.status_code': 200,
        'pentarch.run.id': run_id,
      },
    });
    const run = await spanNamed('invoke_agent zeus', inTrace);
    expect(run).toMatchObject({
      parentId: request.spanId,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': 'zeus',
        'gen_ai.conversation.id': conversation_id,
        'pentarch.run.id': run_id,
        'pentarch.run.status': 'completed',
      },
    });
    const tree = treeOf(collector.spans, trace.traceId);
    expect(tree.filter((line) => line.trim() === 'chat test-model')).toHaveLength(3);
    for (const step of [
      'load conversation',
      'load history',
      'select agent',
      'reserve budget',
      'store answer',
    ])
      expect(tree).toContain(`    step ${step}`);
    const at = (line: string): number => tree.findIndex((one) => one.trim() === line);
    const depth = (line: string): number => (tree[at(line)] ?? '').search(/\S/);
    expect(at('execute_tool delegate')).toBeGreaterThan(at('step call tools'));
    expect(depth('invoke_agent athena')).toBe(depth('execute_tool delegate') + 2);
    const call = await spanNamed('chat test-model', inTrace);
    expect(call).toMatchObject({
      kind: 3,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'compatible',
        'gen_ai.request.model': 'test-model',
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.response.finish_reasons': ['tool_calls'],
      },
    });
    // The provider is told the span of its call.
    const told = provider.requests.slice(before).map((one) => String(one.headers.traceparent));
    const calls = collector.spans.filter((span) => inTrace(span) && span.name === 'chat test-model');
    expect(told.sort()).toEqual(calls.map((span) => `00-${trace.traceId}-${span.spanId}-01`).sort());
    const written = JSON.stringify(collector.spans);
    for (const text of ['Hand it on', 'one part', 'The part.', 'All of it.'])
      expect(written).not.toContain(text);
  }, 60_000);

  it('goes to the collector with its headers, as this service', async () => {
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      type: 'application/x-protobuf',
      authorization: 'Bearer of-the-collector',
    });
    expect(collector.resources[0]).toMatchObject({
      'service.name': 'pentarch',
      'service.version': expect.any(String),
      'deployment.environment.name': 'test',
    });
    await server.anonymous().get('/ready');
    expect(collector.spans.filter((span) => /\/(ready|health|metrics)$/.test(span.name))).toEqual([]);
  });

  it('a call that its provider refuses is an error of a known type', async () => {
    const trace = newTrace();
    provider.script({ error: { status: 401 } });
    const question = { message: 'Hello', context: { agent_id: 'zeus' } };
    expect((await admin.post('/v2/chat', question, { headers: trace.headers })).status).toBe(502);
    const inTrace = (span: ReceivedSpan): boolean => span.traceId === trace.traceId;
    expect(await spanNamed('chat test-model', inTrace)).toMatchObject({
      status: 2,
      attributes: { 'error.type': 'refused' },
    });
    expect(await spanNamed('invoke_agent zeus', inTrace)).toMatchObject({ status: 2 });
  });
});

describe(req('OBS-01', 'work of its own'), () => {
  it('a task’s run is a trace of its own with a link to the request that made it', async () => {
    const trace = newTrace();
    const made = await admin.post('/v2/tasks', { description: 'Say hello' }, { headers: trace.headers });
    expect(made.status, made.text).toBe(201);
    const job = await spanNamed('job task.run', (span) =>
      span.links.some((link) => link.traceId === trace.traceId),
    );
    expect(job).toMatchObject({ parentId: null, kind: 5 });
    expect(job.traceId).not.toBe(trace.traceId);
    const run = await spanNamed(
      'invoke_agent zeus',
      (span) => span.traceId === job.traceId && span.attributes['pentarch.run.status'] !== undefined,
    );
    expect(run.attributes['pentarch.run.status']).toBe('completed');
  }, 60_000);

  it('a search and a webhook have theirs, and the webhook’s target is told', async () => {
    const target = await admin.post('/v2/webhooks', { url: hooks.url, events: ['message.created'] });
    expect(target.status, target.text).toBe(201);
    const question = { message: 'Hello', context: { agent_id: 'zeus' } };
    expect((await admin.post('/v2/chat', question)).status).toBe(200);
    // The question and the answer are two deliveries, whose spans may end in either order.
    await expect.poll(() => hooks.received.length, { timeout: 30_000 }).toBeGreaterThan(0);
    const told = String(hooks.received[0]?.headers.traceparent);
    await spanNamed('job webhook.deliver', (span) => told.split('-')[1] === span.traceId);
    expect((await admin.post('/v2/knowledge/search', { query: 'lens' })).status).toBe(200);
    const search = await spanNamed('retrieval knowledge');
    expect(search.attributes).toMatchObject({
      'gen_ai.operation.name': 'retrieval',
      'pentarch.search.hits': 0,
    });
  }, 60_000);

  it('each vote on a proposal', async () => {
    const proposal = await admin.post('/v2/governance/proposals', {
      action: 'Send the newsletter',
      description: 'To the twelve keepers who asked for it, once.',
      estimated_cost: 20,
      risk: 'high',
    });
    expect(proposal.status, proposal.text).toBe(201);
    const vote = await spanNamed('vote athena');
    expect(vote.attributes).toMatchObject({
      'pentarch.vote.seat': 'athena',
      'pentarch.vote.vote': expect.any(String),
    });
  }, 60_000);
});

describe(req('OBS-02', 'settings'), () => {
  it('contents are there where they are asked for, without secrets', async () => {
    const own = await startServer({
      env: {
        ...settings(),
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
        OTEL_SERVICE_NAME: 'open',
      },
    });
    try {
      const trace = newTrace();
      const client = await own.signIn();
      provider.script({ text: 'The answer is here.' });
      const message = `My key is ${SECRET} and I ask about lenses.`;
      const question = { message, context: { agent_id: 'zeus' } };
      expect((await client.post('/v2/chat', question, { headers: trace.headers })).status).toBe(200);
      const call = await spanNamed('chat test-model', (span) => span.traceId === trace.traceId);
      expect(String(call.attributes['gen_ai.input.messages'])).toContain('I ask about lenses');
      expect(String(call.attributes['gen_ai.output.messages'])).toContain('The answer is here.');
      expect(JSON.stringify(collector.spans)).not.toContain(SECRET);
    } finally {
      await own.close();
    }
  }, 60_000);

  it('nothing is sent of what the sampler leaves out, and nothing at all without an address', async () => {
    const [sampled, off] = await Promise.all([
      startServer({ env: { ...settings(), OTEL_TRACES_SAMPLER: 'always_off' } }),
      startServer({ env: { ...settings(), OTEL_EXPORTER_OTLP_ENDPOINT: '' } }),
    ]);
    try {
      for (const own of [sampled, off]) {
        const trace = newTrace();
        const client = await own.signIn();
        const before = provider.requests.length;
        const question = { message: 'Hello', context: { agent_id: 'zeus' } };
        expect((await client.post('/v2/chat', question, { headers: trace.headers })).status).toBe(200);
        await own.end('SIGTERM');
        expect(collector.spans.filter((span) => span.traceId === trace.traceId)).toEqual([]);
        const told = provider.requests[before]?.headers.traceparent;
        if (own === off) expect(told).toBeUndefined();
        else expect(told).toMatch(new RegExp(`^00-${trace.traceId}-[0-9a-f]{16}-00$`));
      }
    } finally {
      await sampled.close();
      await off.close();
    }
  }, 90_000);

  it('a collector that is away costs a line in the log and nothing else', async () => {
    const own = await startServer({
      env: { ...settings(), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
    });
    try {
      const client = await own.signIn();
      const question = { message: 'Hello', context: { agent_id: 'zeus' } };
      expect((await client.post('/v2/chat', question)).status).toBe(200);
      await expect
        .poll(() => own.log.some((line) => line.msg === 'traces could not be sent'), { timeout: 60_000 })
        .toBe(true);
      expect(await own.end('SIGTERM')).toBe(0);
    } finally {
      await own.close();
    }
  }, 90_000);
});
