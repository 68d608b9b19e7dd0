import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import fastify from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { openSse, type SseStream } from './sse.ts';

const MIB = 1024 * 1024;
const frame = `data: ${'x'.repeat(MIB - 8)}\n\n`;
const closers: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A stream over a real socket, and its reader, who has taken the head and nothing else yet. */
const open = async (): Promise<{ stream: SseStream; reader: net.Socket }> => {
  const opened = Promise.withResolvers<SseStream>();
  const app = fastify({ forceCloseConnections: true });
  app.get('/', (_, reply) => {
    const watch = { admit() {}, add: () => () => {}, open: () => 0, close() {} };
    opened.resolve(openSse(reply, { draining: false, watch, farewell: () => '' }));
    return reply;
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  closers.push(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const reader = net.connect(port, '127.0.0.1');
  closers.push(() => reader.destroy());
  reader.on('error', () => {});
  reader.pause();
  await once(reader, 'connect');
  reader.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const stream = await opened.promise;
  closers.push(() => stream.end());
  return { stream, reader };
};

describe('a stream of events', () => {
  it('cuts a reader off who leaves more than 16 MiB waiting, and says so to the writer', async () => {
    const { stream } = await open();
    const closed = new Promise<void>((resolve) => stream.onClose(resolve));
    let sent = 0;
    // In one turn of the loop: what the operating system takes meanwhile cannot make it more.
    while (sent < 64 && stream.send(frame)) sent += 1;
    expect(sent).toBeGreaterThanOrEqual(16);
    expect(sent).toBeLessThanOrEqual(24);
    await closed;
    expect([stream.closed, stream.send('data: more\n\n')]).toEqual([true, false]);
  });

  it('gives a reader who keeps up as much as there is, and one frame however large', async () => {
    const { stream, reader } = await open();
    let received = 0;
    reader.on('data', (bytes) => {
      received += bytes.length;
    });
    reader.resume();
    expect(stream.send(frame.repeat(20))).toBe(true);
    await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(20 * MIB);
    await stream.sendAll(Array.from({ length: 40 }, () => frame));
    await expect.poll(() => received, { timeout: 20_000 }).toBeGreaterThan(60 * MIB);
  });
});
