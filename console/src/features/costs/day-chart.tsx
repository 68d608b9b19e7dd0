import type { CostUsage } from 'pentarch-sdk';
import { lazy, Suspense, useMemo } from 'react';
import { Skeleton } from '../../components/states.tsx';
import { Panel } from '../../components/surface.tsx';
import { formatMoney } from '../../lib/format.ts';
import styles from './costs.module.css';

const Chart = lazy(() => import('../../components/chart.tsx'));

const SHORT = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Spend of each day of the period on which something was spent; the table of days below it has the same figures. */
export const DayChart = ({ usage }: { usage: CostUsage }) => {
  const days = useMemo(
    () =>
      usage.by_day
        .flatMap(({ date, cost_usd }) => (date === null ? [] : [{ date, cost_usd }]))
        .toSorted((a, b) => a.date.localeCompare(b.date)),
    [usage],
  );
  const names = useMemo(() => days.map(({ date }) => SHORT.format(new Date(date))), [days]);
  const series = useMemo(
    () => [{ label: 'Spent', colour: '--accent', values: days.map(({ cost_usd }) => cost_usd) }],
    [days],
  );
  return (
    <Panel title="By day">
      <div className={styles.chart}>
        {days.length === 0 ? (
          <p className={styles.nothing}>
            Nothing was spent in this period. Ask an agent something, or choose a longer period.
          </p>
        ) : (
          <Suspense fallback={<Skeleton height="14rem" />}>
            <Chart
              label="Spend of each day"
              kind="bars"
              x={names}
              series={series}
              format={formatMoney}
              heightPx={224}
            />
          </Suspense>
        )}
      </div>
    </Panel>
  );
};
