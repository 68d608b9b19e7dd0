import { readFileSync } from 'node:fs';
import type { LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { completed, startWebhooks } from '../../../test/webhooks/harness.ts';

interface Case {
  url?: string;
  why: string;
  expect: string;
}
const { cases } = JSON.parse(
  readFileSync(new URL('../../../test/cases/ssrf-urls.json', import.meta.url), 'utf8'),
) as {
  cases: Case[];
};
const rows = cases.filter((row): row is Case & { url: string } => row.url !== undefined);

/** Nothing in this file may leave the machine: every name leads to loopback, which the guard must refuse. */
const toLoopback: LookupFunction = (_hostname, options, callback) => {
  if (options.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
  else callback(null, '127.0.0.1', 4);
};

let hooks: Awaited<ReturnType<typeof startWebhooks>>;
let canary: Awaited<ReturnType<typeof startReceiver>>;
let existing: string;
beforeAll(async () => {
  hooks = await startWebhooks({ allowPrivate: false, lookup: toLoopback, timeoutMs: 2_000 });
  canary = await startReceiver((response) => response.end('inside'));
  existing = (await hooks.hook('https://example.com/hook')).id;
});
afterAll(async () => {
  await hooks.close();
  await canary.close();
});

const post = (url: string) =>
  hooks.request('op.operator.t1', 'POST', '/api/v1/webhooks', { url, events: ['*'] });
const patch = (url: string) =>
  hooks.request('op.operator.t1', 'PATCH', `/api/v1/webhooks/${existing}`, { url });

describe(req(['HOOK-05'], 'ssrf-urls.json at a webhook'), () => {
  it.each(rows.filter((row) => row.expect === 'block'))(
    'refuses $url at create and change ($why)',
    async ({ url }) => {
      for (const answer of [await post(url), await patch(url)]) {
        expect(answer.status).toBe(422);
        expect(JSON.stringify(answer.body)).toContain('/url');
      }
    },
  );

  it.each(rows.filter((row) => row.expect === 'allow'))('takes $url, over https', async ({ url }) => {
    const expected = url.startsWith('https:') ? 201 : 422;
    expect((await post(url)).status).toBe(expected);
  });

  it('never reaches an address inside, whatever a name resolves to', async () => {
    const url = `https://public.test:${canary.port}/`;
    const { id } = (await post(url)).body as { id: string };
    const test = await hooks.request<{ status: string; log: { error: string }[] }>(
      'op.operator.t1',
      'POST',
      `/api/v1/webhooks/${id}/test`,
    );
    expect(test.body.status).toBe('failed');
    expect(test.body.log[0]?.error).toMatch(/may not be called/);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    expect(canary.received).toEqual([]);
  });

  it('checks at test and delivery too, when the row was written otherwise', async () => {
    await hooks.db.write(async (tx) => {
      await tx
        .updateTable('webhooks')
        .set({ url: `http://127.0.0.1:${canary.port}/` })
        .where('id', '=', existing)
        .execute();
    });
    const test = await hooks.request('op.operator.t1', 'POST', `/api/v1/webhooks/${existing}/test`);
    expect(test.status).toBe(422);
    await hooks.publish(completed(2));
    await hooks.jobs.runDue();
    expect(canary.received).toEqual([]);
  });
});
