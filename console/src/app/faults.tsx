import { Link } from '@tanstack/react-router';
import { Compass, Lock, WifiOff } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button, buttonClass } from '../components/button.tsx';
import { EmptyState, ErrorState } from '../components/states.tsx';
import { PageHead } from '../components/surface.tsx';
import { useConnection, useConnectionState } from '../lib/connection.ts';

const home = (
  <Link to="/" className={buttonClass('normal')}>
    Go to Chat
  </Link>
);

/** As Chromium, Firefox, Safari and Vite say that a part of the program did not come. */
const isNotLoaded = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported|module script|preload CSS/i.test(error.message);

/**
 * A page whose code did not come is loaded with the whole console as soon as the server answers: browsers do not try the
 * same file again. The address holds where one is.
 */
const NotLoaded = () => {
  const state = useConnectionState();
  const { check } = useConnection();
  const failedIn = useRef(state);
  useEffect(() => {
    check();
    if (state === 'answers' && failedIn.current !== 'answers') location.reload();
    failedIn.current = state;
  }, [state, check]);
  return (
    <EmptyState
      icon={WifiOff}
      title="This page could not be loaded"
      action={
        <Button disabled={state !== 'answers'} onClick={() => location.reload()}>
          Load it again
        </Button>
      }
    >
      {state === 'answers'
        ? 'The console may have been updated since it was opened.'
        : 'It comes by itself as soon as the connection is back.'}
    </EmptyState>
  );
};

export const PageFault = ({ error, reset }: { error: unknown; reset: () => void }) =>
  isNotLoaded(error) ? <NotLoaded /> : <ErrorState error={error} onRetry={reset} />;

export const NotFoundPage = () => (
  <>
    <PageHead title="Page not found" />
    <EmptyState icon={Compass} title="Nothing is at this address" action={home}>
      It may have moved, or the address is not complete. The navigation leads to everything that you may open.
    </EmptyState>
  </>
);

export const ForbiddenPage = ({ needs }: { needs: readonly string[] }) => (
  <>
    <PageHead title="No access" />
    <EmptyState icon={Lock} title="You have no right to this page" action={home}>
      {needs.length === 0
        ? 'Your account has no permissions. Ask an admin of your organisation for a role.'
        : `It needs the permission ${needs.join(' or ')}. Ask an admin of your organisation.`}
    </EmptyState>
  </>
);
