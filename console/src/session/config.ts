/** Where people sign in, as the server says it (`/console/config.json`). */
export interface SignInConfig {
  /** The identity provider's address. */
  authUrl: string;
  clientId: string;
  /** What the sign-in asks for, separated by spaces. */
  scope: string;
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
  const scope = 'scopes' in body ? body.scopes : undefined;
  if (typeof clientId !== 'string' || typeof scope !== 'string')
    throw new Error('the server does not say where to sign in');
  return typeof issuer === 'string'
    ? { authUrl: issuer, clientId, scope, external: true }
    : { authUrl: location.origin, clientId, scope, external: false };
};
