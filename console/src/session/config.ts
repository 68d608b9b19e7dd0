/** Where people sign in, as the server says it (`/console/config.json`). */
export interface SignInConfig {
  /** The identity provider's address. */
  authUrl: string;
  clientId: string;
  /** Not the platform's own provider. */
  external: boolean;
}

export const loadConfig = async (): Promise<SignInConfig> => {
  const answer = await fetch('/console/config.json', { headers: { accept: 'application/json' } });
  const body: unknown = await answer.json();
  if (typeof body !== 'object' || body === null || !('client_id' in body) || !('issuer' in body)) {
    throw new Error('the server does not say where to sign in');
  }
  const { issuer, client_id: clientId } = body;
  if (typeof clientId !== 'string') throw new Error('the server does not say where to sign in');
  return typeof issuer === 'string'
    ? { authUrl: issuer, clientId, external: true }
    : { authUrl: location.origin, clientId, external: false };
};
