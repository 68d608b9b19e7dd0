import { KeyRound } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { useToast } from '../components/toast.tsx';
import { useHasEnded } from '../lib/signed-in.ts';
import { useSession } from './session-context.ts';
import styles from './shell.module.css';

const useSignInAgain = (): (() => void) => {
  const session = useSession();
  const toast = useToast();
  return () => {
    session.signInAgain().catch(toast.failed);
  };
};

/** Over the page, which stays as it is: what somebody was writing is still there after signing in again. */
export const SessionEnded = () => {
  const ended = useHasEnded();
  const signInAgain = useSignInAgain();
  const [open, setOpen] = useState(false);
  useEffect(() => setOpen(ended), [ended]);
  return (
    <Dialog
      open={open}
      onClose={() => setOpen(false)}
      title="Your session has ended"
      description="Sign in again in a window beside this one. This page stays as it is, with everything that you wrote."
      actions={
        <Button kind="primary" onClick={signInAgain}>
          Sign in again
        </Button>
      }
    >
      {null}
    </Dialog>
  );
};

/** The same for who has closed that: nothing is read or sent any more. */
export const SessionBanner = () => {
  const ended = useHasEnded();
  const signInAgain = useSignInAgain();
  return (
    <div role="status">
      {ended && (
        <div className={styles.partial}>
          <KeyRound size={14} aria-hidden="true" />
          <p>Your session has ended. Nothing is read or sent until you sign in again.</p>
          <Button kind="quiet" onClick={signInAgain}>
            Sign in
          </Button>
        </div>
      )}
    </div>
  );
};
