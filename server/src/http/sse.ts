import type { FastifyReply } from 'fastify';

/** Unsent bytes after which a slow reader is cut off; it can resume with Last-Event-ID (contract, section 5). */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;

export interface SseStream {
  /** Sends whole frames (`id: …\nevent: …\ndata: …\n\n`). False once the reader is gone. */
  send(frames: string): boolean;
  end(): void;
  /** Aborted when the reader went away or was too slow. */
  readonly closed: boolean;
  onClose(listener: () => void): void;
}

/**
 * Takes the reply over as an event stream with all headers set so far. A comment every 15 s keeps proxies awake, and
 * `connection: close` while draining lets the shutdown finish.
 */
export const openSse = (reply: FastifyReply, options: { draining: boolean }): SseStream => {
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
  raw.on('close', () => {
    clearInterval(heartbeat);
    closed = true;
    for (const listener of listeners) listener();
  });
  return {
    send(frames) {
      if (closed) return false;
      raw.write(frames);
      if (raw.writableLength > MAX_WAITING_BYTES) raw.destroy();
      return !closed;
    },
    end() {
      clearInterval(heartbeat);
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
