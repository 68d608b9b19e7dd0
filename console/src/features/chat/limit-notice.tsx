import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useMay } from '../../lib/me.ts';
import styles from './chat.module.css';
import type { Limit } from './limits.ts';

/** Seconds up to a time, told anew each second; 0 when it is over. */
const useSecondsTo = (untilMs: number): number => {
  const left = (): number => Math.max(0, Math.ceil((untilMs - Date.now()) / 1000));
  const [seconds, setSeconds] = useState(left);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `left` reads the clock and `untilMs`
  useEffect(() => {
    const timer = setInterval(() => {
      setSeconds(left());
      if (left() === 0) clearInterval(timer);
    }, 1_000);
    setSeconds(left());
    return () => clearInterval(timer);
  }, [untilMs]);
  return seconds;
};

const Countdown = ({ untilMs, onOver }: { untilMs: number; onOver: () => void }) => {
  const seconds = useSecondsTo(untilMs);
  useEffect(() => {
    if (seconds === 0) onOver();
  }, [seconds, onOver]);
  return (
    <div className={styles.closed}>
      <span role="status">Too many messages at once; yours is below and can be sent again soon.</span>{' '}
      {/* Said once above, and not every second. */}
      <span className="number" aria-hidden="true">
        {seconds} s
      </span>
    </div>
  );
};

/** The API's messages begin small. */
const sentence = (text: string): string =>
  `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;

interface LimitNoticeProps {
  limit: Limit;
  /** The wait is over. */
  onOver: () => void;
}

export const LimitNotice = ({ limit, onOver }: LimitNoticeProps) => {
  const mayRead = useMay('costs:read');
  const mayManage = useMay('costs:manage');
  if (limit.kind === 'rate') return <Countdown untilMs={limit.untilMs} onOver={onOver} />;
  return (
    <div className={styles.closed} role="alert">
      <strong>A cost limit is reached.</strong> {sentence(limit.message)}{' '}
      {mayManage
        ? 'Raise it, or wait until its period is over. '
        : 'It resets with the next period, or an admin can raise it. '}
      {mayRead && <Link to="/costs">See costs and limits</Link>}
    </div>
  );
};
