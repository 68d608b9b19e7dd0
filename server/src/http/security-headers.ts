import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

export interface SecurityHeaders {
  /** For pages: all that helmet sets. */
  page: Readonly<Record<string, string>>;
  /** For answers of the API. */
  api: Readonly<Record<string, string>>;
}

/**
 * Of helmet's headers those that mean something for JSON and event streams: what may embed or sniff them, that nobody
 * stores them. The others speak of documents and of plug-ins long gone, and each header costs an answer more than its
 * validation.
 */
const FOR_API = [
  'content-security-policy',
  'cross-origin-resource-policy',
  'referrer-policy',
  'strict-transport-security',
  'x-content-type-options',
  'x-frame-options',
];

/**
 * Helmet's headers, made once by running it against an unsent response: they never differ between requests, and setting
 * them up for each costs as much as routing. The policy is that of an API; pages bring their own.
 */
export const securityHeaders = async (tls: boolean): Promise<SecurityHeaders> => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  const apply = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: tls ? { maxAge: 31_536_000, includeSubDomains: false } : false,
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  await new Promise<void>((resolve, reject) => {
    apply(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  const all = Object.entries(response.getHeaders()).map(
    ([name, value]) => [name.toLowerCase(), String(value)] as const,
  );
  return {
    page: Object.freeze(Object.fromEntries(all)),
    api: Object.freeze({
      ...Object.fromEntries(all.filter(([name]) => FOR_API.includes(name))),
      'cache-control': 'no-store',
    }),
  };
};
