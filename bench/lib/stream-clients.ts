/**
 * Readers of live streams, in a process of their own: `node bench/lib/stream-clients.ts URL HEADERS BODY COUNT RAMP_MS FIRST LAST TIMEOUT_MS`.
 * Begins COUNT streams, spread evenly over RAMP_MS, reads each to its end, and sends one message with what it saw to its parent.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface StreamTimes {
  /** Milliseconds from the request to the first token; null where none came. */
  firstMs: number | null;
  /** To the last token; null where the answer did not come to its end. */
  lastMs: number | null;
}

const [
  url = '',
  headers = '{}',
  body = '',
  count = '0',
  rampMs = '0',
  first = '',
  last = '',
  timeoutMs = '0',
] = process.argv.slice(2);
const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });

const read = (): Promise<StreamTimes> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const times: StreamTimes = { firstMs: null, lastMs: null };
    // The last token may be split over two reads.
    let tail = '';
    const call = request(
      url,
      { method: 'POST', agent, headers: JSON.parse(headers) as Record<string, string> },
      (response) => {
        response.on('data', (part: Buffer) => {
          const text = tail + part.toString('latin1');
          const now = performance.now() - startedAt;
          if (times.firstMs === null && text.includes(first)) times.firstMs = now;
          if (text.includes(last)) times.lastMs = now;
          tail = text.slice(-64);
        });
      },
    );
    const timer = setTimeout(() => call.destroy(), Number(timeoutMs));
    call.on('error', () => {});
    call.on('close', () => {
      clearTimeout(timer);
      resolve(times);
    });
    call.end(body);
  });

const total = Number(count);
const streams: Promise<StreamTimes>[] = [];
const startedAt = performance.now();
for (let n = 0; n < total; n++) {
  const dueMs = (Number(rampMs) * n) / total;
  const waitMs = dueMs - (performance.now() - startedAt);
  if (waitMs > 1) await sleep(waitMs);
  streams.push(read());
}
process.send?.({ type: 'begun' });
process.send?.({ type: 'times', times: await Promise.all(streams) });
process.disconnect?.();
