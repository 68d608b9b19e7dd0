import { ScrollText } from 'lucide-react';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { Panel } from '../../components/surface.tsx';
import { formatDateTime } from '../../lib/format.ts';
import styles from './mcp.module.css';
import { useLogs } from './queries.ts';

const time = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });

/** What the server wrote to its standard error, and what happened to its connection. */
export const ServerLog = ({ name }: { name: string }) => {
  const { data, error, refetch } = useLogs(name);
  return (
    <Panel title="Log" flush>
      {data === undefined ? (
        error === null ? (
          <Skeleton height="12rem" />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )
      ) : data.items.length === 0 ? (
        <EmptyState icon={ScrollText} title="Nothing written yet">
          What the server writes to its standard error, and notices about its connection, stand here.
        </EmptyState>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus to be scrolled by keys
        <ol className={styles.log} tabIndex={0} aria-label="Lines, newest last">
          {data.items.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing of their own
            <li key={`${line.at}-${index}`}>
              <time dateTime={line.at} title={formatDateTime(line.at)}>
                {time.format(new Date(line.at))}
              </time>
              <span>{line.source === 'stderr' ? 'stderr' : 'notice'}</span>
              <span>{line.text}</span>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
};
