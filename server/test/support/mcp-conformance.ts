import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Between the official conformance suite and `/mcp`: the suite knows no tokens, and calls the tools of its fixture by their
 * bare names. What is answered goes back as it is.
 */
export interface ConformanceProxy {
  url: string;
  close(): void;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
};

/** The name in the body and in the header that mirrors it. */
const renamed = (text: string, headers: OutgoingHttpHeaders, prefix: string): string => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text;
  }
  if (!isRecord(body) || body.method !== 'tools/call' || !isRecord(body.params)) return text;
  const { name } = body.params;
  if (typeof name !== 'string' || !name.startsWith('test_')) return text;
  if (headers['mcp-name'] === name) headers['mcp-name'] = `${prefix}${name}`;
  return JSON.stringify({ ...body, params: { ...body.params, name: `${prefix}${name}` } });
};

export const startConformanceProxy = async (
  target: string,
  token: string,
  prefix: string,
): Promise<ConformanceProxy> => {
  const own = new URL(target);
  const proxy = createServer((request, response) => {
    void (async () => {
      const headers: OutgoingHttpHeaders = { ...request.headers, authorization: `Bearer ${token}` };
      delete headers.host;
      delete headers['content-length'];
      // A page of this machine: the proxy's port stands for the server's.
      const { origin } = request.headers;
      if (origin !== undefined && URL.canParse(origin) && new URL(origin).port === port) {
        const same = new URL(origin);
        same.port = own.port;
        headers.origin = same.origin;
      }
      const body = renamed(await bodyOf(request), headers, prefix);
      const passed = httpRequest(own, { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      passed.on('error', () => response.destroy());
      response.once('close', () => passed.destroy());
      passed.end(body);
    })().catch(() => response.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const port = String((proxy.address() as AddressInfo).port);
  return {
    url: `http://localhost:${port}/mcp`,
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
};
