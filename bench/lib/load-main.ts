/** The load generator's process: takes one `LoadJob` by message, answers `{result}` or `{error}`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type Dispatcher } from 'undici';
import { cpuSeconds } from './cpu.ts';
import type { LoadJob, LoadResult } from './load.ts';

const TIMEOUT_MS = 30_000;
/** A server that answers wrongly so often is not worth measuring further. */
const MAX_FAILURES = 20;

interface Answer {
  failure?: string;
  latencyMs: number;
  firstTokenMs?: number;
}

/** Sends one request and reads its answer to the last byte. Never rejects. */
const ask = (client: Client, job: LoadJob, path: string, body: string | undefined): Promise<Answer> =>
  new Promise((done) => {
    const startedAt = performance.now();
    const parts: Buffer[] = [];
    let status = 0;
    let firstTokenMs: number | undefined;
    const end = (failure?: string): void =>
      done({ failure, latencyMs: performance.now() - startedAt, firstTokenMs });
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => {},
      onResponseStart: (_controller, statusCode) => {
        status = statusCode;
      },
      onResponseData: (_controller, bytes) => {
        parts.push(bytes);
        if (job.mark === undefined || firstTokenMs !== undefined) return;
        if (bytes.includes(job.mark)) firstTokenMs = performance.now() - startedAt;
      },
      onResponseEnd: () => {
        const whole = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
        if (status < 200 || status > 299) end(`status ${status}: ${whole.toString('utf8', 0, 300)}`);
        else if (!whole.includes(job.expect))
          end(`no "${job.expect}" in the answer: ${whole.subarray(-300)}`);
        else if (job.mark !== undefined && firstTokenMs === undefined) end(`no "${job.mark}" in the answer`);
        else end();
      },
      onResponseError: (_controller, error) => end(String(error)),
    };
    client.dispatch({ method: job.method, path, headers: job.headers, body }, handler);
  });

const runJob = async (job: LoadJob): Promise<LoadResult> => {
  const { origin, pathname, search } = new URL(job.url);
  const result: LoadResult = {
    requests: 0,
    failures: 0,
    seconds: 0,
    cpuSeconds: 0,
    latenciesMs: [],
    firstTokensMs: [],
  };
  let running = true;
  let counting = false;
  let sent = 0;
  const over = Promise.withResolvers<void>();
  const end = (): void => {
    running = false;
    over.resolve();
  };

  const count = (answer: Answer): void => {
    if (answer.failure !== undefined) {
      result.failures++;
      result.firstFailure ??= answer.failure;
      if (result.failures >= MAX_FAILURES) end();
      return;
    }
    if (!counting) return;
    result.requests++;
    result.latenciesMs.push(answer.latencyMs);
    if (answer.firstTokenMs !== undefined) result.firstTokensMs.push(answer.firstTokenMs);
  };

  const loop = async (index: number): Promise<void> => {
    const client = new Client(origin, { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS });
    if (job.spreadMs > 0) await sleep((job.spreadMs * index) / job.connections);
    while (running) {
      if (sent++ >= job.maxRequests) {
        end();
        break;
      }
      count(await ask(client, job, pathname + search, job.body?.replace('%n', String(sent))));
    }
    await client.close();
  };

  const loops = Array.from({ length: job.connections }, (_, index) => loop(index));
  await Promise.race([sleep(job.spreadMs + job.warmMs), over.promise]);
  const openedAt = performance.now();
  const cpuBefore = cpuSeconds(job.pid);
  counting = true;
  await Promise.race([sleep(job.windowMs), over.promise]);
  counting = false;
  result.cpuSeconds = cpuSeconds(job.pid) - cpuBefore;
  result.seconds = (performance.now() - openedAt) / 1000;
  end();
  await Promise.all(loops);
  return result;
};

process.on('message', (message) => {
  runJob(message as LoadJob).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
