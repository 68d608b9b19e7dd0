import type { Proposal } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { SEAT_NAMES, SEATS } from '../../components/council/seats.ts';
import { Select, Textarea } from '../../components/field.tsx';
import { OwnQuestion } from '../../components/own-question.tsx';
import { ErrorState } from '../../components/states.tsx';
import { useToast } from '../../components/toast.tsx';
import { Withdrawal } from '../../components/withdrawal.tsx';
import { useKeptText } from '../../lib/kept-text.ts';
import { useMay, useMe } from '../../lib/me.ts';
import { isOpen, useVote } from '../../lib/proposals.ts';
import { useSelfApproval } from '../../lib/server-switches.ts';
import styles from './governance.module.css';

/** Their own vote, or why they have none. */
const VotePanel = ({ proposal }: { proposal: Proposal }) => {
  const me = useMe();
  const mayVote = useMay('governance:vote');
  const mayDecideOwn = useSelfApproval();
  const toast = useToast();
  const vote = useVote(proposal.id);
  const [reason, setReason] = useKeptText(`vote.${proposal.id}`);
  const [seat, setSeat] = useState('');
  const own = proposal.requested_by === me.sub;
  const open = isOpen(proposal);
  const voted = proposal.votes.find(({ voter }) => voter === me.sub);
  const barred = !open
    ? 'It is closed: nothing can be voted any more.'
    : !mayVote
      ? 'Voting needs the permission governance:vote. Ask an admin of your organisation.'
      : own && !mayDecideOwn
        ? 'You asked for this yourself: somebody else must decide.'
        : null;
  const cast = (choice: 'approve' | 'reject' | 'abstain'): void => {
    const taken = SEATS.find((one) => one === seat);
    vote.mutate(
      {
        vote: choice,
        ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
        ...(proposal.status === 'voting' && taken !== undefined ? { seat: taken } : {}),
      },
      {
        onSuccess: () => {
          setReason('');
          toast.done('Your vote counts');
        },
      },
    );
  };
  return (
    <section className={styles.section} aria-label="Your vote">
      <h3>Your vote</h3>
      {voted !== undefined && (
        <p>
          You voted: {voted.vote}.{open && ' It can be changed while this is open.'}
        </p>
      )}
      {barred !== null && <p className={styles.barred}>{barred}</p>}
      {vote.error !== null && <ErrorState error={vote.error} />}
      {barred === null && (
        <>
          <Textarea
            label="Reason"
            rows={2}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          {proposal.status === 'voting' && (
            <Select
              label="Seat"
              value={seat}
              options={[
                { value: '', label: 'First that has not approved' },
                ...SEATS.map((value) => ({ value, label: SEAT_NAMES[value] })),
              ]}
              onChange={(event) => setSeat(event.currentTarget.value)}
            />
          )}
        </>
      )}
      <div className={styles.actions}>
        <Button
          kind="primary"
          disabled={barred !== null}
          busy={vote.isPending}
          onClick={() => cast('approve')}
        >
          Approve
        </Button>
        <Button kind="danger" disabled={barred !== null} busy={vote.isPending} onClick={() => cast('reject')}>
          Reject
        </Button>
        <Button disabled={barred !== null} busy={vote.isPending} onClick={() => cast('abstain')}>
          Abstain
        </Button>
      </div>
    </section>
  );
};

/** What it asks the person who asked, and nobody else. */
const AnswerPanel = ({ proposal }: { proposal: Proposal }) => (
  <section className={styles.section} aria-label="Answer">
    <h3>{proposal.requested_by === useMe().sub ? 'Your answer' : 'The answer'}</h3>
    <OwnQuestion proposal={proposal} />
  </section>
);

/** Who decides on it, the person who asked or those who vote; and withdrawing it. */
export const DecisionPanel = ({ proposal }: { proposal: Proposal }) => (
  <>
    {proposal.asks_requester ? <AnswerPanel proposal={proposal} /> : <VotePanel proposal={proposal} />}
    <Withdrawal proposal={proposal} />
  </>
);
