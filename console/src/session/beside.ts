import { authorizeUrl, createPkce, exchangeCode, type Tokens } from 'pentarch-sdk';
import type { SignInConfig } from './config.ts';

/**
 * Signing in again in a window beside the page, so that everything that stands on it stays. That window hands back what the
 * provider sent it to; the page, which alone has the verifier, changes the code into tokens.
 */
const CHANNEL = 'pentarch.sign-in';
const STATE = 'beside-';
const WINDOW = 'popup,width=520,height=720';

interface Handed {
  state: string;
  code: string | null;
  error: string | null;
}

const isHanded = (value: unknown): value is Handed =>
  typeof value === 'object' &&
  value !== null &&
  'state' in value &&
  typeof value.state === 'string' &&
  'code' in value &&
  'error' in value;

const stateOf = (): string | null => new URLSearchParams(location.search).get('state');

/** Whether this window was opened by a page that waits for it. */
export const isBeside = (callbackPath: string): boolean =>
  location.pathname === callbackPath && stateOf()?.startsWith(STATE) === true;

/** In that window: tells the page, and goes. */
export const handBack = (): void => {
  const query = new URLSearchParams(location.search);
  const handed: Handed = {
    state: query.get('state') ?? '',
    code: query.get('code'),
    error: query.get('error_description') ?? query.get('error'),
  };
  // The code is good for one use and for nobody without the verifier; it need not stand in the address any longer.
  history.replaceState(null, '', '/');
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(handed);
  channel.close();
  window.close();
};

/** Of windows that were opened one after the other, the last one counts. */
let abandon: () => void = () => {};

/**
 * Tokens of the sign-in; null where the browser opens no window. Call it in answer to a click. A window that is closed leaves
 * the promise open: the next call takes its place.
 * @throws Error with the provider's words where it refuses
 */
export const signInBeside = async (config: SignInConfig, redirectUri: string): Promise<Tokens | null> => {
  abandon();
  const beside = window.open('', '_blank', WINDOW);
  if (beside === null) return null;
  const pkce = await createPkce();
  const { verifier } = pkce;
  const state = `${STATE}${pkce.state}`;
  const channel = new BroadcastChannel(CHANNEL);
  const handed = new Promise<Handed>((resolve) => {
    channel.onmessage = ({ data }) => {
      if (isHanded(data) && data.state === state) resolve(data);
    };
  });
  abandon = () => channel.close();
  beside.location.assign(
    authorizeUrl({
      authUrl: config.authUrl,
      clientId: config.clientId,
      redirectUri,
      pkce: { ...pkce, state },
    }),
  );
  const { code, error } = await handed;
  channel.close();
  if (error !== null || code === null) throw new Error(error ?? 'the sign-in came back without a code');
  return exchangeCode({ authUrl: config.authUrl, clientId: config.clientId, redirectUri, code, verifier });
};
