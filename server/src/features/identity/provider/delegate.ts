import { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressAsAsked } from '../../../kernel/loopback.ts';
import { API_RESOURCE } from '../sessions/family-records.ts';
import type { Engine } from './plugin-options.ts';

/** The request again, with a body that has been read already: the library reads it from the stream itself. */
const withBody = (raw: IncomingMessage, body: unknown): IncomingMessage => {
  if (typeof body !== 'string') return raw;
  const again = new IncomingMessage(raw.socket);
  again.method = raw.method;
  again.url = raw.url;
  again.httpVersion = raw.httpVersion;
  again.httpVersionMajor = raw.httpVersionMajor;
  again.httpVersionMinor = raw.httpVersionMinor;
  again.headers = raw.headers;
  const bytes = Buffer.from(body);
  again.headers['content-length'] = String(bytes.length);
  // Else the end of reading would count as an abort and close the connection.
  again.complete = true;
  again.push(bytes);
  again.push(null);
  return again;
};

/**
 * Clients name the API by the address of what they call (RFC 8707; the MCP endpoint's protected resource metadata): to the
 * library it is one resource with one name.
 */
const withOwnResource = (parameters: string, isOwn: (resource: string) => boolean): string => {
  if (!parameters.includes('resource=')) return parameters;
  const all = new URLSearchParams(parameters);
  const resources = all.getAll('resource');
  if (!resources.some(isOwn)) return parameters;
  all.delete('resource');
  for (const resource of new Set(resources.map((each) => (isOwn(each) ? API_RESOURCE : each))))
    all.append('resource', resource);
  return all.toString();
};

/** Hands a request to the library. */
export type Delegate = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Headers that hooks have set go along; the policy of each page is the page's own. */
export const createDelegate = ({ engine, issuer }: { engine: Engine; issuer(): string }): Delegate => {
  const isOwn = (resource: string): boolean =>
    ['', '/', '/mcp'].some((tail) => {
      if (!URL.canParse(resource)) return false;
      return resource === `${addressAsAsked(new URL(resource).host, issuer())}${tail}`;
    });

  return async (request, reply) => {
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined && name !== 'content-security-policy') reply.raw.setHeader(name, value);
    }
    request.raw.headers['x-forwarded-for'] = request.ip;
    request.raw.headers['x-request-id'] = request.id;
    const { url = '/' } = request.raw;
    const query = url.indexOf('?');
    if (query >= 0)
      request.raw.url = `${url.slice(0, query)}?${withOwnResource(url.slice(query + 1), isOwn)}`;
    const body = typeof request.body === 'string' ? withOwnResource(request.body, isOwn) : request.body;
    await engine.handle(withBody(request.raw, body), reply.raw);
  };
};
