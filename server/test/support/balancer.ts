import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';

/** Sends each request (and each WebSocket) to another node, in turn: nothing a client needs may stand in one process. */
export interface Balancer {
  readonly url: string;
  /** Base addresses of the nodes; may change at any time. */
  targets: string[];
  close(): Promise<void>;
}

const closeServer = (server: { close(done: () => void): unknown }): Promise<void> =>
  new Promise((resolve) => server.close(() => resolve()));

export const startBalancer = async (): Promise<Balancer> => {
  let turn = 0;
  const balancer = { url: '', targets: [] as string[] };
  const next = (): URL | null => {
    turn += 1;
    const target = balancer.targets[turn % balancer.targets.length];
    return target === undefined ? null : new URL(target);
  };
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const node = next();
    if (node === null) {
      outgoing.writeHead(502).end('no node behind the balancer');
      return;
    }
    const forward = httpRequest(
      {
        hostname: node.hostname,
        port: node.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
        agent: false,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
        answer.on('aborted', () => outgoing.destroy());
      },
    );
    forward.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    });
    outgoing.on('close', () => forward.destroy());
    incoming.pipe(forward);
  });
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const node = next();
    if (node === null) {
      socket.destroy();
      return;
    }
    const target = connect(Number(node.port), node.hostname, () => {
      const lines: string[] = [`${incoming.method} ${incoming.url} HTTP/1.1`];
      for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
        lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
      }
      target.write(`${lines.join('\r\n')}\r\n\r\n`);
      if (head.length > 0) target.write(head);
      target.pipe(socket);
      socket.pipe(target);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
    target.on('close', () => socket.destroy());
    socket.on('close', () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  balancer.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(balancer, {
    async close() {
      for (const socket of sockets) socket.destroy();
      await closeServer(server);
    },
  });
};

/** A way to a service that can be cut: connections break and new ones are refused until it is mended. */
export interface Gate {
  readonly port: number;
  cut(): Promise<void>;
  /** Connections stay and new ones are taken, but nothing passes any more: a machine that is gone without a word. */
  freeze(): void;
  /** After either: everything passes again. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

export const startGate = async (host: string, targetPort: number): Promise<Gate> => {
  const open = new Set<Socket>();
  /** Ways that are open, each from one socket to another. */
  const ways = new Map<Socket, Socket>();
  let isFrozen = false;
  const make = (): Server =>
    createTcpServer((client) => {
      const target = connect(targetPort, host);
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        open.add(from);
        ways.set(from, to);
        if (isFrozen) from.pause();
        else from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          open.delete(from);
          ways.delete(from);
          to.destroy();
        });
      }
    });
  let server = make();
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = async (): Promise<void> => {
    const closed = closeServer(server);
    for (const socket of open) socket.destroy();
    await closed;
  };
  let isCut = false;
  return {
    port,
    async cut() {
      if (isCut) return;
      isCut = true;
      await cut();
    },
    freeze() {
      isFrozen = true;
      for (const [from, to] of ways) {
        from.unpipe(to);
        from.pause();
      }
    },
    async mend() {
      if (isFrozen) {
        isFrozen = false;
        for (const [from, to] of ways) from.pipe(to);
      }
      if (!isCut) return;
      isCut = false;
      server = make();
      await listen(port);
    },
    async close() {
      if (!isCut) await cut();
    },
  };
};
