import { parseArgs } from 'node:util';
import type { Db } from '../server/src/db/db.ts';
import { newId } from '../server/src/kernel/ids.ts';
import type { Client } from '../server/test/support/client.ts';
import { startTestProvider } from '../server/test/support/provider.ts';
import { startServer } from '../server/test/support/server.ts';
import { fillChunks, type Owner, openStore, sentence, withoutIndexes } from './lib/chunks.ts';
import { measureNodes } from './lib/node-load.ts';

/**
 * How the cost of the same requests grows with what is stored:
 *
 *   node bench/scale.ts [--levels 1000,10000,100000] [--chunks 1000,10000,100000] [--tenants 20] [--runs 25]
 *   DATABASE_URL=… REDIS_URL=… node bench/scale.ts --load     one process, one node and two under load
 *
 * On SQLite; with DATABASE_URL set, on that (empty) PostgreSQL database. Messages all belong to one person, the worst
 * case for lists; chunks are spread over the tenants. Prints lower quartiles in ms and their ratio to the first level: the ratios
 * are what counts, since the machine may be busy. The model is the test provider of 50 tokens, without a wait.
 */
const { values } = parseArgs({
  options: {
    levels: { type: 'string', default: '1000,10000,100000' },
    chunks: { type: 'string', default: '1000,10000,100000' },
    tenants: { type: 'string', default: '20' },
    runs: { type: 'string', default: '25' },
    load: { type: 'boolean', default: false },
  },
});
const numbers = (list: string): number[] => list.split(',').map(Number);
const RUNS = Number(values.runs);
const TENANTS = Number(values.tenants);
const DATABASE_URL = process.env.DATABASE_URL ?? '';
if (values.load) {
  const { REDIS_URL } = process.env;
  if (DATABASE_URL === '' || REDIS_URL === undefined)
    throw new Error('--load needs DATABASE_URL and REDIS_URL');
  await measureNodes(DATABASE_URL, REDIS_URL);
  process.exit(0);
}

const MESSAGES_PER_CONVERSATION = 20;
const BATCH = 500;

const ledgerRows = (ids: { tenant_id: string; user_id: string }, conversationId: string, now: number) =>
  Array.from({ length: MESSAGES_PER_CONVERSATION / 2 }, (_, i) => ({
    ...ids,
    id: newId(),
    kind: 'model',
    agent_id: 'zeus',
    model: 'compatible/test-model',
    tool: null,
    conversation_id: conversationId,
    run_id: newId(),
    request_id: newId(),
    input_tokens: 700,
    output_tokens: 50,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    cost_nano: 1_000,
    reported_nano: null,
    estimated: 0,
    beyond_estimate: 0,
    created_at: now + i,
  }));

/** Whole conversations until there are `wanted` messages. */
const fillMessages = async (db: Db, owner: Owner, have: number, wanted: number): Promise<void> => {
  const ids = { tenant_id: owner.tenantId, user_id: owner.userId };
  for (let n = have; n < wanted; n += BATCH) {
    const conversations = Array.from({ length: BATCH / MESSAGES_PER_CONVERSATION }, () => newId());
    await db.write(async (tx) => {
      const now = Date.now();
      // As a chat writes them: one row of the ledger for each answer.
      await tx
        .insertInto('ledger')
        .values(conversations.flatMap((id) => ledgerRows(ids, id, now)))
        .execute();
      await tx
        .insertInto('conversations')
        .values(
          conversations.map((id) => ({
            ...ids,
            id,
            title: sentence(4),
            status: 'active',
            metadata: '{}',
            agent_ids: '["zeus"]',
            message_count: MESSAGES_PER_CONVERSATION,
            cost_nano: 0,
            created_at: now,
            updated_at: now,
            branched: 0,
          })),
        )
        .execute();
      await tx
        .insertInto('messages')
        .values(
          conversations.flatMap((conversationId) => {
            const chain = Array.from({ length: MESSAGES_PER_CONVERSATION }, () => newId());
            return chain.map((id, i) => ({
              ...ids,
              id,
              conversation_id: conversationId,
              role: i % 2 === 0 ? 'user' : 'assistant',
              content: sentence(40),
              cost_nano: 0,
              created_at: now + i,
              parent_id: chain[i - 1] ?? null,
              active: 1,
            }));
          }),
        )
        .execute();
    });
  }
};

/** The lower quartile: what the request costs when nobody else has the processor. */
const quartile = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 2] ?? 0;

const timed = async (ask: (n: number) => Promise<{ status: number; text: string }>): Promise<number> => {
  const times: number[] = [];
  for (let n = -3; n < RUNS; n += 1) {
    const from = performance.now();
    const answer = await ask(n);
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    if (n >= 0) times.push(performance.now() - from);
  }
  return quartile(times);
};

const messageRequests = (client: Client, conversationId: string) => ({
  'list conversations': () => client.get('/api/v1/conversations?limit=20'),
  'list, page 40': () => client.get('/api/v1/conversations?limit=20&page=40'),
  'search conversations': () => client.get('/api/v1/conversations?q=w5k%20w2b&limit=20'),
  'read one': () => client.get(`/api/v1/conversations/${conversationId}/messages?limit=50`),
  'chat turn': () => client.post('/api/v1/chat', { message: 'And then?', context: { agent_id: 'zeus' } }),
  'costs of the month': () => client.get('/api/v1/costs/usage?period=month'),
  'costs of the tenant': () => client.get('/api/v1/costs/usage?period=month&scope=tenant'),
});

const searchRequests = (client: Client) => ({
  search: (n: number) =>
    client.post('/api/v1/knowledge/search', {
      query: `w${(40 + Math.abs(n)).toString(36)} w${(300 + Math.abs(n)).toString(36)} w5k`,
    }),
  'search, rare word': () => client.post('/api/v1/knowledge/search', { query: 'polishing' }),
  'list documents': () => client.get('/api/v1/knowledge/documents?limit=20'),
});

const table = (title: string, levels: readonly number[], rows: Map<string, number[]>): void => {
  console.log(
    `\n${title}\n${''.padEnd(22)}${levels.map((n) => n.toLocaleString('en').padStart(18)).join('')}`,
  );
  for (const [name, times] of rows) {
    const cells = times.map((ms) =>
      `${ms.toFixed(1)} ms × ${(ms / (times[0] ?? ms)).toFixed(2)}`.padStart(18),
    );
    console.log(`${name.padEnd(22)}${cells.join('')}`);
  }
};

const provider = await startTestProvider({ tokens: 50 });
const server = await startServer({
  env: {
    DATABASE_URL,
    MODEL: 'compatible/test-model',
    COMPATIBLE_BASE_URL: provider.url,
    LOG_LEVEL: 'info',
  },
});
try {
  const first = await server.signIn();
  const me = (await first.get('/v2/users/me')).json<{ id: string; tenant_id: string }>();
  await first.post('/api/v1/knowledge/documents', { title: 'First', content: 'Polishing the lens.' });
  const owners: Owner[] = [{ tenantId: me.tenant_id, userId: me.id }];
  for (let n = 1; n < TENANTS; n += 1) {
    const made = await first.post('/v2/tenants', { name: `T ${n}`, slug: `t-${n}` });
    owners.push({ tenantId: made.json<{ id: string }>().id, userId: newId() });
  }

  /** Fills while the server is down, then asks it the same again. */
  const climb = async (
    levels: readonly number[],
    fill: (db: Db, have: number, wanted: number) => Promise<void>,
    requests: (
      client: Client,
    ) => Promise<Record<string, (n: number) => Promise<{ status: number; text: string }>>>,
  ): Promise<Map<string, number[]>> => {
    const rows = new Map<string, number[]>();
    let have = 0;
    for (const wanted of levels) {
      await server.end('SIGTERM');
      const db = await openStore(server.dataDir, DATABASE_URL);
      const from = performance.now();
      await fill(db, have, wanted);
      console.error(`${wanted - have} written in ${((performance.now() - from) / 1000).toFixed(1)} s`);
      await db.close();
      have = wanted;
      await server.start();
      const client = await server.signIn();
      for (const [name, ask] of Object.entries(await requests(client))) {
        rows.set(name, [...(rows.get(name) ?? []), await timed(ask)]);
      }
    }
    return rows;
  };

  const [owner = { tenantId: '', userId: '' }] = owners;
  const levels = numbers(values.levels);
  const messages = await climb(
    levels,
    (db, have, wanted) => fillMessages(db, owner, have, wanted),
    async (client) => {
      const page = await client.get('/api/v1/conversations?limit=1&page=20');
      const [one] = page.json<{ items: { id: string }[] }>().items;
      return messageRequests(client, one?.id ?? '');
    },
  );
  const chunkLevels = numbers(values.chunks);
  const searches = await climb(
    chunkLevels,
    (db, have, wanted) =>
      withoutIndexes(DATABASE_URL, () => fillChunks(db, server.dataDir, owners, have, wanted)),
    async (client) => searchRequests(client),
  );
  const engine = DATABASE_URL === '' ? 'SQLite' : 'PostgreSQL';
  table(`${engine}: messages of one person (lower quartile of ${RUNS})`, levels, messages);
  table(`${engine}: chunks in ${TENANTS} tenants (lower quartile of ${RUNS})`, chunkLevels, searches);
} finally {
  await server.close();
  await provider.close();
}
