import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Toasts } from '../components/toast.tsx';
import { ApiProvider } from '../lib/api.ts';
import { ConnectionProvider, createConnection } from '../lib/connection.ts';
import { newQueryClient } from '../lib/query.ts';
import { openSession, type Session, SIGNED_OUT } from '../session/session.ts';
import { newRouter } from './router.tsx';
import { SessionProvider } from './session-context.ts';
import { SessionEnded } from './session-ended.tsx';
import { Splash } from './splash.tsx';

/** Signs in first; everything below has a session. */

type State = { kind: 'opening' } | { kind: 'open'; session: Session } | { kind: 'failed'; message: string };

/** A server that says nothing for so long does not answer. */
const ASK_MS = 4_000;

/** One start per load of the page: a code is good for one use, and effects may run twice. */
let opening: Promise<Session | null> | null = null;

export const App = () => {
  const [state, setState] = useState<State>({ kind: 'opening' });
  const signedOut = location.pathname === SIGNED_OUT;
  useEffect(() => {
    if (signedOut) return;
    opening ??= openSession();
    opening.then(
      (session) => {
        // null: the browser is on its way to the provider.
        if (session !== null) setState({ kind: 'open', session });
      },
      (error: unknown) =>
        setState({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
  }, [signedOut]);

  if (signedOut) {
    return (
      <Splash title="Signed out" message="You are signed out of this browser.">
        <Button kind="primary" onClick={() => location.assign('/')}>
          Sign in
        </Button>
      </Splash>
    );
  }
  if (state.kind === 'failed') {
    return (
      <Splash title="Signing in did not work" message={state.message}>
        <Button kind="primary" onClick={() => location.assign('/')}>
          Try again
        </Button>
      </Splash>
    );
  }
  if (state.kind === 'opening') return <Splash busy />;
  return <SignedIn session={state.session} />;
};

const SignedIn = ({ session }: { session: Session }) => {
  const [ended, setEnded] = useState(false);
  const [connection] = useState(() =>
    createConnection(() => session.client.system.health({ maxRetries: 0, timeoutMs: ASK_MS })),
  );
  const [queryClient] = useState(() => newQueryClient(() => setEnded(true), connection.hint));
  useEffect(() => connection.start(), [connection]);
  useEffect(() => {
    let last = connection.state();
    return connection.subscribe(() => {
      const now = connection.state();
      if (now === 'answers' && last !== 'answers') void queryClient.invalidateQueries();
      last = now;
    });
  }, [connection, queryClient]);
  const [router] = useState(newRouter);
  return (
    <CSPProvider disableStyleElements>
      <SessionProvider value={session}>
        <ApiProvider value={session.client}>
          <QueryClientProvider client={queryClient}>
            <ConnectionProvider value={connection}>
              <Tooltip.Provider delay={400}>
                <Toasts>
                  <RouterProvider router={router} />
                  <SessionEnded open={ended} onSignIn={() => void session.signInAgain()} />
                </Toasts>
              </Tooltip.Provider>
            </ConnectionProvider>
          </QueryClientProvider>
        </ApiProvider>
      </SessionProvider>
    </CSPProvider>
  );
};
