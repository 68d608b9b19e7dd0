import type { LedgerRow } from '../../db/tables/costs.ts';
import { iso } from '../../kernel/clock.ts';

/** The ledger as CSV (RFC 4180). */
const COLUMNS: readonly [string, (row: LedgerRow) => string | number | null][] = [
  ['created_at', (r) => iso(r.created_at)],
  ['id', (r) => r.id],
  ['kind', (r) => r.kind],
  ['user_id', (r) => r.user_id],
  ['agent_id', (r) => r.agent_id],
  ['model', (r) => r.model],
  ['tool', (r) => r.tool],
  ['conversation_id', (r) => r.conversation_id],
  ['run_id', (r) => r.run_id],
  ['request_id', (r) => r.request_id],
  ['input_tokens', (r) => r.input_tokens],
  ['cached_input_tokens', (r) => r.cached_input_tokens],
  ['cache_write_tokens', (r) => r.cache_write_tokens],
  ['output_tokens', (r) => r.output_tokens],
  ['reasoning_tokens', (r) => r.reasoning_tokens],
  ['cost_usd', (r) => decimalUsd(r.cost_nano)],
  ['provider_cost_usd', (r) => (r.reported_nano === null ? null : decimalUsd(r.reported_nano))],
  ['estimated', (r) => (r.estimated === 1 ? 'true' : 'false')],
  ['beyond_estimate', (r) => (r.beyond_estimate === 1 ? 'true' : 'false')],
];

/** Exact, with nine decimals. */
export const decimalUsd = (nano: number): string => {
  const digits = String(nano).padStart(10, '0');
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
};

/** A field that a spreadsheet would run as a formula is made plain text by an apostrophe. */
const field = (value: string | number | null): string => {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
};

export const csvHeader = (): string => `${COLUMNS.map(([name]) => name).join(',')}\r\n`;

export const csvLines = (rows: readonly LedgerRow[]): string =>
  rows.map((row) => `${COLUMNS.map(([, value]) => field(value(row))).join(',')}\r\n`).join('');
