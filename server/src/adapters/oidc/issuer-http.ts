import { textWithin } from '../../kernel/bounded-body.ts';
import type { IssuerHttp } from '../../kernel/issuer.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** RFC 6749, 2.3.1: both parts are form-encoded before they are joined. */
const formEncode = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);

/** Over `fetch`: no redirects, a time limit, bounded answers. */
export const createIssuerHttp = (options: {
  issuer: string;
  clientId: string;
  clientSecret: string;
}): IssuerHttp => {
  const request = async (url: string, init: RequestInit): Promise<Record<string, unknown>> => {
    const answer = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await textWithin(answer.body, MAX_BYTES);
    if (!answer.ok)
      throw new Error(`the identity provider answered ${answer.status} at ${new URL(url).pathname}`);
    const body: unknown = JSON.parse(text);
    if (!isObject(body)) throw new Error('the identity provider did not answer with an object');
    return body;
  };
  const accept = { accept: 'application/json' };
  const credentials = Buffer.from(
    `${formEncode(options.clientId)}:${formEncode(options.clientSecret)}`,
  ).toString('base64');

  return {
    discovery: () =>
      request(`${options.issuer.replace(/(?<!\/)\/+$/, '')}/.well-known/openid-configuration`, {
        headers: accept,
      }),
    async keys(uri) {
      const { keys } = await request(uri, { headers: accept });
      if (!Array.isArray(keys)) throw new Error('the key set of the identity provider has no keys');
      return keys;
    },
    introspect: (uri, token) =>
      request(uri, {
        method: 'POST',
        headers: { ...accept, authorization: `Basic ${credentials}` },
        body: new URLSearchParams({ token }),
      }),
  };
};
