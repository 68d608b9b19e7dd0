import { afterAll, describe, expect, test } from 'vitest';
import type { DataTable } from '../../kernel/table-sql.ts';
import { createTableEngine } from './index.ts';

const SALES: DataTable = {
  name: 'sales',
  columns: [
    { name: 'region', type: 'text' },
    { name: 'amount', type: 'number' },
    { name: 'day', type: 'date' },
  ],
  rows: [
    ['North', '10.5', '2026-01-02'],
    ['South', '20', '2026-01-03'],
    ['North', null, '2026-02-01'],
    ["O'Brien; drop table sales", '4', null],
  ],
};

const engine = createTableEngine();
const { signal } = new AbortController();
const ask = (sql: string, maxRows = 10) => engine.query([SALES], sql, { tenantId: 't', maxRows, signal });
afterAll(() => engine.close());

describe('the table engine', () => {
  test('computes over typed columns', async () => {
    const answer = await ask(
      "select region, sum(amount) as total, count(*) as n, min(day) as first from sales where region in ('North', 'South') group by region order by region",
    );
    expect(answer).toEqual({
      columns: ['region', 'total', 'n', 'first'],
      rows: [
        ['North', 10.5, 2, '2026-01-02'],
        ['South', 20, 1, '2026-01-03'],
      ],
      truncated: false,
    });
    expect((await ask('select median(amount) as m from sales')).rows).toEqual([[10.5]]);
  });

  test('says when there are more rows', async () => {
    const answer = await ask('select * from range(1000000)', 3);
    expect(answer.rows).toHaveLength(3);
    expect(answer.truncated).toBe(true);
  });

  test.each([
    "select * from read_csv('/etc/hostname')",
    "select * from read_text('/etc/hostname')",
    "select * from '/etc/hostname'",
    "select * from glob('/*')",
    "select * from read_csv('http://127.0.0.1:1/x.csv')",
    "copy sales to '/tmp/stolen.csv'",
    "attach '/tmp/other.db'",
    'install httpfs',
    'load httpfs',
    'set threads = 8',
    'set enable_external_access = true',
    'drop table sales',
    'insert into sales select * from sales',
    'select 1; select 2',
    'selec 1',
  ])('refuses %s', async (sql) => {
    await expect(ask(sql)).rejects.toMatchObject({ name: 'TableQueryError' });
  });

  test('ends a query that takes too long, and one that is cancelled', async () => {
    const quick = createTableEngine({ timeoutMs: 1_500 });
    const endless = 'select sum(sqrt(range)) from range(1000000000000)';
    await expect(quick.query([SALES], endless, { tenantId: 't', maxRows: 1, signal })).rejects.toThrow(
      /longer than/,
    );
    const abort = new AbortController();
    const run = engine.query([SALES], endless, { tenantId: 't', maxRows: 1, signal: abort.signal });
    abort.abort(new Error('cancelled'));
    await expect(run).rejects.toThrow('cancelled');
    await quick.close();
  });

  test('a query cannot take more memory than it is given', async () => {
    await expect(
      ask('select count(distinct x) from (select repeat(range::varchar, 50) as x from range(20000000))'),
    ).rejects.toMatchObject({ name: 'TableQueryError' });
  });

  test('gives at most 1 MiB, and says that there is more', async () => {
    const answer = await ask("select repeat('é', 100000) as x from range(50)", 100);
    expect(answer.truncated).toBe(true);
    expect(answer.rows.length).toBe(5);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(1024 * 1024);
  });

  test.each([
    ["select repeat('x', 900000000) as x"],
    ["select repeat('x', 100000000) as x from range(2048)"],
    ["select list(repeat('x', 1000)) as x from range(1000000)"],
  ])('a row without measure is refused within its memory: %s', async (sql) => {
    const before = process.memoryUsage().rss;
    await expect(ask(sql)).rejects.toMatchObject({ name: 'TableQueryError' });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
  });

  test('tenants take turns, and no tenant fills the queue', async () => {
    const narrow = createTableEngine({ processes: 1, maxWaiting: 2 });
    const order: string[] = [];
    const query = (tenantId: string) =>
      narrow
        .query([SALES], 'select 1 as one', { tenantId, maxRows: 1, signal })
        .then(() => order.push(tenantId));
    const all = [query('a'), query('a'), query('a')];
    await expect(query('a')).rejects.toThrow(/Too many queries/);
    await Promise.all([...all, query('b')]);
    expect(order).toEqual(['a', 'a', 'b', 'a']);
    await narrow.close();
  });
});
