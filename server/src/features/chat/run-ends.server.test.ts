import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect } from 'vitest';
import { parse } from 'yaml';
import { req } from '../../../test/requirements.ts';
import type { Client, SseEvent } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** What operators see of the end of a run: figures, lines of the log, and what the alerts make of them. */

let server: TestServer;
let provider: TestProvider;
let admin: Client;
const it = withWorld({ env: { MODEL_TIMEOUT_S: '20' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

const question = { message: 'How are you?', context: { agent_id: 'zeus' } };
const runIdOf = (events: readonly SseEvent[]): string =>
  String((events[0]?.data as { run_id?: unknown } | undefined)?.run_id);

const metrics = async (): Promise<string> => {
  const answer = await server.anonymous().get('/metrics');
  expect(answer.status).toBe(200);
  return answer.text;
};
const runsOf = async (outcome: string): Promise<number> => {
  const found = new RegExp(
    `^pentarch_runs_total\\{outcome="${outcome}",agent="zeus",model="compatible/test-model"\\} (\\d+)$`,
    'm',
  ).exec(await metrics());
  return Number(found?.[1] ?? 0);
};

const LOUD = new Set<unknown>(['warn', 'error', 'fatal', 40, 50, 60]);
const loud = () => server.log.filter((line) => LOUD.has(line.level));
const linesOf = (runId: string) => loud().filter((line) => JSON.stringify(line).includes(runId));
/** The log of another process comes a little later than its answer. */
const lineOf = async (runId: string): Promise<Record<string, unknown>> => {
  await expect.poll(() => linesOf(runId).length).toBeGreaterThan(0);
  return linesOf(runId)[0] ?? {};
};

const broken = { chunks: ['Half ', 'an answer', ' and', ' more'], resetAfter: 2 };

/** Selectors of runs in an alert, as what a line of /metrics has to have. */
const selectorsOf = (alert: string): Record<string, RegExp>[] => {
  const file = path.join(import.meta.dirname, '..', '..', '..', '..', 'deploy', 'monitoring', 'alerts.yaml');
  const { groups } = parse(readFileSync(file, 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const expr = groups.flatMap((group) => group.rules).find((rule) => rule.alert === alert)?.expr ?? '';
  return [...expr.matchAll(/pentarch_runs_total\{([^}]*)\}/g)].map((selector) =>
    Object.fromEntries(
      [...(selector[1] ?? '').matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, label, value]) => [
        label ?? '',
        new RegExp(`^(?:${value})$`),
      ]),
    ),
  );
};
/** What an alert's selectors of runs add up to in this text. */
const sumFor = (alert: string, text: string): number => {
  const selectors = selectorsOf(alert);
  expect(selectors.length, alert).toBeGreaterThan(0);
  let sum = 0;
  for (const [, labels, value] of text.matchAll(/^pentarch_runs_total\{([^}]*)\} (\S+)$/gm)) {
    const given = new Map([...(labels ?? '').matchAll(/(\w+)="([^"]*)"/g)].map((m) => [m[1], m[2]]));
    const meant = selectors.some((selector) =>
      Object.entries(selector).every(([label, wanted]) => wanted.test(given.get(label) ?? '')),
    );
    if (meant) sum += Number(value);
  }
  return sum;
};

describe('a run that its provider breaks', () => {
  it.each([
    ['in its stream', broken],
    ['by an error in its stream', { chunks: ['x'], errorChunkAfter: 0 }],
    ['by an empty answer', { chunks: [], finishReason: null }],
  ])(req('RUN-21', 'as a stream, %s: counted, and one line with run and request'), async (_how, reply) => {
    const before = await runsOf('model_failed');
    const alarmed = sumFor('PentarchModelFailing', await metrics());
    provider.always(reply);
    const stream = await admin.stream('/v2/chat/stream', question);
    const events = await stream.rest();
    expect(events.at(-1)?.event).toBe('error');
    expect(await runsOf('model_failed')).toBe(before + 1);
    expect(sumFor('PentarchModelFailing', await metrics())).toBe(alarmed + 1);
    const runId = runIdOf(events);
    const requestId = stream.headers.get('x-request-id');
    expect(requestId).not.toBeNull();
    expect(await lineOf(runId)).toMatchObject({
      run_id: runId,
      request_id: requestId,
      agent: 'zeus',
      model: 'compatible/test-model',
      outcome: 'model_failed',
    });
    expect(JSON.stringify(linesOf(runId))).not.toContain(question.message);
    // A later run's line stands behind all of the first one.
    const next = await (await admin.stream('/v2/chat/stream', question)).rest();
    await lineOf(runIdOf(next));
    expect(linesOf(runId)).toHaveLength(1);
  });

  it(req('RUN-21', 'as one answer: counted and told once, not by its run and its request both'), async () => {
    const before = await runsOf('model_failed');
    provider.always({ chunks: [], finishReason: null });
    const first = await admin.post('/v2/chat', question);
    expect(first.status).toBe(502);
    const second = await admin.post('/v2/chat', question);
    expect(await runsOf('model_failed')).toBe(before + 2);
    const about = (id: string | null) => loud().filter((line) => JSON.stringify(line).includes(String(id)));
    await expect.poll(() => about(second.headers.get('x-request-id')).length).toBeGreaterThan(0);
    expect(about(first.headers.get('x-request-id'))).toHaveLength(1);
  });
});

it(
  req('RUN-21', 'a run whose answer does not fit is told of without the names that stand in it'),
  async () => {
    const name = 'Quintessa Example';
    provider.always({ text: JSON.stringify({ [name]: 'ill' }) });
    const answer = await admin.post('/v2/chat', {
      ...question,
      response_schema: { type: 'object', additionalProperties: { type: 'number' } },
    });
    expect(answer.status).toBe(502);
    expect(answer.text).toContain(name);
    const about = () => loud().filter((line) => line.request_id === answer.headers.get('x-request-id'));
    await expect.poll(() => about().length).toBeGreaterThan(0);
    expect(about()).toMatchObject([{ outcome: 'model_failed', reason: expect.stringContaining('form') }]);
    expect(JSON.stringify(loud())).not.toContain(name);
  },
);

it(req('RUN-21', 'a run that succeeds is counted and is no line at warn or above'), async () => {
  const before = await runsOf('completed');
  const failing = await metrics();
  const streamed = await (await admin.stream('/v2/chat/stream', question)).rest();
  expect(streamed.at(-1)?.event).toBe('message.completed');
  const answered = await admin.post('/v2/chat', question);
  expect(answered.status).toBe(200);
  expect(await runsOf('completed')).toBe(before + 2);
  const after = await metrics();
  for (const alert of ['PentarchModelFailing', 'PentarchErrors']) {
    expect(sumFor(alert, after)).toBe(sumFor(alert, failing));
  }
  provider.script(broken);
  const failed = await (await admin.stream('/v2/chat/stream', question)).rest();
  await lineOf(runIdOf(failed));
  expect(linesOf(runIdOf(streamed))).toEqual([]);
  expect(linesOf(answered.json<{ run_id: string }>().run_id)).toEqual([]);
});

it(req('RUN-21', 'a run that its person cancels is counted as cancelled, and is no line'), async () => {
  const before = await runsOf('cancelled');
  provider.script({ chunks: ['begun ', 'never'], hangAfter: 1 });
  const stream = await admin.stream('/v2/chat/stream', question);
  const id = runIdOf(await stream.until('message.delta'));
  expect((await admin.post(`/v2/chat/runs/${id}/cancel`)).status).toBe(202);
  await stream.rest();
  await expect.poll(() => runsOf('cancelled')).toBe(before + 1);
  expect(linesOf(id)).toEqual([]);
});

it(req('RUN-21', 'a stream is counted while it is open, and not afterwards'), async () => {
  const open = async (): Promise<number> =>
    Number(/^pentarch_open_streams (\d+)$/m.exec(await metrics())?.[1] ?? -1);
  expect(await open()).toBe(0);
  const gate = Promise.withResolvers<void>();
  provider.script({ chunks: ['slow ', 'answer'], hold: gate.promise });
  const stream = await admin.stream('/v2/chat/stream', question);
  await stream.until('agent.selected');
  expect(await open()).toBe(1);
  gate.resolve();
  expect((await stream.rest()).at(-1)?.event).toBe('message.completed');
  await expect.poll(open).toBe(0);
});
