import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { Db } from '../server/src/db/db.ts';
import { newId } from '../server/src/kernel/ids.ts';
import type { Client as ApiClient } from '../server/test/support/client.ts';
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
/** Messages of a segment of the search's index, and the most that the turns of this program have added meanwhile. */
const SEGMENT = 512;
const RECENT = 400;
const BATCH = 500;

/** So long ago that the search's index takes them in. */
const AGE_MS = 7_200_000;
/** Ids as of that time, in the order of making. */
const oldId = (): string => {
  const id = newId();
  const made = (Date.now() - AGE_MS).toString(16).padStart(12, '0');
  return `${made.slice(0, 8)}-${made.slice(8)}${id.slice(13)}`;
};
const MODEL = 'compatible/test-model';
const USAGE = JSON.stringify({
  input_tokens: 700,
  output_tokens: 50,
  cached_input_tokens: 0,
  reasoning_tokens: 0,
});
const CREDENTIAL = JSON.stringify({ v: 1, permissions: ['chat:use', 'knowledge:read', 'memory:read'] });

interface Turn {
  runId: string;
  questionId: string;
  answerId: string;
  at: number;
}

const turnsOf = (now: number): Turn[] =>
  Array.from({ length: MESSAGES_PER_CONVERSATION / 2 }, (_, i) => ({
    runId: newId(),
    questionId: oldId(),
    answerId: oldId(),
    at: now + 2 * i,
  }));

type Ids = { tenant_id: string; user_id: string };

const ledgerRow = (ids: Ids, conversationId: string, turn: Turn) => ({
  ...ids,
  id: newId(),
  kind: 'model',
  agent_id: 'zeus',
  model: MODEL,
  tool: null,
  conversation_id: conversationId,
  run_id: turn.runId,
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
  created_at: turn.at,
});

/** An answer without tools writes no steps. Its events are packed text of about this length. */
const runRow = (ids: Ids, conversationId: string, turn: Turn) => ({
  ...ids,
  id: turn.runId,
  conversation_id: conversationId,
  message_id: turn.answerId,
  question_id: turn.questionId,
  status: 'completed',
  agent_id: 'zeus',
  agent_ids: '["zeus"]',
  request: JSON.stringify({ v: 1, context: { agent_id: 'zeus' } }),
  usage: USAGE,
  cost_nano: 1_000,
  error: null,
  journal: sentence(120),
  tool_call_count: 0,
  first_token_ms: 20,
  created_at: turn.at,
  finished_at: turn.at + 40,
  node_id: 'bench',
  credential: CREDENTIAL,
});

const messageRows = (ids: Ids, conversationId: string, turns: readonly Turn[]) => {
  const row = (turn: Turn, n: number) => ({
    ...ids,
    conversation_id: conversationId,
    content: sentence(40),
    run_id: turn.runId,
    created_at: turn.at + n,
    active: 1,
  });
  return turns.flatMap((turn, i) => [
    {
      ...row(turn, 0),
      id: turn.questionId,
      role: 'user',
      cost_nano: 0,
      parent_id: turns[i - 1]?.answerId ?? null,
    },
    {
      ...row(turn, 1),
      id: turn.answerId,
      role: 'assistant',
      agent_id: 'zeus',
      usage: USAGE,
      cost_nano: 1_000,
      parent_id: turn.questionId,
    },
  ]);
};

/** Rows in one statement: engines bound the number of its values. */
const ROWS = 500;

/** Whole conversations until there are `wanted` messages, as chats write them: with their runs and the ledger, whose sums follow. */
const fillMessages = async (db: Db, owner: Owner, have: number, wanted: number): Promise<void> => {
  const ids = { tenant_id: owner.tenantId, user_id: owner.userId };
  for (let n = have; n < wanted; n += BATCH) {
    const now = Date.now();
    const made = Array.from({ length: BATCH / MESSAGES_PER_CONVERSATION }, () => ({
      id: newId(),
      turns: turnsOf(now),
    }));
    await db.write(async (tx) => {
      await tx
        .insertInto('conversations')
        .values(
          made.map(({ id }) => ({
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
      const each = <T>(of: (id: string, turn: Turn) => T): T[] =>
        made.flatMap(({ id, turns }) => turns.map((turn) => of(id, turn)));
      await tx
        .insertInto('runs')
        .values(each((id, turn) => runRow(ids, id, turn)))
        .execute();
      const messages = made.flatMap(({ id, turns }) => messageRows(ids, id, turns));
      for (let at = 0; at < messages.length; at += ROWS)
        await tx
          .insertInto('messages')
          .values(messages.slice(at, at + ROWS))
          .execute();
      await tx
        .insertInto('ledger')
        .values(each((id, turn) => ledgerRow(ids, id, turn)))
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

const messageRequests = (client: ApiClient, conversationId: string) => ({
  'list conversations': () => client.get('/api/v1/conversations?limit=20'),
  'list, page 40': () => client.get('/api/v1/conversations?limit=20&page=40'),
  'search conversations': () => client.get('/api/v1/conversations?q=w1a7%20w2b&limit=20'),
  'search, rare words': () => client.get('/api/v1/conversations?q=w4d2f%20w&limit=20'),
  'read one': () => client.get(`/api/v1/conversations/${conversationId}/messages?limit=50`),
  'chat turn': () => client.post('/api/v1/chat', { message: 'And then?', context: { agent_id: 'zeus' } }),
  'costs of the month': () => client.get('/api/v1/costs/usage?period=month'),
  'costs of the tenant': () => client.get('/api/v1/costs/usage?period=month&scope=tenant'),
});

const searchRequests = (client: ApiClient) => ({
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
    MODEL,
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
      client: ApiClient,
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

  const countOf = async (table: 'messages' | 'message_segments'): Promise<number> => {
    const statement = `select count(*) as n from ${table}`;
    if (DATABASE_URL === '') {
      const file = new DatabaseSync(path.join(server.dataDir, 'pentarch.sqlite'), { readOnly: true });
      const row = file.prepare(statement).get();
      file.close();
      return Number(row?.n);
    }
    const client = new pg.Client({ connectionString: DATABASE_URL, options: '-c app.tenant=*' });
    await client.connect();
    const { rows } = await client.query<{ n: string }>(statement);
    await client.end();
    return Number(rows[0]?.n);
  };
  /** Waits for all whole segments of the messages that are old enough. */
  const indexed = async (messages: number): Promise<void> => {
    const from = performance.now();
    while ((await countOf('message_segments')) < Math.floor((messages - RECENT) / SEGMENT)) await delay(200);
    console.error(
      `index of ${messages} messages ready after ${((performance.now() - from) / 1000).toFixed(1)} s`,
    );
  };

  const [owner = { tenantId: '', userId: '' }] = owners;
  const levels = numbers(values.levels);
  const messages = await climb(
    levels,
    (db, have, wanted) => fillMessages(db, owner, have, wanted),
    async (client) => {
      // A person's first search is the one that makes their index.
      await client.get('/api/v1/conversations?q=w1a7%20w2b&limit=20');
      await indexed(await countOf('messages'));
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
