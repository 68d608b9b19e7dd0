import { Download } from 'lucide-react';
import type { CostUsage, GetCostUsageQuery } from 'pentarch-sdk';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.tsx';
import { Input } from '../../components/field.tsx';
import { Count, Money } from '../../components/figures.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { PageHead, Segments } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay } from '../../lib/me.ts';
import { useUrlState } from '../../lib/url-state.ts';
import styles from './costs.module.css';
import { DayChart } from './day-chart.tsx';
import { Limits } from './limits.tsx';
import { useExport, useUsage } from './queries.ts';
import { Tables } from './tables.tsx';

const PERIODS = ['day', 'week', 'month', 'custom'] as const;
type Period = (typeof PERIODS)[number];
const PERIOD_OPTIONS: readonly { value: Period; label: string }[] = [
  { value: 'day', label: 'Today' },
  { value: 'week', label: 'Week' },
  { value: 'month', label: 'Month' },
  { value: 'custom', label: 'Custom' },
];
type Scope = 'me' | 'tenant';
const SCOPES: readonly { value: Scope; label: string }[] = [
  { value: 'me', label: 'Mine' },
  { value: 'tenant', label: 'Organisation' },
];

const dateOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;

const parse = (raw: Readonly<Record<string, unknown>>) => ({
  period: PERIODS.find((one) => one === raw.period) ?? 'month',
  from: dateOf(raw.from),
  to: dateOf(raw.to),
  scope: SCOPES.find(({ value }) => value === raw.scope)?.value,
});

const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={styles.figure}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

const Totals = ({ usage }: { usage: CostUsage }) => (
  <dl className={styles.totals}>
    <Figure label="Spent">
      <Money usd={usage.total_usd} />
    </Figure>
    <Figure label="Forecast for the period">
      <Money usd={usage.forecast_usd} />
    </Figure>
    <Figure label="Calls">
      <Count value={usage.requests} />
    </Figure>
    <Figure label="Tokens read">
      <Count value={usage.input_tokens} compact />
    </Figure>
    <Figure label="From the cache">
      <Count value={usage.cached_input_tokens} compact />
    </Figure>
    <Figure label="Tokens written">
      <Count value={usage.output_tokens} compact />
    </Figure>
  </dl>
);

const CostsPage = () => {
  const [{ period, from, to, scope: asked }, setState] = useUrlState(parse);
  const mayTenant = useMay('analytics:read');
  const scope: Scope = mayTenant ? (asked ?? 'tenant') : 'me';
  const query: GetCostUsageQuery = {
    period,
    scope,
    ...(period === 'custom' && from !== undefined ? { from } : {}),
    ...(period === 'custom' && to !== undefined ? { to } : {}),
  };
  const { data, error, refetch } = useUsage(query);
  const download = useExport();
  const toast = useToast();
  useLiveRefresh(['cost.'], ['costs']);
  const incomplete = period === 'custom' && (from === undefined || to === undefined);
  return (
    <>
      <PageHead
        title="Costs"
        about="What models and tools have cost, to whom it belongs, and what may still be spent."
        actions={
          <>
            {mayTenant && (
              <Segments
                label="Whose costs"
                value={scope}
                options={SCOPES}
                onChange={(next) => setState({ scope: next })}
              />
            )}
            <Segments
              label="Period"
              value={period}
              options={PERIOD_OPTIONS}
              onChange={(next) => setState({ period: next })}
            />
            <Button
              busy={download.isPending}
              disabled={incomplete}
              onClick={() => download.mutate(query, { onError: toast.failed })}
            >
              <Download size={16} aria-hidden="true" /> CSV
            </Button>
          </>
        }
      />
      <div className={styles.page}>
        {period === 'custom' && (
          <div className={styles.dates}>
            <Input
              label="From"
              type="date"
              value={from ?? ''}
              max={to}
              onChange={(event) => setState({ from: event.currentTarget.value || undefined })}
            />
            <Input
              label="To (inclusive)"
              type="date"
              value={to ?? ''}
              min={from}
              onChange={(event) => setState({ to: event.currentTarget.value || undefined })}
            />
          </div>
        )}
        {incomplete ? (
          <p>Choose the first and the last day.</p>
        ) : data === undefined ? (
          error === null ? (
            <Skeleton height="28rem" />
          ) : (
            <ErrorState error={error} onRetry={() => void refetch()} />
          )
        ) : (
          <>
            <Totals usage={data} />
            <DayChart usage={data} />
            <Tables usage={data} query={query} />
          </>
        )}
        <Limits />
      </div>
    </>
  );
};

export default CostsPage;
