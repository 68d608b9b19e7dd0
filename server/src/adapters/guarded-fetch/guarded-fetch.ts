import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction, Socket } from 'node:net';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { type OutgoingHttp, OutgoingRefused } from '../../kernel/outgoing.ts';
import { isAllowedAddress, isAllowedHost } from './addresses.ts';

export interface GuardedFetchOptions {
  /** Also allows loopback and private networks; never link-local and metadata addresses. */
  allowPrivate: boolean;
  /** Refuses plain http. */
  requireHttps?: boolean;
  connectTimeoutMs?: number;
  /** Longest wait for the head of an answer; 0 = no limit of its own (the caller's signal decides). */
  headersTimeoutMs?: number;
  /** Longest silence inside a body; 0 = none. */
  bodyTimeoutMs?: number;
  /** Bytes of a body (of one event, in an event stream) after which it is cut off with an error (default 64 MiB). */
  maxBodyBytes?: number;
  /** Name resolution; tests put their own here. */
  lookup?: LookupFunction;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;

const PROTOCOL = /^https?:$/;
/** White space, control characters and backslashes are read differently by different parsers: refused, not repaired. */
const AMBIGUOUS = /[\s\\\u0000-\u001f\u007f]/;

/** Why `url` may not be called, or null. Decides by the text alone. */
export const checkOutgoingUrl = (
  url: string,
  options: { allowPrivate: boolean; requireHttps?: boolean },
): string | null => {
  if (AMBIGUOUS.test(url)) return 'must not hold white space or backslashes';
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return 'must be an http or https address';
  const parsed = new URL(url);
  if (!PROTOCOL.test(parsed.protocol)) return 'must be an http or https address';
  if (options.requireHttps && parsed.protocol !== 'https:') return 'must be an https address';
  if (parsed.username !== '' || parsed.password !== '') return 'must not hold a user name or password';
  if (parsed.port === '0') return 'must not use port 0';
  if (!isAllowedHost(parsed.hostname, options.allowPrivate)) {
    return 'must not point to a loopback, private, link-local or reserved address';
  }
  return null;
};

/** Hands on only those addresses that may be called, so that a name with mixed answers cannot lead inside. */
const guardedLookup =
  (lookup: LookupFunction, allowPrivate: boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 4);
      const all = Array.isArray(found) ? found : [{ address: found, family: found.includes(':') ? 6 : 4 }];
      const allowed = all.filter((entry) => isAllowedAddress(entry.address, allowPrivate));
      const first = allowed[0];
      if (first === undefined) {
        return callback(new OutgoingRefused('the name leads to an address that may not be called'), '', 4);
      }
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };

const systemLookupFunction: LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    callback(null, addresses);
  });
};

/** The last wall: what the socket is really connected to, before anything is sent on it. */
const guardedConnector = (options: GuardedFetchOptions): buildConnector.connector => {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs ?? 10_000,
    lookup: guardedLookup(options.lookup ?? systemLookupFunction, options.allowPrivate),
  });
  return (target, callback) => {
    if (!isAllowedHost(target.hostname, options.allowPrivate)) {
      return callback(new OutgoingRefused('this address may not be called'), null);
    }
    connect(target, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      const address: string | undefined = (socket satisfies Socket).remoteAddress;
      if (address === undefined || !isAllowedRemote(address, options.allowPrivate)) {
        socket.destroy();
        return callback(
          new OutgoingRefused('the connection went to an address that may not be called'),
          null,
        );
      }
      callback(null, socket);
    });
  };
};

/** Sockets of both families name IPv4 peers in the mapped form, which no address of a user may have. */
const isAllowedRemote = (address: string, allowPrivate: boolean): boolean =>
  isAllowedAddress(address.replace(/^::ffff:(?=\d+\.)/i, ''), allowPrivate);

/** Index after the last blank line, which ends an event of an event stream; 0 where there is none. */
const afterLastEvent = (chunk: Uint8Array): number => {
  for (let i = chunk.length - 1; i > 0; i--) {
    if (chunk[i] !== 10) continue;
    if (chunk[i - 1] === 10 || (chunk[i - 1] === 13 && chunk[i - 2] === 10)) return i + 1;
  }
  return 0;
};

/** Passes a body on and fails it once it (or one event of it) is longer than `maxBytes`. */
export const limitBody = (response: Response, maxBytes: number, byEvent: boolean): Response => {
  if (response.body === null) return response;
  let seen = 0;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const ended = byEvent ? afterLastEvent(chunk) : 0;
        seen = ended > 0 ? chunk.byteLength - ended : seen + chunk.byteLength;
        if (seen > maxBytes) controller.error(new Error(`the answer is larger than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(body, {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
  });
};

export const createGuardedFetch = (options: GuardedFetchOptions): OutgoingHttp & { dispatcher: Agent } => {
  const dispatcher = new Agent({
    connect: guardedConnector(options),
    headersTimeout: options.headersTimeoutMs ?? 30_000,
    bodyTimeout: options.bodyTimeoutMs ?? 30_000,
    keepAliveTimeout: 10_000,
  });
  return {
    dispatcher,
    check: (url) => checkOutgoingUrl(url, options),
    async fetch(url, init) {
      const reason = checkOutgoingUrl(String(url), options);
      if (reason !== null) throw new OutgoingRefused(`the address ${reason}`);
      // The package's own fetch goes with its own dispatcher; its types are those of the global one under other names.
      const call = undiciFetch as unknown as (
        target: string | URL,
        init: Omit<RequestInit, 'dispatcher'> & { dispatcher: Agent },
      ) => Promise<Response>;
      const response = await call(url, { ...init, redirect: 'manual', dispatcher });
      const isStream = /^text\/event-stream/i.test(response.headers.get('content-type') ?? '');
      return limitBody(response, options.maxBodyBytes ?? MAX_BODY_BYTES, isStream);
    },
    close: () => dispatcher.destroy(),
  };
};
