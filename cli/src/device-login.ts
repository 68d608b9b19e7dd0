import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from './context.ts';
import { CliError } from './errors.ts';
import type { Credentials } from './profiles.ts';
import { sessionOf } from './sign-in.ts';
import { oneLine } from './text.ts';

/** Sign-in by a page on another device (RFC 8628), for machines without a browser. */

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const ASKING_MS = 30_000;
/** RFC 8628, 3.2: where the provider says nothing. */
const INTERVAL_S = 5;
/** RFC 8628, 3.5: what `slow_down` adds. */
const SLOWER_S = 5;
/** Between two questions while the provider does not answer as it should. */
const SLOWEST_S = 60;
/** RFC 8628, 3.2: a provider has to say it; ten minutes where one does not. */
const LIFE_S = 600;

type Fields = Record<string, unknown>;

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (fields: Fields, name: string): string => {
  const value = fields[name];
  if (typeof value !== 'string' || value === '')
    throw new CliError(`the identity provider did not say its ${name}`, 10, null, 'PROTOCOL');
  return value;
};
const secondsOf = (fields: Fields, name: string, otherwise: number): number => {
  const value = fields[name];
  return typeof value === 'number' && value > 0 ? value : otherwise;
};

interface Answer {
  ok: boolean;
  status: number;
  /** What it says of when to ask again; 0 where it says nothing. */
  retryAfterS: number;
  fields: Fields;
}

const fieldsIn = (text: string): Fields => {
  try {
    const said: unknown = JSON.parse(text);
    return isRecord(said) ? said : {};
  } catch {
    return {};
  }
};

const ask = async (url: string, signal: AbortSignal, form?: Record<string, string>): Promise<Answer> => {
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASKING_MS)]),
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    text = await answer.text();
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CliError(`${new URL(url).origin} does not answer`, 11, null, 'UNREACHABLE');
  }
  const retryAfterS = Number(answer.headers.get('retry-after') ?? 0);
  return {
    ok: answer.ok,
    status: answer.status,
    retryAfterS: Number.isFinite(retryAfterS) ? retryAfterS : 0,
    fields: fieldsIn(text),
  };
};

const refusal = ({ status, fields }: Answer): CliError => {
  const error = typeof fields.error === 'string' ? fields.error : `HTTP ${status}`;
  const why = typeof fields.error_description === 'string' ? `: ${fields.error_description}` : '';
  return new CliError(`the sign-in was refused (${error}${why})`, status >= 500 ? 10 : 3);
};

const EXPIRED = 'the code has expired: begin again with "pentarch login --device"';
const REFUSED: ReadonlyMap<unknown, string> = new Map([
  ['access_denied', 'the sign-in was refused'],
  ['expired_token', EXPIRED],
]);

/** One question; null where it came to nothing that another one later could not mend. */
const poll = async (asked: Promise<Answer>): Promise<Answer | null> => {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CliError && error.code === 'UNREACHABLE') return null;
    throw error;
  }
};

interface Polling {
  readonly intervalS: number;
  readonly lifeS: number;
  now(): number;
}

/** Asks until the person has answered on the page, or the code has expired (RFC 8628, 3.5). */
const fetchTokens = async (
  url: string,
  form: Record<string, string>,
  { intervalS, lifeS, now }: Polling,
  signal: AbortSignal,
): Promise<Fields> => {
  const end = now() + lifeS * 1000;
  let waitS = intervalS;
  let told = 0;
  for (;;) {
    const left = end - now();
    await pause(Math.min(Math.max(waitS, told) * 1000, Math.max(left, 0)), undefined, { signal });
    if (left <= 0) throw new CliError(EXPIRED, 3);
    const answer = await poll(ask(url, signal, form));
    told = answer?.retryAfterS ?? 0;
    if (answer === null || answer.status === 429 || answer.status >= 500) {
      waitS = Math.max(waitS, Math.min(waitS * 2, SLOWEST_S));
      continue;
    }
    if (answer.ok) return answer.fields;
    const { error } = answer.fields;
    if (error === 'slow_down') waitS += SLOWER_S;
    else if (error !== 'authorization_pending') {
      const known = REFUSED.get(error);
      throw known === undefined ? refusal(answer) : new CliError(known, 3);
    }
  }
};

export interface DeviceProvider {
  readonly authUrl: string | null;
  readonly clientId: string;
  readonly scope: string | undefined;
}

const DEFAULT_SCOPE = 'openid profile email offline_access';

export const deviceLogin = async (
  { out, runtime }: Pick<Context, 'out' | 'runtime'>,
  url: string,
  provider: DeviceProvider,
): Promise<Credentials> => {
  const stopped = new AbortController();
  const forget = runtime.onInterrupt(() => stopped.abort());
  const { signal } = stopped;
  const { clientId, authUrl, scope = DEFAULT_SCOPE } = provider;
  try {
    const metadata = await ask(`${authUrl ?? url}/.well-known/openid-configuration`, signal);
    if (!metadata.ok) throw refusal(metadata);
    const { fields: endpoints } = metadata;
    if (typeof endpoints.device_authorization_endpoint !== 'string')
      throw new CliError('this identity provider has no sign-in by device', 3, 'use "pentarch login"');
    const begun = await ask(endpoints.device_authorization_endpoint, signal, { client_id: clientId, scope });
    if (!begun.ok) throw refusal(begun);
    const device = begun.fields;
    const page = oneLine(textOf(device, 'verification_uri'));
    const code = oneLine(textOf(device, 'user_code'));
    out.status(`Open this page on any device and give the code ${code}:\n\n  ${page}\n\n`);
    const tokens = await fetchTokens(
      textOf(endpoints, 'token_endpoint'),
      { grant_type: GRANT, device_code: textOf(device, 'device_code'), client_id: clientId },
      {
        intervalS: secondsOf(device, 'interval', INTERVAL_S),
        lifeS: secondsOf(device, 'expires_in', LIFE_S),
        now: () => runtime.now(),
      },
      signal,
    );
    return sessionOf(
      'oauth',
      {
        access_token: textOf(tokens, 'access_token'),
        ...(typeof tokens.refresh_token === 'string' ? { refresh_token: tokens.refresh_token } : {}),
        expires_in: secondsOf(tokens, 'expires_in', 0),
      },
      runtime.now(),
      provider,
    );
  } catch (error) {
    if (signal.aborted) throw new CliError('interrupted', 130, null, 'CANCELLED');
    throw error;
  } finally {
    forget();
  }
};
