import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from './context.ts';
import { CliError } from './errors.ts';
import type { Credentials } from './profiles.ts';
import { sessionOf } from './sign-in.ts';

/** Sign-in by a page on another device (RFC 8628), for machines without a browser. */

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const ASKING_MS = 30_000;
/** RFC 8628, 3.2: where the provider says nothing. */
const INTERVAL_S = 5;
/** RFC 8628, 3.5: what `slow_down` adds. */
const SLOWER_S = 5;

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
  fields: Fields;
}

const ask = async (url: string, signal: AbortSignal, form?: Record<string, string>): Promise<Answer> => {
  let answer: Response;
  try {
    answer = await fetch(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ASKING_MS)]),
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new CliError(`${new URL(url).origin} does not answer`, 11, null, 'UNREACHABLE');
  }
  const said: unknown = await answer.json().catch(() => null);
  return { ok: answer.ok, status: answer.status, fields: isRecord(said) ? said : {} };
};

const refusal = ({ status, fields }: Answer): CliError => {
  const error = typeof fields.error === 'string' ? fields.error : `HTTP ${status}`;
  const why = typeof fields.error_description === 'string' ? `: ${fields.error_description}` : '';
  return new CliError(`the sign-in was refused (${error}${why})`, status >= 500 ? 10 : 3);
};

const REFUSED: Readonly<Record<string, string>> = {
  access_denied: 'the sign-in was refused',
  expired_token: 'the code has expired: begin again with "pentarch login --device"',
};

/** Asks until the person has answered on the page. */
const fetchTokens = async (
  url: string,
  form: Record<string, string>,
  intervalS: number,
  signal: AbortSignal,
): Promise<Fields> => {
  let waitS = intervalS;
  for (;;) {
    await pause(waitS * 1000, undefined, { signal });
    const answer = await ask(url, signal, form);
    if (answer.ok) return answer.fields;
    const { error } = answer.fields;
    if (error === 'slow_down') waitS += SLOWER_S;
    else if (error !== 'authorization_pending') {
      const known = typeof error === 'string' ? REFUSED[error] : undefined;
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
    const page = textOf(device, 'verification_uri');
    out.status(
      `Open this page on any device and give the code ${textOf(device, 'user_code')}:\n\n  ${page}\n\n`,
    );
    const tokens = await fetchTokens(
      textOf(endpoints, 'token_endpoint'),
      { grant_type: GRANT, device_code: textOf(device, 'device_code'), client_id: clientId },
      secondsOf(device, 'interval', INTERVAL_S),
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
