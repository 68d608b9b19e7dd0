import { useUrlState } from '../../lib/url-state.ts';

/** What of the admin page stands in the address: the tab, the open record, and the filters of the tab. */
interface State {
  tab: string | undefined;
  /** Id of the record that is open. */
  open: string | undefined;
  q: string | undefined;
  status: string | undefined;
  type: string | undefined;
  actor: string | undefined;
  /** Id of what was acted on. */
  target: string | undefined;
  action: string | undefined;
  outcome: string | undefined;
  /** Days, YYYY-MM-DD. */
  from: string | undefined;
  to: string | undefined;
}

/** All but the tab: what belongs to one tab is nothing to the next. */
export const CLEARED = {
  open: undefined,
  q: undefined,
  status: undefined,
  type: undefined,
  actor: undefined,
  target: undefined,
  action: undefined,
  outcome: undefined,
  from: undefined,
  to: undefined,
} as const;

const text = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number'
    ? String(value).slice(0, 200)
    : undefined;

const parse = (raw: Readonly<Record<string, unknown>>): State => ({
  tab: text(raw.tab),
  open: text(raw.open),
  q: text(raw.q),
  status: text(raw.status),
  type: text(raw.type),
  actor: text(raw.actor),
  target: text(raw.target),
  action: text(raw.action),
  outcome: text(raw.outcome),
  from: text(raw.from),
  to: text(raw.to),
});

export const useAdminState = () => useUrlState(parse);

/** The one of `values` that `value` is; undefined for anything else. */
export const oneOf = <T extends string>(values: readonly T[], value: string | undefined): T | undefined =>
  values.find((one) => one === value);
