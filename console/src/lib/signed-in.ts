import { createContext, useContext, useSyncExternalStore } from 'react';

/** Whether the sign-in of this tab still counts. After its end nothing is asked of the server until it is renewed. */
export interface SignedIn {
  ended(): boolean;
  subscribe(listener: () => void): () => void;
  /** Says that it has ended, where the error means that; other errors change nothing. */
  end(error: unknown): void;
}

const SignedInContext = createContext<SignedIn | null>(null);
export const SignedInProvider = SignedInContext.Provider;

export const useSignedIn = (): SignedIn => {
  const signedIn = useContext(SignedInContext);
  if (signedIn === null) throw new Error('useSignedIn outside of the signed-in part');
  return signedIn;
};

export const useHasEnded = (): boolean => {
  const { subscribe, ended } = useSignedIn();
  return useSyncExternalStore(subscribe, ended);
};
