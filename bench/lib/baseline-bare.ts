/** Baseline "bare": node:http answering a fixed small JSON body. The ceiling of any server on this runtime. */
import { createServer } from 'node:http';
import { announce, portOf } from './serve.ts';

const server = createServer({ keepAliveTimeout: 60_000 }, (_request, response) => {
  const body = JSON.stringify({ hello: 'world' });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => announce(portOf(server.address()), () => server.close()));
