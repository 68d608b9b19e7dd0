import { Bot } from 'lucide-react';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { PageHead, Panel, Segments } from '../../components/surface.tsx';
import { useLiveRefresh } from '../../lib/live.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { AgentCard } from './agent-card.tsx';
import { AgentDrawer } from './agent-drawer.tsx';
import styles from './agents.module.css';
import { ComparisonChart } from './comparison-chart.tsx';
import { useAgents, useMetricsOfAll, WINDOWS, type Window } from './queries.ts';

interface State {
  window: Window;
  /** Id of the agent whose details are open. */
  agent: string | undefined;
}

const parse = (raw: Readonly<Record<string, unknown>>): State => ({
  window: WINDOWS.find((one) => one === raw.window) ?? '24h',
  agent: typeof raw.agent === 'string' ? raw.agent : undefined,
});

const WINDOW_OPTIONS = WINDOWS.map((value) => ({ value, label: value }));
const SKELETONS = Array.from({ length: 11 }, (_, index) => `card-${index}`);

const AgentsPage = () => {
  const [{ window, agent }, setState] = useUrlState(parse);
  const { data, error, refetch } = useAgents();
  const { byAgent: metrics, failed } = useMetricsOfAll(data ?? [], window);
  useLiveRefresh(['agent.'], ['agents']);
  const open = data?.find((one) => one.id === agent);

  return (
    <>
      <PageHead
        title="Agents"
        about="Who works here, in which state they are, and what was measured of their runs."
        actions={
          <Segments
            label="Window of the figures"
            value={window}
            options={WINDOW_OPTIONS}
            onChange={(next) => setState({ window: next })}
          />
        }
      />
      {data === undefined && error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <EmptyState icon={Bot} title="No agents">
          The server has none switched on. Look at its setting AGENTS_FILE.
        </EmptyState>
      )}
      {(data === undefined ? error === null : data.length > 0) && (
        <div className={styles.page}>
          <ul className={styles.cards}>
            {data === undefined
              ? SKELETONS.map((key) => (
                  <li key={key}>
                    <Skeleton height="9.6rem" />
                  </li>
                ))
              : data.map((one) => (
                  <li key={one.id}>
                    <AgentCard
                      agent={one}
                      metrics={metrics.get(one.id) ?? (failed ? null : undefined)}
                      onOpen={() => setState({ agent: one.id })}
                    />
                  </li>
                ))}
          </ul>
          <ComparisonChart agents={data ?? []} metrics={metrics} window={window} />
        </div>
      )}
      {data !== undefined && agent !== undefined && open === undefined && (
        <Panel>
          <ErrorState error={new Error(`No agent is called “${agent}”.`)} />
        </Panel>
      )}
      <AgentDrawer agent={open} onClose={() => setState({ agent: undefined })} />
    </>
  );
};

export default AgentsPage;
