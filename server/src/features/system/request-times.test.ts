import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { RequestTimes } from './request-times.ts';

it('tells the same text as the package’s own histogram', async () => {
  const registry = new Registry();
  const times = new RequestTimes(registry);
  const reference = new Registry();
  const own = new Histogram({
    name: 'pentarch_http_request_duration_seconds',
    help: 'Time of HTTP requests by route template',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [reference],
  });
  const seconds = [0.0005, 0.001, 0.02, 0.02, 3, 75];
  for (const route of ['/a', '/b']) {
    for (const one of seconds) {
      times.add({ method: 'GET', route, status: 200, seconds: one });
      own.observe({ method: 'GET', route, status: '200' }, one);
    }
  }
  const lines = async (from: Registry): Promise<string[]> => (await from.metrics()).split('\n').sort();
  expect(await lines(registry)).toEqual(await lines(reference));
  expect(await registry.metrics()).toContain(
    'pentarch_http_request_duration_seconds_count{method="GET",route="/a",status="200"} 6',
  );
});
