import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { startTestProvider, type TestProvider } from '../../../test/support/provider.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { newDatabase, postgresServer } from '../../../test/support/stores.ts';

/** Runs that the store calls unfinished and that nothing works on, as a fault of whatever kind leaves them. */

let server: TestServer;
let provider: TestProvider;
let admin: Client;
let database: { url: string; drop(): Promise<void> } | null = null;
beforeAll(async () => {
  if (postgresServer !== undefined) database = await newDatabase(postgresServer);
  provider = await startTestProvider();
  server = await startServer({
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      ...(database === null ? {} : { DATABASE_URL: database.url }),
    },
  });
  admin = await server.signIn();
});
afterAll(async () => {
  await server?.close();
  await database?.drop();
  await provider?.close();
});

/** Statements beside the server. */
const run = async (statement: string): Promise<void> => {
  if (database === null) {
    const file = new DatabaseSync(path.join(server.dataDir, 'pentarch.sqlite'), { timeout: 5_000 });
    file.exec(statement);
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("set app.tenant = '*'");
  await client.query(statement);
  await client.end();
};

interface Run {
  status: string;
  error: { code: string } | null;
  finished_at: string | null;
}

// At once: each waits for the same sweep.
it.concurrent.each(['running', 'awaiting_approval', 'queued'])(
  req('RUN-20', 'one that is %s with nothing at work on it ends as failed, and its conversation goes on'),
  async (status) => {
    const question = { message: 'How are you?', context: { agent_id: 'zeus' } };
    const answer = await admin.post('/v2/chat', question);
    expect(answer.status, answer.text).toBe(200);
    const { run_id: id, conversation_id: conversation } = answer.json<{
      run_id: string;
      conversation_id: string;
    }>();
    await run(`update runs set status = '${status}', finished_at = null where id = '${id}'`);
    const state = async (): Promise<Run> => (await admin.get(`/v2/chat/runs/${id}`)).json<Run>();
    expect((await state()).finished_at).toBeNull();
    await expect.poll(async () => (await state()).status, { timeout: 60_000, interval: 500 }).toBe('failed');
    const ended = await state();
    expect(ended.error?.code).toBe('SERVICE_UNAVAILABLE');
    expect(ended.finished_at).not.toBeNull();
    const next = await admin.post('/v2/chat', { ...question, conversation_id: conversation });
    expect(next.status, next.text).toBe(200);
    const metrics = (await server.anonymous().get('/metrics')).text;
    expect(metrics).toMatch(
      /^pentarch_runs_total\{outcome="interrupted",agent="[a-z]+",model="none"\} [1-9]/m,
    );
  },
  90_000,
);

it(req(
  'RUN-20',
  'a reservation that the end of its run left behind is freed by the process that made it',
), async () => {
  const answer = await admin.post('/v2/chat', {
    message: 'How are you?',
    context: { agent_id: 'zeus' },
  });
  expect(answer.status, answer.text).toBe(200);
  const { run_id: id } = answer.json<{ run_id: string }>();
  const reserved = async (): Promise<number[]> =>
    (await admin.get('/v2/costs/limits'))
      .json<{ limits: { scope: string; reserved_usd: number }[] }>()
      .limits.filter((limit) => limit.scope === 'tenant')
      .map((limit) => limit.reserved_usd);
  expect(await reserved()).toEqual([0, 0]);
  const lines = database === null ? 'group_concat(id, char(10))' : 'string_agg(id, chr(10))';
  await run(`update runs set finished_at = finished_at - 120000 where id = '${id}'`);
  await run(
    `insert into cost_holds
         (id, tenant_id, user_id, agent_id, run_id, node_id, amount_nano, run_nano, counters, created_at)
       select 'left-behind', tenant_id, user_id, null, id, (select id from cost_nodes), 2000000000, 0,
         (select ${lines} from cost_counters where scope = 'tenant' and tenant_id = runs.tenant_id), created_at
       from runs where id = '${id}'`,
  );
  await run(`update cost_counters set reserved_nano = reserved_nano + 2000000000 where scope = 'tenant'`);
  expect(await reserved()).toEqual([2, 2]);
  await expect.poll(reserved, { timeout: 60_000, interval: 500 }).toEqual([0, 0]);
}, 90_000);
