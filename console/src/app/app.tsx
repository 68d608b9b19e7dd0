import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../components/button.tsx';
import { Toasts } from '../components/toast.tsx';
import { SHARE_PATH } from '../features/shares/path.ts';
import { ApiProvider } from '../lib/api.ts';
import { ConnectionProvider, createConnection } from '../lib/connection.ts';
import { newQueryClient } from '../lib/query.ts';
import { SignedInProvider } from '../lib/signed-in.ts';
import { handBack } from '../session/beside.ts';
import { openSession, type Session, SIGNED_OUT, signsInForAnother } from '../session/session.ts';
import { newRouter } from './router.tsx';
import { SessionProvider } from './session-context.ts';
import { SessionEnded } from './session-ended.tsx';
import { Splash } from './splash.tsx';

/** Signs in first; everything below has a session. */

type State =
  | { kind: 'opening' }
  /** Read without a sign-in. */
  | { kind: 'shared'; page: ReactNode }
  | { kind: 'open'; session: Session }
  | { kind: 'failed'; message: string };

/** A server that says nothing for so long does not answer. */
const ASK_MS = 4_000;

/** One start per load of the page: a code is good for one use, and effects may run twice. */
let opening: Promise<State | null> | null = null;

const openPage = async (): Promise<State | null> => {
  const page = location.pathname === SHARE_PATH ? await publicPage() : null;
  if (page !== null) return { kind: 'shared', page };
  const session = await openSession();
  return session === null ? null : { kind: 'open', session };
};

const publicPage = async (): Promise<ReactNode> => {
  const { openPublicShare, PublicShare } = await import('../features/shares/public-share.tsx');
  const shared = await openPublicShare();
  return shared === null ? null : <PublicShare shared={shared} />;
};

export const App = () => {
  const [state, setState] = useState<State>({ kind: 'opening' });
  const signedOut = location.pathname === SIGNED_OUT;
  /** Asked once: the address is cleared of the code as soon as it is handed on. */
  const [beside] = useState(signsInForAnother);
  useEffect(() => {
    if (beside) handBack();
    if (signedOut || beside) return;
    opening ??= openPage();
    opening.then(
      (opened) => {
        // null: the browser is on its way to the provider.
        if (opened !== null) setState(opened);
      },
      (error: unknown) =>
        setState({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
  }, [signedOut, beside]);

  if (beside) {
    return <Splash title="Signed in" message="You can continue where you were and close this window." />;
  }
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
  if (state.kind === 'shared') return state.page;
  return <SignedIn session={state.session} />;
};

/** After a renewed sign-in everything is read anew; another person's starts with nothing of the one before. */
const useRenewal = (session: Session, queryClient: QueryClient): void => {
  const ended = useSyncExternalStore(session.signedIn.subscribe, session.signedIn.ended);
  const before = useRef(ended);
  useEffect(() => {
    if (before.current && !ended) {
      const known = queryClient.getQueryData<{ sub: string }>(['session', 'me'])?.sub;
      session.client.auth.getMe().then(
        ({ sub }) => {
          if (known !== undefined && known !== sub) location.reload();
          else void queryClient.invalidateQueries();
        },
        () => void queryClient.invalidateQueries(),
      );
    }
    before.current = ended;
  }, [ended, session, queryClient]);
};

const SignedIn = ({ session }: { session: Session }) => {
  const { client, signedIn } = session;
  const [connection] = useState(() =>
    createConnection(() => client.system.health({ maxRetries: 0, timeoutMs: ASK_MS })),
  );
  const [queryClient] = useState(() => newQueryClient(signedIn.end, connection.hint));
  useEffect(() => connection.start(), [connection]);
  useEffect(() => {
    let last = connection.state();
    return connection.subscribe(() => {
      const now = connection.state();
      if (now === 'answers' && last !== 'answers') void queryClient.invalidateQueries();
      last = now;
    });
  }, [connection, queryClient]);
  useRenewal(session, queryClient);
  const [router] = useState(newRouter);
  return (
    <CSPProvider disableStyleElements>
      <SessionProvider value={session}>
        <ApiProvider value={client}>
          <SignedInProvider value={signedIn}>
            <QueryClientProvider client={queryClient}>
              <ConnectionProvider value={connection}>
                <Tooltip.Provider delay={400}>
                  <Toasts>
                    <RouterProvider router={router} />
                    <SessionEnded />
                  </Toasts>
                </Tooltip.Provider>
              </ConnectionProvider>
            </QueryClientProvider>
          </SignedInProvider>
        </ApiProvider>
      </SessionProvider>
    </CSPProvider>
  );
};
