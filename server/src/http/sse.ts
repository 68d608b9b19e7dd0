import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { AppError } from '../kernel/errors.ts';
import type { StreamWatch } from './stream-watch.ts';

/** Unsent bytes after which a slow reader is cut off; it can resume with Last-Event-ID (contract, section 5). */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;
const GATHERED_UNITS = 64 * 1024;

const drained = (raw: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      raw.off('drain', go);
      raw.off('close', go);
      resolve();
    };
    raw.once('drain', go);
    raw.once('close', go);
  });

export interface SseStream {
  /** Sends whole frames (`id: …\nevent: …\ndata: …\n\n`). False once the reader is gone. */
  send(frames: string): boolean;
  /** Sends all of them as fast as the reader takes them, then ends. Never rejects. */
  sendAll(frames: Iterable<string>): Promise<void>;
  end(): void;
  /** Aborted when the reader went away or was too slow. */
  readonly closed: boolean;
  onClose(listener: () => void): void;
}

export interface SseOptions {
  draining: boolean;
  watch: StreamWatch;
  /** Last frames for a reader who has lost the right to read. Without an id: what follows is not of this stream. */
  farewell(fault: AppError): string;
}

/**
 * Takes the reply over as an event stream with all headers set so far. A comment every 15 s keeps proxies awake, and
 * `connection: close` while draining lets the shutdown finish.
 */
export const openSse = (reply: FastifyReply, options: SseOptions): SseStream => {
  const { raw } = reply;
  const headers = reply.getHeaders();
  reply.hijack();
  raw.writeHead(200, {
    ...(headers as Record<string, string | number | string[]>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...(options.draining ? { connection: 'close' } : {}),
  });
  let closed = false;
  const listeners: (() => void)[] = [];
  const heartbeat = setInterval(() => {
    if (raw.writableLength === 0) raw.write(': keep-alive\n\n');
  }, HEARTBEAT_MS);
  const close = (): void => {
    clearInterval(heartbeat);
    unwatch();
    if (closed) return;
    closed = true;
    for (const listener of listeners) listener();
  };
  const unwatch = options.watch.add(reply.request, (fault) => {
    if (closed || raw.writableEnded) return;
    raw.end(options.farewell(fault));
    close();
  });
  raw.on('close', close);
  return {
    send(frames) {
      if (closed) return false;
      // What waits counts, and not what comes now: one large frame reaches a reader who keeps up.
      if (raw.writableLength > MAX_WAITING_BYTES) raw.destroy();
      else raw.write(frames);
      return !closed && !raw.destroyed;
    },
    async sendAll(frames) {
      let gathered = '';
      for (const frame of frames) {
        gathered += frame;
        if (gathered.length < GATHERED_UNITS) continue;
        if (!this.send(gathered)) return;
        gathered = '';
        if (raw.writableNeedDrain) await drained(raw);
      }
      this.send(gathered);
      this.end();
    },
    end() {
      clearInterval(heartbeat);
      unwatch();
      if (!closed) raw.end();
    },
    get closed() {
      return closed;
    },
    onClose(listener) {
      if (closed) listener();
      else listeners.push(listener);
    },
  };
};
