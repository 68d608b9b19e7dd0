import type { AgentMetrics, AgentStatus } from 'pentarch-sdk';
import type { ReactNode } from 'react';
import { Count, Duration, Money, Percent } from '../../components/figures.tsx';
import { Skeleton } from '../../components/states.tsx';
import { AgentAvatar } from '../../components/surface.tsx';
import styles from './agents.module.css';
import { StatePill } from './state-pill.tsx';

const Figure = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className={styles.figure}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

interface AgentCardProps {
  agent: AgentStatus;
  /** undefined while they are read, null where they could not be. */
  metrics: AgentMetrics | null | undefined;
  onOpen: () => void;
}

export const AgentCard = ({ agent, metrics, onOpen }: AgentCardProps) => (
  <article className={styles.card} data-disabled={!agent.enabled || undefined}>
    <header className={styles.cardHead}>
      <AgentAvatar id={agent.id} name={agent.name} />
      <div className={styles.cardName}>
        <h2>
          <button type="button" className={styles.open} onClick={onOpen}>
            {agent.name}
          </button>
        </h2>
        <span>{agent.domain.replaceAll('_', ' ')}</span>
      </div>
      <StatePill state={agent.state} />
    </header>
    <dl className={styles.figures}>
      {metrics === undefined ? (
        <Skeleton height="2.6rem" />
      ) : (
        <>
          <Figure label="Runs">
            <Count value={metrics?.requests ?? null} compact />
          </Figure>
          <Figure label="Success">
            <Percent share={metrics?.success_rate ?? null} />
          </Figure>
          <Figure label="p95">
            <Duration ms={metrics?.latency_ms.p95 ?? null} />
          </Figure>
          <Figure label="Cost">
            <Money usd={metrics?.cost_usd ?? null} />
          </Figure>
        </>
      )}
    </dl>
  </article>
);
