import type { Proposal } from 'pentarch-sdk';
import { useState } from 'react';
import { useMay, useMe } from '../lib/me.ts';
import { isOpen, useCancel } from '../lib/proposals.ts';
import { Button } from './button.tsx';
import { ConfirmDialog } from './dialog.tsx';
import { useToast } from './toast.tsx';

/** Withdraws what is still open, after asking. It outlives the button, to say that it is done. */
export const Withdrawal = ({ proposal }: { proposal: Proposal }) => {
  const me = useMe();
  const mayVote = useMay('governance:vote');
  const offered = isOpen(proposal) && (proposal.requested_by === me.sub || mayVote);
  const cancel = useCancel(proposal.id);
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  return (
    <>
      {offered && (
        <div>
          <Button kind="quiet" onClick={() => setAsking(true)}>
            Cancel proposal …
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Cancel this proposal?"
        message="It will be closed permanently, and what it asked for will not be done."
        action="Cancel proposal"
        busy={cancel.isPending}
        onConfirm={() =>
          cancel.mutate(undefined, {
            onSuccess: () => {
              toast.done('The proposal is cancelled');
              setAsking(false);
            },
            onError: toast.failed,
          })
        }
      />
    </>
  );
};
