import { createHash, randomBytes } from 'node:crypto';

/** A browser without scripts: cookies by path, redirects on demand, forms read from the page. */
export interface Page {
  status: number;
  url: string;
  headers: Headers;
  text: string;
}

interface Cookie {
  value: string;
  path: string;
}

export const createBrowser = (origin: string) => {
  const cookies = new Map<string, Cookie>();

  const request = async (url: string, form?: Record<string, string>): Promise<Page> => {
    const target = new URL(url, origin);
    const sent = [...cookies]
      .filter(([, cookie]) => target.pathname.startsWith(cookie.path))
      .map(([name, cookie]) => `${name}=${cookie.value}`);
    const answer = await fetch(target, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', ...(sent.length > 0 ? { cookie: sent.join('; ') } : {}) },
      ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const equals = pair.indexOf('=');
      const name = pair.slice(0, equals);
      const value = pair.slice(equals + 1);
      const path = attributes.find((part) => part.toLowerCase().startsWith('path='))?.slice(5) ?? '/';
      if (value === '') cookies.delete(name);
      else cookies.set(name, { value, path });
    }
    return { status: answer.status, url: target.href, headers: answer.headers, text: await answer.text() };
  };

  /** Follows redirects as long as they stay on the origin; the last answer, whose `location` leads away if it does. */
  const follow = async (page: Page): Promise<Page> => {
    let current = page;
    for (let hops = 0; hops < 10; hops += 1) {
      const location = current.headers.get('location');
      if (location === null || new URL(location, origin).origin !== origin) return current;
      current = await request(location);
    }
    throw new Error('too many redirects');
  };

  return {
    cookies,
    request,
    open: async (url: string): Promise<Page> => follow(await request(url)),
    /** Sends the form of the page whose action ends in `name`, with its hidden fields and those given. */
    submit: async (page: Page, name: string, fields: Record<string, string> = {}): Promise<Page> => {
      const form = new RegExp(`<form[^>]*action="([^"]*/${name})"[^>]*>([\\s\\S]*?)</form>`).exec(page.text);
      if (!form?.[1] || form[2] === undefined)
        throw new Error(`no form ${name} on ${page.url}: ${page.text.slice(0, 500)}`);
      const hidden = [...form[2].matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
      const values = Object.fromEntries(hidden.map(([, key, value]) => [key ?? '', value ?? '']));
      return follow(await request(form[1], { ...values, ...fields }));
    },
  };
};

export type Browser = ReturnType<typeof createBrowser>;

export const newVerifier = (): string => randomBytes(32).toString('base64url');
export const challengeOf = (verifier: string): string =>
  createHash('sha256').update(verifier).digest('base64url');

export const CLI_REDIRECT = 'http://127.0.0.1:53682/callback';

export interface AuthorizeOptions {
  clientId?: string;
  redirectUri?: string;
  scope?: string;
  verifier?: string;
  extra?: Record<string, string>;
}

export const authorizeUrl = (origin: string, options: AuthorizeOptions = {}): string =>
  `${origin}/oauth/v2/authorize?${new URLSearchParams({
    client_id: options.clientId ?? 'pentarch-cli',
    redirect_uri: options.redirectUri ?? CLI_REDIRECT,
    response_type: 'code',
    scope: options.scope ?? 'openid profile email',
    state: 'state',
    ...(options.verifier === undefined
      ? {}
      : { code_challenge: challengeOf(options.verifier), code_challenge_method: 'S256' }),
    ...options.extra,
  })}`;

/** Signs in on the real page; the page at which the browser stands then. */
export const signInPage = async (
  browser: Browser,
  url: string,
  person: { email: string; password: string },
) => {
  let page = await browser.open(url);
  if (page.text.includes('/login"')) page = await browser.submit(page, 'login', person);
  if (page.text.includes('/consent"')) page = await browser.submit(page, 'consent');
  return page;
};

/** Signs in on the real page; the parameters with which the browser is sent back to the client. */
export const signIn = async (
  browser: Browser,
  url: string,
  person: { email: string; password: string },
): Promise<URLSearchParams> => {
  const page = await signInPage(browser, url, person);
  const location = page.headers.get('location');
  if (location === null) throw new Error(`not sent back: ${page.status} ${page.text.slice(0, 800)}`);
  return new URL(location).searchParams;
};

/** The token endpoint, with a form. */
export const tokenRequest = async (
  origin: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> => {
  const answer = await fetch(`${origin}/oauth/v2/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
  });
  const body: Record<string, unknown> = Object.fromEntries(Object.entries((await answer.json()) as object));
  return { status: answer.status, body, headers: answer.headers };
};
