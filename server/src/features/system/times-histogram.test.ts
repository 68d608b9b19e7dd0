import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { TimesHistogram } from './times-histogram.ts';

const SECONDS = [0.0005, 0.001, 0.02, 0.02, 3, 75];
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

const lines = async (from: Registry): Promise<string[]> => (await from.metrics()).split('\n').sort();

it('tells the same text as the package’s own histogram', async () => {
  const named = {
    name: 'request_seconds',
    help: 'Times of requests',
    labelNames: ['method', 'route'] as const,
    buckets: BUCKETS,
  };
  const registry = new Registry();
  const times = new TimesHistogram({ ...named, registry });
  const reference = new Registry();
  const own = new Histogram({ ...named, registers: [reference] });
  for (const route of ['/a', '/b']) {
    for (const one of SECONDS) {
      times.add(one, 'GET', route);
      own.observe({ method: 'GET', route }, one);
    }
  }
  expect(await lines(registry)).toEqual(await lines(reference));
  expect(await registry.metrics()).toContain('request_seconds_count{method="GET",route="/a"} 6');
});

it('does so without labels', async () => {
  const named = { name: 'write_seconds', help: 'Times of writes', buckets: BUCKETS };
  const registry = new Registry();
  const times = new TimesHistogram({ ...named, labelNames: [], registry });
  const reference = new Registry();
  const own = new Histogram({ ...named, registers: [reference] });
  for (const one of SECONDS) {
    times.add(one);
    own.observe(one);
  }
  expect(await lines(registry)).toEqual(await lines(reference));
});
