import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';

/** Over the page, so that what somebody was writing is still there to be copied. */
export const SessionEnded = ({ open, onSignIn }: { open: boolean; onSignIn: () => void }) => (
  <Dialog
    open={open}
    onClose={onSignIn}
    title="Your session has ended"
    description="Sign in again to go on; you come back to this page."
    actions={
      <Button kind="primary" onClick={onSignIn}>
        Sign in again
      </Button>
    }
  >
    {null}
  </Dialog>
);
