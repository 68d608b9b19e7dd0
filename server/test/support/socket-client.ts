import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import WebSocket from 'ws';

export interface SocketMessage {
  type: string;
  id?: string;
  payload: Record<string, unknown>;
}

/** A client that keeps what it gets and waits for what a test expects. */
export const openSocket = (url: string, options: { token?: string; protocols?: string[] } = {}) => {
  const socket = new WebSocket(url, options.protocols ?? [], {
    headers: options.token === undefined ? {} : { authorization: `Bearer ${options.token}` },
    perMessageDeflate: false,
  });
  const messages: SocketMessage[] = [];
  const waiting = new Set<() => void>();
  let closed: { code: number; reason: string } | null = null;
  let failure: Error | null = null;
  const changed = (): void => {
    for (const wake of waiting) wake();
  };
  socket.on('open', changed);
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    // Each message of the service is JSON text; a browser gets binary ones as blobs.
    if (isBinary) failure = new Error('a binary message');
    else messages.push(JSON.parse(data.toString()) as SocketMessage);
    changed();
  });
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() };
    changed();
  });
  socket.on('error', (error) => {
    failure = error;
    changed();
  });

  const until = async <T>(find: () => T | null, what: string, timeoutMs = 10_000): Promise<T> => {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const found = find();
      if (found !== null) return found;
      const left = deadline - Date.now();
      if (left <= 0) {
        throw new Error(
          `no ${what}; closed: ${JSON.stringify(closed)}, failure: ${failure?.message}, messages: ${JSON.stringify(messages).slice(0, 500)}`,
        );
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, left);
        function done() {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        }
        waiting.add(done);
      });
    }
  };

  return {
    socket,
    messages,
    send: (type: string, payload?: unknown) => socket.send(JSON.stringify({ type, payload })),
    sendRaw: (data: string | Buffer) => socket.send(data),
    opened: () => until(() => (socket.readyState === WebSocket.OPEN ? true : null), 'open socket'),
    next: (type: string, matches: (m: SocketMessage) => boolean = () => true) =>
      until(() => messages.find((m) => m.type === type && matches(m)) ?? null, `message ${type}`),
    closed: () => until(() => closed, 'close', 20_000),
    failed: () => until(() => failure, 'failure'),
    isClosed: () => closed !== null,
    close: () => socket.terminate(),
  };
};
export type TestSocket = ReturnType<typeof openSocket>;

/** A client that speaks frames itself, for what a proper one would never send. */
export const openRaw = async (port: number, headers: Record<string, string> = {}) => {
  const socket: Socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let received = Buffer.alloc(0);
  let ended = false;
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
  });
  socket.on('close', () => {
    ended = true;
  });
  socket.on('error', () => {});
  const all: Record<string, string> = {
    host: `127.0.0.1:${port}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    ...headers,
  };
  const lines = Object.entries(all)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}: ${value}`);
  const until = async (test: () => boolean, what: string): Promise<void> => {
    const deadline = Date.now() + 10_000;
    while (!test()) {
      if (Date.now() > deadline)
        throw new Error(`no ${what}; received ${received.toString('latin1').slice(0, 300)}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    socket,
    async upgrade(method = 'GET', path = '/v2/ws'): Promise<{ status: number; head: string }> {
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
      await until(() => received.includes('\r\n\r\n') || ended, 'answer to the upgrade');
      const head = received.toString('latin1').split('\r\n\r\n')[0] ?? '';
      received = received.subarray(received.indexOf('\r\n\r\n') + 4);
      return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0), head };
    },
    write: (bytes: Buffer) => socket.write(bytes),
    /** Frames that came so far: opcode and payload. */
    frames(): { opcode: number; payload: Buffer }[] {
      const frames: { opcode: number; payload: Buffer }[] = [];
      let at = 0;
      while (at + 2 <= received.length) {
        const opcode = (received[at] ?? 0) & 0x0f;
        let length = (received[at + 1] ?? 0) & 0x7f;
        let header = 2;
        if (length === 126) {
          length = received.readUInt16BE(at + 2);
          header = 4;
        } else if (length === 127) {
          length = Number(received.readBigUInt64BE(at + 2));
          header = 10;
        }
        if (at + header + length > received.length) break;
        frames.push({ opcode, payload: received.subarray(at + header, at + header + length) });
        at += header + length;
      }
      return frames;
    },
    until,
    ended: () => ended,
    destroy: () => socket.destroy(),
  };
};

/** A client frame: masked unless a test wants it otherwise. */
export const frame = (
  first: number,
  payload: Buffer,
  options: { mask?: boolean; length64?: bigint } = {},
): Buffer => {
  const mask = options.mask ?? true;
  const bit = mask ? 0x80 : 0;
  const head =
    options.length64 !== undefined
      ? Buffer.concat([Buffer.from([first, bit | 127]), be64(options.length64)])
      : payload.length < 126
        ? Buffer.from([first, bit | payload.length])
        : payload.length < 65_536
          ? Buffer.from([first, bit | 126, payload.length >> 8, payload.length & 0xff])
          : Buffer.concat([Buffer.from([first, bit | 127]), be64(BigInt(payload.length))]);
  // A mask of zeros is a mask.
  return mask ? Buffer.concat([head, Buffer.alloc(4), payload]) : Buffer.concat([head, payload]);
};

const be64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
};
