import { type Client, createClient, type TokenSource } from 'pentarch-sdk';
import { createContext, useContext } from 'react';

/** The API, and nothing else: every page gets its client with `useApi()`. */

const ApiContext = createContext<Client | null>(null);
export const ApiProvider = ApiContext.Provider;

/** One more try, and then the page says that the server does not answer; all is read anew when it does (connection.ts). */
const MAX_RETRIES = 1;

export const newClient = (auth: TokenSource): Client =>
  createClient({ baseUrl: location.origin, auth, maxRetries: MAX_RETRIES });

/** The signed-in client. Only below the shell, where somebody is signed in. */
export const useApi = (): Client => {
  const client = useContext(ApiContext);
  if (client === null) throw new Error('useApi outside of the signed-in part');
  return client;
};
