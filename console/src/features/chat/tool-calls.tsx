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

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

const Block = ({ label, text }: { label: string; text: string }) => (
  <>
    <h4>{label}</h4>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys */}
    <pre tabIndex={0}>{text}</pre>
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
          <Block label="Arguments" text={shown(call.arguments)} />
          {call.error !== null && <Block label="Error" text={call.error} />}
          {call.result !== null && <Block label="Result" text={shown(call.result)} />}
        </details>
      </li>
    ))}
  </ul>
);
