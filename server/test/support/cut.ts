import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A network that can be cut: a TCP port in front of a server. Cut, every connection is reset and new ones are refused, as
 * by a machine that is gone; restored, the same port is there again.
 */
export interface Cuttable {
  readonly url: string;
  /** Where it leads; set before the first connection. */
  target: string;
  cut(): Promise<void>;
  restore(): Promise<void>;
  /** From now on at most this many bytes of a connection's requests pass, until `pass`; connections stay open. */
  hold(maxBytes: number): void;
  pass(): void;
  close(): Promise<void>;
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });

export const startCuttable = async (): Promise<Cuttable> => {
  const sockets = new Set<Socket>();
  let heldBytes = Number.POSITIVE_INFINITY;
  const waiting = new Set<Socket>();
  const network = { target: '' };

  const track = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      waiting.delete(socket);
      other.destroy();
    });
  };
  const accept = (client: Socket): void => {
    const { hostname, port } = new URL(network.target);
    const server = connect(Number(port), hostname);
    track(client, server);
    track(server, client);
    let sentBytes = 0;
    client.on('data', (chunk: Buffer) => {
      sentBytes += chunk.length;
      if (!server.write(chunk)) {
        client.pause();
        server.once('drain', () => {
          if (!waiting.has(client)) client.resume();
        });
      }
      if (sentBytes >= heldBytes) {
        client.pause();
        waiting.add(client);
      }
    });
    client.on('end', () => server.end());
    server.pipe(client);
  };

  let door = createServer(accept);
  await listen(door, 0);
  const { port } = door.address() as AddressInfo;
  let isOpen = true;
  const cut = async (): Promise<void> => {
    if (!isOpen) return;
    isOpen = false;
    const closed = new Promise<void>((resolve) => door.close(() => resolve()));
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    get target() {
      return network.target;
    },
    set target(url: string) {
      network.target = url;
    },
    cut,
    async restore() {
      if (isOpen) return;
      door = createServer(accept);
      await listen(door, port);
      isOpen = true;
    },
    hold(maxBytes) {
      heldBytes = maxBytes;
    },
    pass() {
      heldBytes = Number.POSITIVE_INFINITY;
      for (const socket of waiting) socket.resume();
      waiting.clear();
    },
    close: cut,
  };
};
