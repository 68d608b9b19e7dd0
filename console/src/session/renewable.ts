import type { TokenSource } from 'pentarch-sdk';
import { isSignedOut } from '../lib/errors.ts';
import type { SignedIn } from '../lib/signed-in.ts';

/**
 * A source of tokens that knows when the sign-in has ended, and can be given another one. Once ended it asks nobody: every
 * call fails at once, so that a page that is left open is silent.
 */
export const renewable = (first: TokenSource) => {
  const listeners = new Set<() => void>();
  let source = first;
  let fault: Error | null = null;
  const set = (next: Error | null): void => {
    if ((fault === null) === (next === null)) return;
    fault = next;
    for (const listener of listeners) listener();
  };
  const end = (error: unknown): void => {
    if (isSignedOut(error)) set(error);
  };
  const state: SignedIn = {
    ended: () => fault !== null,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    end,
  };
  const given: TokenSource = {
    async token(context) {
      if (fault !== null) throw fault;
      const asked = source;
      try {
        return await asked.token(context);
      } catch (error) {
        if (asked === source) end(error);
        throw error;
      }
    },
    refused: (token) => fault === null && source.refused(token),
  };
  return {
    source: given,
    state,
    replace(next: TokenSource): void {
      source = next;
      set(null);
    },
  };
};
