import { useSyncExternalStore } from 'react';
import * as format from '../lib/format.ts';

/** Figures in tabular numerals; `title` has the exact value. Put them into right-aligned cells. */

export const Money = ({ usd }: { usd: number | null }) => (
  <span className="number" title={usd === null ? undefined : `${usd} US dollars`}>
    {format.formatMoney(usd)}
  </span>
);
export const Count = ({ value, compact = false }: { value: number | null; compact?: boolean }) => (
  <span className="number" title={value === null ? undefined : String(value)}>
    {compact ? format.formatCompact(value) : format.formatNumber(value)}
  </span>
);
export const Percent = ({ share }: { share: number | null }) => (
  <span className="number">{format.formatPercent(share)}</span>
);
export const Bytes = ({ size }: { size: number | null }) => (
  <span className="number" title={size === null ? undefined : `${size} bytes`}>
    {format.formatBytes(size)}
  </span>
);
export const Duration = ({ ms }: { ms: number | null }) => (
  <span className="number" title={ms === null ? undefined : `${ms} ms`}>
    {format.formatDuration(ms)}
  </span>
);

const TICK_MS = 30_000;
let nowMs = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
const tick = (): void => {
  nowMs = Date.now();
  for (const listener of listeners) listener();
};
/** One clock for the page: all times on it are told from the same moment, and a clock that stood still is set first. */
const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  if (listeners.size === 1) {
    timer = setInterval(tick, TICK_MS);
    tick();
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) clearInterval(timer);
  };
};

/** "3 minutes ago", kept up to date; the exact time in its tooltip. */
export const RelativeTime = ({ iso }: { iso: string | null }) => {
  const now = useSyncExternalStore(subscribe, () => nowMs);
  if (iso === null) return <span>{format.NO_DATA}</span>;
  const at = Date.parse(iso);
  // Since the last tick: it is not in the future, our `now` is from before it.
  const lately = at > now && at - now < TICK_MS;
  return (
    <time dateTime={iso} title={format.formatDateTime(iso)} className="number">
      {format.formatRelative(at, lately ? at : now)}
    </time>
  );
};
