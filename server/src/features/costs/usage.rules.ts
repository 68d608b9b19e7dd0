import { invalid } from '../../kernel/errors.ts';
import { type NanoUsd, nanoToUsd } from '../../kernel/money.ts';
import {
  dateText,
  localDate,
  type PeriodName,
  periodAround,
  type Span,
  startOfDate,
} from './periods.rules.ts';

/** What a question about usage covers, and how sums become the answer. */

export interface UsagePeriod {
  name: PeriodName | 'custom';
  span: Span;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;
const DAY_MS = 86_400_000;
const MAX_SPAN_MS = 400 * DAY_MS;

/** Epoch ms of a bound: a date is the tenant's local day, `to` its end. Throws 422. */
const boundOf = (field: 'from' | 'to', text: string, zone: string): number => {
  const date = DATE.exec(text);
  if (date !== null) {
    const [year, month, day] = [Number(date[1]), Number(date[2]), Number(date[3])];
    const utc = new Date(Date.UTC(year, month - 1, day + (field === 'to' ? 1 : 0)));
    const real = new Date(Date.UTC(year, month - 1, day)).toISOString().startsWith(text);
    if (real && year >= 1970) {
      return startOfDate(zone, {
        year: utc.getUTCFullYear(),
        month: utc.getUTCMonth() + 1,
        day: utc.getUTCDate(),
      });
    }
  } else if (TIME.test(text)) {
    const at = Date.parse(text);
    if (!Number.isNaN(at) && at >= 0) return at;
  }
  throw invalid({ field: `/${field}`, reason: 'must be an ISO 8601 time or date' });
};

export const usagePeriod = (
  query: { period?: PeriodName | 'custom' | undefined; from?: string | undefined; to?: string | undefined },
  zone: string,
  now: number,
): UsagePeriod => {
  const { from, to } = query;
  const name = query.period ?? (from === undefined && to === undefined ? 'month' : 'custom');
  if (name !== 'custom') {
    if (from !== undefined) throw invalid({ field: '/from', reason: 'goes with the period custom only' });
    if (to !== undefined) throw invalid({ field: '/to', reason: 'goes with the period custom only' });
    return { name, span: periodAround(zone, name, now) };
  }
  if (from === undefined) throw invalid({ field: '/from', reason: 'is required for the period custom' });
  const start = boundOf('from', from, zone);
  const end = to === undefined ? now : boundOf('to', to, zone);
  if (end <= start) throw invalid({ field: '/to', reason: 'must be after from' });
  if (end - start > MAX_SPAN_MS)
    throw invalid({ field: '/from', reason: 'must be at most 400 days before to' });
  return { name, span: { start, end } };
};

export interface Sums {
  costNano: NanoUsd;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  beyondEstimate: number;
}

export const noSums = (): Sums => ({
  costNano: 0,
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  beyondEstimate: 0,
});

export const addUsageSums = (a: Sums, b: Sums): Sums => ({
  costNano: a.costNano + b.costNano,
  requests: a.requests + b.requests,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
  beyondEstimate: a.beyondEstimate + b.beyondEstimate,
});

export const sumsWire = (sums: Sums) => ({
  cost_usd: nanoToUsd(sums.costNano),
  requests: sums.requests,
  input_tokens: sums.inputTokens,
  output_tokens: sums.outputTokens,
  cached_input_tokens: sums.cachedInputTokens,
  beyond_estimate: sums.beyondEstimate,
});

/** Sums by slot of time folded into local dates. */
export const byDate = (slots: readonly { start: number; sums: Sums }[], zone: string): Map<string, Sums> => {
  const days = new Map<string, Sums>();
  for (const { start, sums } of slots) {
    const date = dateText(localDate(zone, start));
    days.set(date, addUsageSums(days.get(date) ?? noSums(), sums));
  }
  return new Map([...days].sort(([a], [b]) => (a < b ? -1 : 1)));
};
