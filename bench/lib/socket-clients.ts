import WebSocket from 'ws';

/** Clients of bench/realtime.ts in a process of their own, so that the server's memory is the server's alone. */

const [url = '', tokensText = '', countText = '0'] = process.argv.slice(2);
const tokens = tokensText.split(',');
const count = Number(countText);
const sockets: WebSocket[] = [];
const BATCH = 200;

const open = (n: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      headers: { authorization: `Bearer ${tokens[n % tokens.length]}` },
      perMessageDeflate: false,
      // One loopback address has too few ports for many sockets.
      localAddress: `127.0.0.${1 + Math.floor(n / 5_000)}`,
    });
    socket.once('message', () => {
      socket.on('message', (data: Buffer) => {
        const message: unknown = JSON.parse(data.toString());
        if (typeof message !== 'object' || message === null || !('payload' in message)) return;
        const { payload } = message;
        if (typeof payload !== 'object' || payload === null || !('sent_ms' in payload)) return;
        delays.push(performance.timeOrigin + performance.now() - Number(payload.sent_ms));
        if (delays.length === sockets.length) {
          process.send?.({ type: 'delays', delays: delays.splice(0) });
        }
      });
      resolve();
    });
    socket.once('error', reject);
    sockets.push(socket);
  });
const delays: number[] = [];

for (let n = 0; n < count; n += BATCH) {
  await Promise.all(Array.from({ length: Math.min(BATCH, count - n) }, (_, i) => open(n + i)));
}
process.send?.({ type: 'open' });
process.on('message', () => process.exit(0));
