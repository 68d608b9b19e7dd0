import { EnvHttpProxyAgent, request } from 'undici';
import { textWithin } from '../../kernel/bounded-body.ts';
import { isSafeAddress } from './source.ts';

/** Getting files from the network, through the proxy that the environment names. */

export interface Answer {
  status: number;
  header(name: string): string | null;
  body: AsyncIterable<Buffer> & { dump(): Promise<void> };
}

export interface Fetcher {
  /** Follows redirects; never from TLS to a connection without it. */
  get(url: URL, headers: Record<string, string>): Promise<Answer>;
  text(url: URL, maxBytes: number): Promise<string>;
  close(): Promise<void>;
}

export interface Proxies {
  http: string | undefined;
  https: string | undefined;
  none: string | undefined;
}

const MAX_REDIRECTS = 8;
const SILENCE_MS = 60_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** As curl reads them; the names in capitals as well. */
export const proxiesOf = (env: Record<string, string | undefined>): Proxies => ({
  http: env.http_proxy ?? env.HTTP_PROXY,
  https: env.https_proxy ?? env.HTTPS_PROXY,
  none: env.no_proxy ?? env.NO_PROXY,
});

const refusal = (url: URL, status: number): string => {
  const where = `${url.origin}${url.pathname}`;
  if (status === 401 || status === 403) return `${where} is not given out to everybody (${status})`;
  if (status === 404) return `there is nothing at ${where} (404)`;
  return `${where} answered ${status}`;
};

/** An answer that another try would not change. */
export class RefusedAnswer extends Error {}

export const refuse = async (url: URL, answer: Answer): Promise<never> => {
  await answer.body.dump();
  const text = refusal(url, answer.status);
  throw answer.status >= 500 || answer.status === 429 ? new Error(text) : new RefusedAnswer(text);
};

export const createFetcher = (proxies: Proxies): Fetcher => {
  const dispatcher = new EnvHttpProxyAgent({
    httpProxy: proxies.http ?? '',
    httpsProxy: proxies.https ?? '',
    noProxy: proxies.none ?? '',
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    connect: { timeout: SILENCE_MS },
  });
  const get = async (first: URL, headers: Record<string, string>): Promise<Answer> => {
    let url = first;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const response = await request(url, {
        dispatcher,
        headers: { ...headers, 'accept-encoding': 'identity' },
      });
      const header = (name: string): string | null => {
        const value = response.headers[name];
        return (Array.isArray(value) ? value[0] : value) ?? null;
      };
      const location = header('location');
      if (!REDIRECTS.has(response.statusCode) || location === null)
        return { status: response.statusCode, header, body: response.body };
      await response.body.dump();
      const next = new URL(location, url);
      if (!isSafeAddress(next) || (url.protocol === 'https:' && next.protocol !== 'https:'))
        throw new RefusedAnswer(`${url.origin} sends on to ${next.origin}, which is not safe`);
      url = next;
    }
    throw new RefusedAnswer(`${first.origin} sends on too often`);
  };
  return {
    get,
    async text(url, maxBytes) {
      const answer = await get(url, {});
      if (answer.status !== 200) return refuse(url, answer);
      return textWithin(answer.body, maxBytes);
    },
    close: () => dispatcher.close(),
  };
};
