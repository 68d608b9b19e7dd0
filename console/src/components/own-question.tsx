import type { Proposal } from 'pentarch-sdk';
import { useMay, useMe } from '../lib/me.ts';
import { useConfirm } from '../lib/proposals.ts';
import { Button } from './button.tsx';
import styles from './own-question.module.css';
import { useToast } from './toast.tsx';

/** Why the answer is not theirs to give; null where it is. */
const barredOf = (own: boolean, mayAnswer: boolean): string | null => {
  if (!own) return 'Only the person who asked can answer this.';
  return mayAnswer
    ? null
    : 'Answering needs the permission governance:propose. Ask an admin of your organisation.';
};

/** A question that a run with untrusted content asks the person themselves; it stands below the very call that their answer makes. */
export const OwnQuestion = ({ proposal }: { proposal: Proposal }) => {
  const me = useMe();
  const barred = barredOf(proposal.requested_by === me.sub, useMay('governance:propose'));
  const confirm = useConfirm(proposal.id);
  const toast = useToast();
  const answer = (approve: boolean): void => confirm.mutate(approve, { onError: toast.failed });
  return (
    <div className={styles.question}>
      {barred === null ? (
        <>
          <p>
            Text that neither you nor this platform wrote is in the conversation, and may have led to this
            call. Approve it only if it does what you want.
          </p>
          <p className={styles.note}>
            A yes holds for this same call in this conversation, and for no other.
          </p>
          <div className={styles.actions}>
            <Button kind="primary" busy={confirm.isPending} onClick={() => answer(true)}>
              Approve
            </Button>
            <Button disabled={confirm.isPending} onClick={() => answer(false)}>
              Deny
            </Button>
          </div>
        </>
      ) : (
        <p className={styles.note}>{barred}</p>
      )}
    </div>
  );
};
