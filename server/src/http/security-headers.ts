import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * Helmet's headers, made once by running it against an unsent response: they never differ between requests, and setting
 * them up for each costs as much as routing. The policy is that of an API; pages bring their own.
 */
export const securityHeaders = async (tls: boolean): Promise<Readonly<Record<string, string>>> => {
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
  return Object.freeze(
    Object.fromEntries(Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)])),
  );
};
