import { type Client, createClient, type TokenSource } from 'pentarch-sdk';
import { createContext, useContext } from 'react';

/** The API, and nothing else: every page gets its client with `useApi()`. */

const ApiContext = createContext<Client | null>(null);
export const ApiProvider = ApiContext.Provider;

export const newClient = (auth: TokenSource): Client => createClient({ baseUrl: location.origin, auth });

/** The signed-in client. Only below the shell, where somebody is signed in. */
export const useApi = (): Client => {
  const client = useContext(ApiContext);
  if (client === null) throw new Error('useApi outside of the signed-in part');
  return client;
};
