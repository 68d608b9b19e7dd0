import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Client } from '../server/test/support/client.ts';
import { pgvectorBinaries } from '../server/test/support/pgvector.ts';
import { startPostgres } from '../server/test/support/postgres.ts';
import { startReceiver } from '../server/test/support/receiver.ts';
import { ADMIN, startServer } from '../server/test/support/server.ts';

/**
 * What this release leaves behind, for every later one to open (server/test/all/upgrade-fixtures.test.ts): a data folder and a
 * dump of PostgreSQL, filled by the API of a running server. Each release adds its own, at its last commit:
 *
 *   node scripts/make-upgrade-fixture.ts 2.0.0
 */
const [name] = process.argv.slice(2);
if (name === undefined || !/^[\w.-]+$/.test(name)) throw new Error('give the name of the release');
const folder = path.resolve('server', 'test', 'fixtures', 'upgrade', name);
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** Of these fixtures alone; nothing else was ever sealed with it. */
const PLATFORM_KEY = 'of upgrade fixtures alone, and of nothing else 0000000000';

const accept = (response: ServerResponse): void => void response.writeHead(200).end();

/** Something in every room that a person can fill by the API. */
const furnish = async (client: Client, hookUrl: string): Promise<void> => {
  const made = async (what: string, body: unknown): Promise<string> => {
    const answer = await client.post(what, body);
    if (answer.status !== 201) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return answer.json<{ id: string }>().id;
  };
  await made('/api/v1/knowledge/documents', {
    title: 'Keeper’s book',
    content: 'The keeper polishes the brass lens of the lighthouse every Tuesday. 灯台の番人。',
    metadata: { tags: ['light'] },
    visibility: 'tenant',
  });
  await made('/api/v1/memory/entities', {
    name: 'Ada',
    entity_type: 'person',
    observations: ['Ada keeps bees'],
  });
  await made('/v2/webhooks', { url: hookUrl, events: ['task.completed'] });
  await made('/v2/tasks', { description: 'Say hello', cron: '0 9 * * *' });
  await made('/v2/users', {
    email: 'ada@example.com',
    name: 'Ada',
    roles: ['user'],
    password: ADMIN.password,
  });
  for (const message of ['When is the lens polished?', 'And by whom?']) {
    const answer = await client.post('/api/v1/chat', { message });
    if (answer.status !== 200) throw new Error(`chat: ${answer.status} ${answer.text}`);
  }
};

/** Figures that a later release must still give. */
const factsOf = async (client: Client): Promise<Record<string, unknown>> => {
  const total = async (list: string): Promise<number> =>
    (await client.get(list)).json<{ total: number }>().total;
  const year = new Date().getUTCFullYear();
  const spent = (
    await client.get(`/api/v1/costs/usage?from=${year}-01-01&to=${year}-12-31&scope=tenant`)
  ).json<{ total_usd: number; requests: number; input_tokens: number }>();
  const { items } = (await client.get('/api/v1/conversations')).json<{ items: { title: string }[] }>();
  return {
    year,
    conversations: items.map((one) => one.title).sort(),
    documents: await total('/api/v1/knowledge/documents'),
    entities: await total('/api/v1/memory/entities'),
    webhooks: await total('/v2/webhooks'),
    tasks: await total('/v2/tasks'),
    users: await total('/v2/users'),
    spent: { total_usd: spent.total_usd, requests: spent.requests, input_tokens: spent.input_tokens },
  };
};

const target = await startReceiver(accept);
const env = { PLATFORM_KEY, WEBHOOK_ALLOW_PRIVATE: 'on' };
const fill = async (more: Record<string, string>, dataDir?: string): Promise<Record<string, unknown>> => {
  const server = await startServer({
    env: { ...env, ...more },
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  try {
    const client = await server.signIn();
    await furnish(client, target.url);
    const facts = await factsOf(client);
    await server.end('SIGTERM');
    return facts;
  } finally {
    if (dataDir === undefined) await server.close();
  }
};

mkdirSync(folder, { recursive: true });
const work = mkdtempSync(path.join(tmpdir(), 'pentarch-fixture-'));
const binaries = pgvectorBinaries();
if (binaries === null) throw new Error('PostgreSQL with pgvector is needed: PGVECTOR_BINDIR');
const postgres = await startPostgres(binaries);
try {
  const dataDir = path.join(work, 'data');
  const sqlite = await fill({ DATABASE_URL: '' }, dataDir);
  execFileSync('tar', ['-czf', path.join(folder, 'data.tar.gz'), '--exclude=*.lock', '-C', dataDir, '.']);

  const url = await postgres.freshUrl();
  const onPostgres = await fill({ DATABASE_URL: url });
  const dump = execFileSync(
    path.join(binaries, 'pg_dump'),
    ['--no-owner', '--no-privileges', '--inserts', url],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  // Without what psql alone understands.
  writeFileSync(
    path.join(folder, 'postgres.sql.gz'),
    gzipSync(dump.replaceAll(/^\\.*$/gm, ''), { level: 9 }),
  );
  const about = {
    commit: git('rev-parse', 'HEAD'),
    platform_key: PLATFORM_KEY,
    sqlite,
    postgres: onPostgres,
  };
  writeFileSync(path.join(folder, 'about.json'), `${JSON.stringify(about, null, 2)}\n`);
} finally {
  await postgres.stop();
  await target.close();
  rmSync(work, { recursive: true, force: true });
}
