import type { CostUsage } from 'pentarch-sdk';
import { lazy, Suspense, useMemo } from 'react';
import { Skeleton } from '../../components/states.tsx';
import { Panel } from '../../components/surface.tsx';
import { formatMoney } from '../../lib/format.ts';
import styles from './costs.module.css';

const Chart = lazy(() => import('../../components/chart.tsx'));

const SHORT = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

const DAY_MS = 86_400_000;
/** A longer period shows the days with spend alone. */
const MAX_DAYS = 100;

/** Every day from the first to the last, those without spend too; days are dates, the same in every time zone. */
export const everyDay = (
  spent: readonly { date: string; cost_usd: number }[],
  firstDay: string,
  lastDay: string,
): readonly { date: string; cost_usd: number }[] => {
  const byDay = new Map(spent.map(({ date, cost_usd }) => [date, cost_usd]));
  const days = [firstDay, lastDay, ...byDay.keys()].map((date) => Date.parse(date)).filter(Number.isFinite);
  const first = Math.min(...days);
  const count = Math.round((Math.max(...days) - first) / DAY_MS) + 1;
  if (!(count <= MAX_DAYS)) return spent.toSorted((a, b) => a.date.localeCompare(b.date));
  return Array.from({ length: count }, (_, n) => {
    const date = new Date(first + n * DAY_MS).toISOString().slice(0, 10);
    return { date, cost_usd: byDay.get(date) ?? 0 };
  });
};

/** Spend of each day of the period up to today; the table of days below it has the same figures. */
export const DayChart = ({ usage }: { usage: CostUsage }) => {
  const days = useMemo(() => {
    const spent = usage.by_day.flatMap(({ date, cost_usd }) => (date === null ? [] : [{ date, cost_usd }]));
    if (spent.length === 0) return [];
    const last = [...spent.map(({ date }) => date), usage.period.start.slice(0, 10)].toSorted().at(-1) ?? '';
    return everyDay(spent, usage.period.start.slice(0, 10), last);
  }, [usage]);
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
              thin
            />
          </Suspense>
        )}
      </div>
    </Panel>
  );
};
