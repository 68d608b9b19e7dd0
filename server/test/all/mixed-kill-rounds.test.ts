import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Answer, Client } from '../support/client.ts';
import {
  startTestProvider,
  type TestProvider,
  type TestReply,
  type TestRequest,
} from '../support/provider.ts';
import { randomFrom } from '../support/random.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * A server that is killed again and again under mixed load. Afterwards everything that was acknowledged is held against what
 * others saw: the ledger against the provider's meter, messages, effects of tools and of approved proposals, tasks, documents,
 * webhook deliveries, and the audit chain. `KILL_ROUNDS=200` for the long run; the moments come from KILL_SEED.
 */
const ROUNDS = Number(process.env.KILL_ROUNDS ?? '6');
const SEED = Number(process.env.KILL_SEED ?? 20_261_128);
/** A kill comes after up to so many acknowledgements of its round, and up to this later. */
const MOST_AT_ONCE = 12;
const LAST_MOMENT_MS = 400;
const CALL_DELAY_MS = 40;
const ROUND_TIMEOUT_MS = 60_000;

interface Chat {
  id: string;
  run_id: string;
  conversation_id: string;
  content: string;
  cost_usd: number;
}
interface Row {
  kind: string;
  run_id: string;
  input_tokens: string;
  output_tokens: string;
  cost_usd: string;
  estimated: string;
}

const lastWords = (request: TestRequest): string =>
  String((request.body.messages ?? []).findLast((message) => message.role === 'user')?.content ?? '');
const toolResults = (request: TestRequest): number =>
  (request.body.messages ?? []).filter((message) => message.role === 'tool').length;

/** `Notify <title>` calls the tool once, then answers; everything else is answered at once. */
const reply = (request: TestRequest): TestReply => {
  const words = lastWords(request);
  const title = /Notify (n-\d+-\d+)/.exec(words)?.[1];
  const delay = { firstByteDelayMs: CALL_DELAY_MS };
  if (title !== undefined && toolResults(request) === 0)
    return {
      ...delay,
      toolCalls: [{ id: `call-${title}`, name: 'notify', arguments: JSON.stringify({ title }) }],
    };
  return { ...delay, text: `Done: ${/[a-z]-\d+-\d+/.exec(words)?.[0] ?? 'well'}` };
};

describe('a server that is killed under mixed load', () => {
  let provider: TestProvider;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let server: TestServer;
  let admin: Client;

  /** What was acknowledged, by kind. */
  const kept = {
    chats: new Map<string, Chat>(),
    effects: new Map<string, Chat>(),
    proposals: new Map<string, string>(),
    tasks: new Map<string, string>(),
    documents: new Map<string, string>(),
  };
  /** Titles of effects that were asked for, acknowledged or not. */
  const asked = new Set<string>();

  beforeAll(async () => {
    provider = await startTestProvider();
    provider.always(reply);
    receiver = await startReceiver((response) => response.end());
    server = await startServer({
      files: {
        PRICES_FILE: { 'compatible/test': { input: 1, output: 10 } },
        // A call whose process died is given up a minute after this.
        GOVERNANCE_FILE: { execution_s: 10 },
      },
      env: {
        MODEL: 'compatible/test',
        COMPATIBLE_BASE_URL: provider.url,
        WEBHOOK_ALLOW_PRIVATE: 'on',
        SHUTDOWN_GRACE_S: '1',
      },
    });
    admin = await server.signIn();
    const hook = await admin.post('/api/v1/webhooks', {
      url: receiver.url,
      events: ['conversation.completed', 'document.indexed'],
    });
    expect(hook.status, hook.text).toBe(201);
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
    await provider.close();
  });

  /** One request of each kind behind the other, noted once it is acknowledged; the kill cuts whatever is going. */
  const kinds: ((name: string) => Promise<void>)[] = [
    async (name) => {
      const answer = await admin.post('/v2/chat', {
        message: `Say c-${name}`,
        context: { agent_id: 'zeus' },
      });
      if (answer.status === 200) kept.chats.set(`c-${name}`, answer.json<Chat>());
    },
    async (name) => {
      asked.add(`n-${name}`);
      const answer = await admin.post('/v2/chat', {
        message: `Notify n-${name}`,
        context: { agent_id: 'iris' },
      });
      if (answer.status === 200) kept.effects.set(`n-${name}`, answer.json<Chat>());
    },
    async (name) => {
      asked.add(`p-${name}`);
      const answer = await admin.post('/v2/governance/proposals', {
        action: `tell p-${name}`,
        estimated_cost: 1,
        tool: { server: 'pentarch', name: 'notify', arguments: { title: `p-${name}` } },
      });
      if (answer.status === 201) kept.proposals.set(`p-${name}`, answer.json<{ id: string }>().id);
    },
    async (name) => {
      const answer = await admin.post('/v2/tasks', { description: `Do t-${name}`, agent_id: 'zeus' });
      if (answer.status === 201) kept.tasks.set(`t-${name}`, answer.json<{ id: string }>().id);
    },
    async (name) => {
      const answer = await admin.post('/v2/knowledge/documents', {
        title: `d-${name}`,
        content: `The lamp number d-${name} is lit at dusk.`,
      });
      if (answer.status === 201) kept.documents.set(`d-${name}`, answer.json<{ id: string }>().id);
    },
  ];

  const acknowledged = (): number => Object.values(kept).reduce((sum, some) => sum + some.size, 0);

  const load = async (round: number, stopped: () => boolean): Promise<void> => {
    let n = 0;
    const work = async (kind: (name: string) => Promise<void>): Promise<void> => {
      while (!stopped()) {
        n += 1;
        try {
          await kind(`${round}-${n}`);
        } catch {
          // Cut by the kill: neither acknowledged nor known to be lost.
          return;
        }
      }
    };
    await Promise.all(kinds.map(work));
  };

  const rows = async (): Promise<Row[]> => {
    const { text } = await admin.get('/v2/costs/usage/export?scope=tenant&period=day');
    const [head = '', ...lines] = text.trim().split(/\r?\n/);
    const names = head.split(',');
    const row = (line: string): Row => {
      const values = line.split(',');
      const of = (name: string): string => values[names.indexOf(name)] ?? '';
      return {
        kind: of('kind'),
        run_id: of('run_id'),
        input_tokens: of('input_tokens'),
        output_tokens: of('output_tokens'),
        cost_usd: of('cost_usd'),
        estimated: of('estimated'),
      };
    };
    return lines.map(row);
  };

  /** All pages of a list. */
  const all = async <T>(path: string): Promise<T[]> => {
    const items: T[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer = await admin.get(
        `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      const { items: some, next_cursor } = page.json<{ items: T[]; next_cursor: string | null }>();
      items.push(...some);
      cursor = next_cursor;
    }
    return items;
  };

  it(
    req(
      ['SYS-04', 'RUN-02', 'GOV-05', 'HOOK-06', 'TASK-05', 'COST-01'],
      `${ROUNDS} times: nothing lost, nothing twice`,
    ),
    async () => {
      process.stdout.write(`mixed kill rounds: KILL_ROUNDS=${ROUNDS} KILL_SEED=${SEED}\n`);
      const random = randomFrom(SEED);
      for (let round = 0; round < ROUNDS; round++) {
        let stopped = false;
        const working = load(round, () => stopped);
        // The first round until each kind has been acknowledged once, the others until a few are, whatever they are.
        const before = acknowledged();
        const few = Math.floor(random() * MOST_AT_ONCE);
        const enough = (): boolean =>
          round === 0 ? Object.values(kept).every((some) => some.size > 0) : acknowledged() - before >= few;
        await expect.poll(enough, { timeout: ROUND_TIMEOUT_MS, interval: 10 }).toBe(true);
        await sleep(Math.floor(random() * LAST_MOMENT_MS));
        await server.end('SIGKILL');
        stopped = true;
        await working;
        await server.start();
      }

      // Everything that was under way comes to its end.
      const day = async () =>
        (await admin.get('/v2/costs/limits'))
          .json<{ limits: { scope: string; period: string; reserved_usd: number; used_usd: number }[] }>()
          .limits.find((limit) => limit.scope === 'tenant' && limit.period === 'day');
      const tasks = () => all<{ id: string; status: string }>('/v2/tasks');
      await expect
        .poll(
          async () => (await tasks()).filter((task) => !/^(completed|failed)$/.test(task.status)).length,
          { timeout: 400_000, interval: 1_000 },
        )
        .toBe(0);
      await expect
        .poll(async () => (await day())?.reserved_usd, { timeout: 200_000, interval: 1_000 })
        .toBe(0);

      // Messages: question and answer as they were acknowledged.
      for (const [name, chat] of [...kept.chats, ...kept.effects]) {
        const { messages } = (await admin.get(`/v2/conversations/${chat.conversation_id}`)).json<{
          messages: { id: string; role: string; content: string }[];
        }>();
        expect(
          messages.map((m) => m.role),
          name,
        ).toEqual(['user', 'assistant']);
        expect(messages[1], name).toMatchObject({ id: chat.id, content: chat.content });
      }

      // Effects: once where the call is said to be done, at most once otherwise.
      const titles = (await all<{ title: string }>('/v2/notifications')).map((one) => one.title);
      const count = (title: string): number => titles.filter((one) => one === title).length;
      for (const title of asked) expect(count(title), title).toBeLessThanOrEqual(1);
      for (const title of kept.effects.keys()) expect(count(title), title).toBe(1);
      for (const [title, id] of kept.proposals) {
        const read = async () =>
          (await admin.get(`/v2/governance/proposals/${id}`)).json<{
            status: string;
            execution: { status: string };
          }>();
        const ended = /^(completed|unknown)$/;
        await expect
          .poll(async () => (await read()).execution.status, { timeout: 200_000, message: title })
          .toMatch(ended);
        const proposal = await read();
        expect([title, proposal.status]).toEqual([title, 'approved']);
        if (proposal.execution.status === 'completed') expect(count(title), title).toBe(1);
      }

      // Tasks and documents.
      const known = new Set((await tasks()).map((task) => task.id));
      for (const [name, id] of kept.tasks) expect([name, known.has(id)]).toEqual([name, true]);
      for (const [name, id] of kept.documents)
        expect((await admin.get(`/v2/knowledge/documents/${id}/content`)).text, name).toContain(name);

      // The ledger: no row that the meter does not know, and only what a kill has cut is missing.
      const ledger = (await rows()).filter((row) => row.kind === 'model');
      const metered = new Map<string, number>();
      for (const { inputTokens, outputTokens, kind } of provider.meter) {
        if (kind !== 'chat') continue;
        const key = `${inputTokens} ${outputTokens}`;
        metered.set(key, (metered.get(key) ?? 0) + 1);
      }
      for (const { input_tokens, output_tokens, estimated } of ledger) {
        if (estimated === 'true') continue;
        const key = `${input_tokens} ${output_tokens}`;
        const left = (metered.get(key) ?? 0) - 1;
        expect(left, `a row of ${key} tokens`).toBeGreaterThanOrEqual(0);
        metered.set(key, left);
      }
      const calls = provider.meter.filter((call) => call.kind === 'chat').length;
      const cut = calls - ledger.length;
      expect(cut).toBeGreaterThanOrEqual(0);
      // Of each kill at most the calls that were going: one for each kind of load, and the tasks that ran beside it.
      expect(cut).toBeLessThanOrEqual(ROUNDS * 12);
      const nano = (usd: string | number): number => Math.round(Number(usd) * 1e9);
      const byRun = new Map<string, number>();
      for (const row of ledger) byRun.set(row.run_id, (byRun.get(row.run_id) ?? 0) + nano(row.cost_usd));
      for (const [name, chat] of kept.chats)
        expect([name, byRun.get(chat.run_id)]).toEqual([name, nano(chat.cost_usd)]);
      expect(nano((await day())?.used_usd ?? 0)).toBe(
        ledger.reduce((sum, row) => sum + nano(row.cost_usd), 0),
      );

      // Webhooks: each acknowledged answer and document is told, each under one id.
      const told = (): Map<string, Set<string>> => {
        const ids = new Map<string, Set<string>>();
        for (const { headers, body } of receiver.received) {
          const { event, data } = JSON.parse(body) as { event: string; data: Record<string, string> };
          const about = `${event} ${event === 'document.indexed' ? data.document_id : data.run_id}`;
          ids.set(about, (ids.get(about) ?? new Set()).add(String(headers['webhook-id'])));
        }
        return ids;
      };
      const wanted = [
        ...[...kept.chats.values(), ...kept.effects.values()].map(
          (chat) => `conversation.completed ${chat.run_id}`,
        ),
        ...[...kept.documents.values()].map((id) => `document.indexed ${id}`),
      ];
      await expect
        .poll(() => wanted.filter((one) => !told().has(one)), { timeout: 400_000, interval: 1_000 })
        .toEqual([]);
      for (const [about, ids] of told()) expect([about, ids.size]).toEqual([about, 1]);

      const proof = await admin.get('/v2/audit/verify');
      expect(proof.json<{ broken: unknown[] }>(), proof.text).toMatchObject({ ok: true });

      const sizes = Object.fromEntries(Object.entries(kept).map(([kind, some]) => [kind, some.size]));
      process.stdout.write(
        `mixed kill rounds: acknowledged ${JSON.stringify(sizes)}, calls of the provider ${calls}, cut ${cut}, deliveries ${receiver.received.length}\n`,
      );
    },
    ROUNDS * ROUND_TIMEOUT_MS + 900_000,
  );
});
