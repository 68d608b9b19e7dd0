import { Code } from '../../components/code.tsx';
import { Duration, Money } from '../../components/figures.tsx';
import { StatusPill, type Tone } from '../../components/surface.tsx';
import styles from './chat.module.css';
import type { Turn } from './thread.ts';

const TONES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  failed: 'bad',
  denied: 'bad',
  awaiting_approval: 'warn',
  unknown: 'warn',
};

const Block = ({ label, value }: { label: string; value: unknown }) => (
  <>
    <h4>{label}</h4>
    <Code value={value} />
  </>
);

/** What the agents did on the way, folded: the line says which tool, how it ended, how long and for how much. */
export const ToolCalls = ({ tools }: { tools: Turn['tools'] }) => (
  <ul className={styles.tools}>
    {tools.map(({ call, running }) => (
      <li key={call.id}>
        <details className={styles.tool}>
          <summary>
            <code>
              {call.server}.{call.name}
            </code>
            <StatusPill tone={running ? 'accent' : (TONES[call.status] ?? 'neutral')}>
              {running ? 'running' : call.status.replaceAll('_', ' ')}
            </StatusPill>
            {!running && (
              <span className={styles.meta}>
                <Duration ms={call.duration_ms} />
                {call.cost_usd > 0 && (
                  <>
                    {' · '}
                    <Money usd={call.cost_usd} />
                  </>
                )}
              </span>
            )}
          </summary>
          <Block label="Arguments" value={call.arguments} />
          {call.error !== null && <Block label="Error" value={call.error} />}
          {call.result !== null && <Block label="Result" value={call.result} />}
        </details>
      </li>
    ))}
  </ul>
);
