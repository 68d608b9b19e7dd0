import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { type Exposition, readExposition } from './promlint.ts';

/**
 * Alerts under the figures of a real server that has the trouble: what it gives before and after is laid out over hours, as Prometheus
 * would have scraped it, and promtool says which alerts come.
 */
const RULES = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'monitoring', 'alerts.yaml');
const MINUTES = 360;

const labelsText = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',');

/** What was counted in between is counted again each minute; an age grows by itself; all else stays as it was last. */
const seriesOf = (before: Exposition, after: Exposition) => {
  const keyOf = (sample: Exposition['samples'][number]): string =>
    `${sample.name}{${labelsText({ instance: 'a', job: 'pentarch', ...sample.labels })}}`;
  const had = new Map(before.samples.map((sample) => [keyOf(sample), sample.value]));
  return after.samples
    .filter(({ value }) => Number.isFinite(value))
    .map((sample) => {
      const key = keyOf(sample);
      const family = sample.name.replace(/_(bucket|sum|count)$/, '');
      const type = after.types.get(sample.name) ?? after.types.get(family);
      const counts = type === 'counter' || type === 'histogram';
      const grows = sample.name.endsWith('_oldest_seconds') && sample.value > 0;
      const start = counts ? (had.get(key) ?? 0) : sample.value;
      const step = counts ? sample.value - start : grows ? 60 : 0;
      return { series: key, values: `${start.toFixed(6)}+${step.toFixed(6)}x${MINUTES}` };
    });
};

/** Whether an alert comes after hours of what was between the two. */
const comes = (alert: string, before: Exposition, after: Exposition): boolean => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-alerts-'));
  const file = path.join(folder, `${alert}.yaml`);
  const expr = `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`;
  const test = {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [
          { series: 'up{job="pentarch",instance="a"}', values: `1x${MINUTES}` },
          ...seriesOf(before, after),
        ],
        promql_expr_test: [{ expr, eval_time: `${MINUTES}m`, exp_samples: [{ labels: '{}', value: 1 }] }],
      },
    ],
  };
  writeFileSync(file, stringify(test));
  const ran = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  if (ran.error !== undefined)
    throw new Error(`promtool is needed (Debian: prometheus): ${ran.error.message}`);
  const said = ran.stdout + ran.stderr;
  // The one fault there may be is that nothing comes.
  if (ran.status !== 0 && !/got:\s*nil/.test(said)) throw new Error(said);
  return ran.status === 0;
};

export const scrapeOf = async (url: string): Promise<Exposition> =>
  readExposition(await (await fetch(`${url}/metrics`)).text());

export const sampleOf = (
  { samples }: Exposition,
  name: string,
  labels: Record<string, string> = {},
): number | undefined =>
  samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;

/** `provoke` between the figures of before and after; the alert comes by it, and does not come by `ordinary` work. */
export const expectAlert = async (
  alert: string,
  how: { url: string; ordinary(): Promise<unknown>; provoke(): Promise<unknown> },
): Promise<void> => {
  const well = await scrapeOf(how.url);
  await how.ordinary();
  const before = await scrapeOf(how.url);
  expect([alert, comes(alert, well, before)]).toEqual([alert, false]);
  await how.provoke();
  expect([alert, comes(alert, before, await scrapeOf(how.url))]).toEqual([alert, true]);
};
