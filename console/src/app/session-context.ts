import { createContext, useContext } from 'react';
import type { Session } from '../session/session.ts';

const SessionContext = createContext<Session | null>(null);
export const SessionProvider = SessionContext.Provider;

export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('useSession outside of the signed-in part');
  return session;
};
