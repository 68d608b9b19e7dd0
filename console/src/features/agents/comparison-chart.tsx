import type { AgentMetrics, AgentStatus } from 'pentarch-sdk';
import { lazy, Suspense, useMemo, useState } from 'react';
import { Skeleton } from '../../components/states.tsx';
import { Panel, Segments } from '../../components/surface.tsx';
import { formatCompact, formatDuration, formatMoney } from '../../lib/format.ts';
import styles from './agents.module.css';
import type { Window } from './queries.ts';

const Chart = lazy(() => import('../../components/chart.tsx'));

const MEASURES = {
  requests: { label: 'Runs', of: (m: AgentMetrics) => m.requests, format: formatCompact },
  latency: { label: 'p95 latency', of: (m: AgentMetrics) => m.latency_ms.p95, format: formatDuration },
  tokens: {
    label: 'Tokens',
    of: (m: AgentMetrics) => m.input_tokens + m.output_tokens,
    format: formatCompact,
  },
  cost: { label: 'Cost', of: (m: AgentMetrics) => m.cost_usd, format: formatMoney },
};
type Measure = keyof typeof MEASURES;
const OPTIONS: readonly { value: Measure; label: string }[] = [
  { value: 'requests', label: 'Runs' },
  { value: 'latency', label: 'p95 latency' },
  { value: 'tokens', label: 'Tokens' },
  { value: 'cost', label: 'Cost' },
];

interface ComparisonChartProps {
  agents: readonly AgentStatus[];
  metrics: ReadonlyMap<string, AgentMetrics>;
  window: Window;
}

/** One measure of all agents beside each other. The cards hold the same figures as text. */
export const ComparisonChart = ({ agents, metrics, window }: ComparisonChartProps) => {
  const [measure, setMeasure] = useState<Measure>('requests');
  const { label, of, format } = MEASURES[measure];
  const names = useMemo(() => agents.map((agent) => agent.name), [agents]);
  const series = useMemo(() => {
    const values = agents.map((agent) => {
      const found = metrics.get(agent.id);
      return found === undefined ? null : of(found);
    });
    return [{ label, colour: '--accent', values }];
  }, [agents, metrics, label, of]);
  const nothing = metrics.size > 0 && series[0]?.values.every((value) => value === null || value === 0);

  return (
    <Panel
      title={`By agent, last ${window}`}
      actions={<Segments label="Measure" value={measure} options={OPTIONS} onChange={setMeasure} />}
    >
      <div className={styles.chart}>
        {names.length === 0 ? (
          <Skeleton height="15rem" />
        ) : nothing ? (
          <p className={styles.nothing}>
            Nothing was measured in this window. Ask an agent something, or choose a longer window.
          </p>
        ) : (
          <Suspense fallback={<Skeleton height="15rem" />}>
            <Chart
              label={`${label} of each agent in the last ${window}`}
              kind="bars"
              x={names}
              series={series}
              format={format}
              heightPx={240}
              whole={measure === 'requests' || measure === 'tokens'}
            />
          </Suspense>
        )}
      </div>
    </Panel>
  );
};
