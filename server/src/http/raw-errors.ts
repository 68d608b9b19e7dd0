import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { API_VERSION } from '../kernel/version.ts';
import { clientRequestId, contextOf, rewriteUrl } from './context.ts';
import { errorBody } from './error-body.ts';

const STATUS_TEXT: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
};

const fromSocketError = (code: string | undefined): AppError => {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError('HEADERS_TOO_LARGE', 'the request headers are larger than this server takes');
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new AppError('REQUEST_TIMEOUT', 'the request did not arrive in time');
  return new AppError('BAD_REQUEST', 'this is not a valid HTTP request');
};

/** Headers that every response carries, also those that never reach a route. Rate figures: nothing was counted. */
const baseHeaders = (requestId: string, freePerMinute: number, nowMs: number): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'x-api-version': API_VERSION,
  'x-request-id': requestId,
  'x-ratelimit-limit': String(freePerMinute),
  'x-ratelimit-remaining': String(freePerMinute),
  'x-ratelimit-reset': String(Math.ceil(nowMs / 1000) + 60),
  'cache-control': 'no-store',
  connection: 'close',
});

/** What can be told of a request that could not be read: its path, for the error's shape, and the client's id. */
const readHead = (packet: unknown): { path: string; requestId: string } => {
  const head = Buffer.isBuffer(packet) ? packet.subarray(0, 16_384).toString('latin1') : '';
  const target = /^[A-Z]+ +([^ \r\n]+)/i.exec(head)?.[1] ?? '/';
  const id = /\r?\nx-request-id: *([^\r\n]*)/i.exec(head)?.[1]?.trim();
  return { path: rewriteUrl(target), requestId: clientRequestId(id) ?? newId() };
};

/**
 * What the HTTP parser refuses before there is a request (bad request line, smuggling, header overflow, slow request):
 * the contract's body all the same.
 */
export const clientErrorHandler =
  (freePerMinute: number) =>
  (error: Error & { code?: string; rawPacket?: unknown }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const fault = fromSocketError(error.code);
    const { path, requestId } = readHead(error.rawPacket);
    const body = JSON.stringify(errorBody(fault, contextOf(path).shape, requestId));
    const headers = {
      ...baseHeaders(requestId, freePerMinute, Date.now()),
      'content-length': String(Buffer.byteLength(body)),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(
      `HTTP/1.1 ${fault.status} ${STATUS_TEXT[fault.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
    );
  };

/**
 * `Expect:` with anything but 100-continue, and `100-continue` for a body that no endpoint takes: that one is refused
 * before it is sent. Any other goes on to its route.
 */
export const answerExpectations = (
  server: Server,
  options: { freePerMinute: number; maxBodyBytes: number },
): void => {
  const refuse = (request: IncomingMessage, response: ServerResponse, fault: AppError): void => {
    const requestId = clientRequestId(request.headers['x-request-id']) ?? newId();
    const { shape } = contextOf(rewriteUrl(request.url ?? '/'));
    const body = JSON.stringify(errorBody(fault, shape, requestId));
    response.writeHead(fault.status, {
      ...baseHeaders(requestId, options.freePerMinute, Date.now()),
      'content-length': String(Buffer.byteLength(body)),
    });
    response.end(body);
  };
  // A proxy's method: this is none. Without a listener Node closes the socket without a word.
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const requestId = clientRequestId(request.headers['x-request-id']) ?? newId();
    const body = JSON.stringify(
      errorBody(new AppError('METHOD_NOT_ALLOWED', 'this server is no proxy'), 'A', requestId),
    );
    const headers = {
      ...baseHeaders(requestId, options.freePerMinute, Date.now()),
      allow: 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'content-length': String(Buffer.byteLength(body)),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(`HTTP/1.1 405 Method Not Allowed\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const message = 'this server knows no expectation but 100-continue';
    refuse(request, response, new AppError('EXPECTATION_FAILED', message));
  });
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers['content-length'] ?? 0) > options.maxBodyBytes) {
      refuse(request, response, new AppError('PAYLOAD_TOO_LARGE', 'no endpoint takes a body of this size'));
      return;
    }
    response.writeContinue();
    server.emit('request', request, response);
  });
};
