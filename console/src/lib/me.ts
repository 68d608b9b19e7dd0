import type { Caller } from 'pentarch-sdk';
import { createContext, useContext } from 'react';

/** Who is signed in, and what they may do. */

const MeContext = createContext<Caller | null>(null);
export const MeProvider = MeContext.Provider;

export const useMe = (): Caller => {
  const me = useContext(MeContext);
  if (me === null) throw new Error('useMe outside of the signed-in part');
  return me;
};

/** Hides what the API would refuse: `useMay('agents:manage')`. The API decides all the same. */
export const useMay = (permission: string): boolean => useMe().permissions.includes(permission);
