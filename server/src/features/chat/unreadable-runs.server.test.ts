import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Rows of unfinished runs that no release has written, as an archive of elsewhere may bring them. */

let provider: TestProvider;
let server: TestServer;
let admin: Client;
const it = withWorld({
  env: { MODEL: 'compatible/test', DATABASE_URL: '' },
});
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});

const startOf = async (message: string, conversation: string): Promise<string> => {
  const stream = await admin.stream('/api/v1/chat/stream', {
    message,
    conversation_id: conversation,
    context: { agent_id: 'zeus' },
  });
  const started = (await stream.until('run.started')).at(-1)?.data as { run_id: string } | undefined;
  if (started === undefined) throw new Error('the run has not begun');
  return started.run_id;
};
const statusOf = async (id: string): Promise<string> =>
  (await admin.get(`/api/v1/chat/runs/${id}`)).json<{ status: string }>().status;

describe('after a start', () => {
  it.each(['request', 'credential'])(
    req('OPS-14', 'a waiting message whose %s cannot be read ends, and the others go on'),
    async (column) => {
      provider.reset();
      const gate = Promise.withResolvers<void>();
      provider.always((request) =>
        String(request.body.messages?.at(-1)?.content).includes('first')
          ? { text: 'one', hold: gate.promise }
          : { text: 'other' },
      );
      const made = await admin.post('/v2/conversations', {});
      const { id } = made.json<{ id: string }>();
      const begun = await startOf('the first', id);
      const broken = await startOf('the second', id);
      const whole = await startOf('the third', id);
      await server.end('SIGKILL');
      gate.resolve();
      const file = new DatabaseSync(path.join(server.dataDir, 'pentarch.sqlite'));
      const changed = file
        .prepare(`update runs set ${column} = '{"v":' where id = ? and status = 'queued'`)
        .run(broken);
      file.prepare(`update runs set journal = '{"v":' where id = ?`).run(begun);
      file.close();
      expect(changed.changes).toBe(1);
      await server.start();
      admin = await server.signIn();
      await expect.poll(() => statusOf(begun), { timeout: 60_000 }).toBe('failed');
      await expect.poll(() => statusOf(broken), { timeout: 60_000 }).toBe('failed');
      await expect.poll(() => statusOf(whole), { timeout: 60_000 }).toBe('completed');
    },
    180_000,
  );
});
