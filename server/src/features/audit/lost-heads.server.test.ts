import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { runCommand } from '../../../test/support/command.ts';
import { startServer } from '../../../test/support/server.ts';
import { newDatabase, postgresServer } from '../../../test/support/stores.ts';

/** Somebody who writes to the store takes away the heads of the audit chains; on either engine. */
const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of opened.reverse()) await each.close();
});

const inStore = async (url: string, dataDir: string, statement: string): Promise<void> => {
  if (url === '') {
    const file = new DatabaseSync(path.join(dataDir, 'pentarch.sqlite'));
    file.exec(statement);
    file.close();
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
};

it(req(
  'AUDIT-04',
  'chains whose heads were deleted are broken, and the platform goes on behind a row that says so',
), async () => {
  let url = '';
  if (postgresServer !== undefined) {
    const database = await newDatabase(postgresServer);
    opened.push({ close: database.drop });
    ({ url } = database);
  }
  const server = await startServer({ env: { DATABASE_URL: url } });
  opened.push(server);
  const env = { DATABASE_URL: url, DATA_DIR: server.dataDir };
  await server.signIn();
  await server.end('SIGTERM');
  expect(await runCommand(['audit', 'verify'], env)).toMatchObject({ code: 0 });

  await inStore(url, server.dataDir, 'delete from audit_heads');
  expect(await runCommand(['audit', 'verify'], env)).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^BROKEN +tenant \S+: .*no head/m),
  });

  await server.start();
  const ready = async (): Promise<number> => (await fetch(`${server.url}/ready`)).status;
  await expect.poll(ready, { timeout: 30_000 }).toBe(200);
  const admin = await server.signIn();
  const marks = await admin.get('/v2/audit?action=audit.seal_broken');
  expect(marks.json<{ items: unknown[] }>().items).toMatchObject([{ details: { reason: 'head' } }]);
  expect(server.log.map((line) => line.msg)).toContain('audit chains are not as this platform left them');

  // While it runs: the next row finds it.
  await inStore(url, server.dataDir, 'delete from audit_heads');
  await server.signIn();
  const more = await admin.get('/v2/audit?action=audit.seal_broken');
  expect(more.json<{ items: unknown[] }>().items).toHaveLength(2);
  expect(server.log.some((line) => String(line.msg).startsWith('the audit chain is not as'))).toBe(true);
  await server.end('SIGTERM');
  expect(await runCommand(['audit', 'verify'], env)).toMatchObject({ code: 1 });
}, 240_000);
