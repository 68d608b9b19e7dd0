import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../../http/context.ts';
import type { Authenticate } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import { AppError, unauthorized } from '../../kernel/errors.ts';
import type { Admission, Hub } from './hub.ts';

/** The subprotocol that is chosen where it is offered; the token's own is echoed otherwise, as browsers require one. */
const SUBPROTOCOL = 'pentarch.v2';
const TOKEN_PROTOCOL = 'bearer.';
const HTTP_TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** Which of the offered subprotocols the answer names. */
export const chosenProtocol = (offered: ReadonlySet<string>): string | false => {
  if (offered.has(SUBPROTOCOL)) return SUBPROTOCOL;
  for (const protocol of offered) if (protocol.startsWith(TOKEN_PROTOCOL)) return protocol;
  return false;
};

const protocolsOf = (request: FastifyRequest): string[] =>
  String(request.headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((part) => part.trim());

/** The token of the upgrade request: header, or subprotocol `bearer.<token>`. Null: the first message brings it. */
const tokenOf = (request: FastifyRequest): string | null => {
  const header = bearerToken(request);
  if (header !== null) return header;
  const offered = protocolsOf(request).find((protocol) => protocol.startsWith(TOKEN_PROTOCOL));
  return offered?.slice(TOKEN_PROTOCOL.length) ?? null;
};

/** Throws for a request that is no upgrade to a WebSocket (RFC 6455, section 4.2.1). */
const checkUpgrade = (request: FastifyRequest): void => {
  if (!request.ws) {
    throw new AppError('UPGRADE_REQUIRED', 'this path is a WebSocket', {
      headers: { upgrade: 'websocket', connection: 'upgrade' },
    });
  }
  if (request.headers['sec-websocket-version'] !== '13') {
    throw new AppError('UPGRADE_REQUIRED', 'this server speaks WebSocket version 13', {
      headers: { 'sec-websocket-version': '13', upgrade: 'websocket' },
    });
  }
  if (!/^[A-Za-z0-9+/]{22}==$/.test(String(request.headers['sec-websocket-key'] ?? ''))) {
    throw new AppError('BAD_REQUEST', 'Sec-WebSocket-Key is missing or malformed');
  }
  if (request.headers['sec-websocket-protocol'] === undefined) return;
  const offered = protocolsOf(request);
  if (!offered.every((one) => HTTP_TOKEN.test(one)) || new Set(offered).size !== offered.length) {
    throw new AppError('BAD_REQUEST', 'Sec-WebSocket-Protocol is malformed');
  }
};

interface Proved {
  caller: Caller;
  token: string;
}

export interface Handshake {
  /** Before the upgrade: refusals are ordinary HTTP errors. */
  check(request: FastifyRequest): Promise<void>;
  /** What `check` has found, for the socket that is open now. */
  take(request: FastifyRequest): { admission: Admission | null; proved: Proved | null };
}

export const createHandshake = (hub: Hub, authenticate: Authenticate): Handshake => {
  /** What the handshake has proved, until the socket is open. */
  const proved = new WeakMap<FastifyRequest, Proved>();
  const admitted = new WeakMap<FastifyRequest, Admission>();

  return {
    async check(request) {
      checkUpgrade(request);
      const token = tokenOf(request);
      if (token === '') throw unauthorized('TOKEN_INVALID', 'the token is empty');
      const who = token === null ? null : { caller: await authenticate(token), token };
      const admission = hub.admit(request.ip, who?.caller ?? null);
      // The socket of the request is the WebSocket's own: it ends with it, or with a handshake that came to nothing.
      request.raw.socket.once('close', admission.ended);
      admitted.set(request, admission);
      if (who !== null) proved.set(request, who);
    },
    take(request) {
      const who = proved.get(request) ?? null;
      proved.delete(request);
      return { admission: admitted.get(request) ?? null, proved: who };
    },
  };
};
