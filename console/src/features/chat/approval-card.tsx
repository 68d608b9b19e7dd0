import type { Proposal } from 'pentarch-sdk';
import { Button } from '../../components/button.tsx';
import { Council, CouncilReasons } from '../../components/council/council.tsx';
import { tallyText, wasVoted } from '../../components/council/seats.ts';
import { Money, RelativeTime } from '../../components/figures.tsx';
import { OwnQuestion } from '../../components/own-question.tsx';
import { ProposalCall } from '../../components/proposal-call.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { StatusPill, type Tone } from '../../components/surface.tsx';
import { useToast } from '../../components/toast.tsx';
import { Withdrawal } from '../../components/withdrawal.tsx';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay, useMe } from '../../lib/me.ts';
import { isOpen, useProposal, useVote } from '../../lib/proposals.ts';
import { useSelfApproval } from '../../lib/server-switches.ts';
import styles from './chat.module.css';

const STATES: Readonly<Record<string, { tone: Tone; words: string }>> = {
  voting: { tone: 'accent', words: 'The five are voting' },
  awaiting_human: { tone: 'warn', words: 'A person must decide' },
  approved: { tone: 'good', words: 'Approved' },
  rejected: { tone: 'bad', words: 'Rejected' },
  vetoed: { tone: 'bad', words: 'Vetoed by AEGIS' },
  expired: { tone: 'neutral', words: 'Expired' },
  cancelled: { tone: 'neutral', words: 'Withdrawn' },
};

const stateOf = ({ status, asks_requester: asks, requested_by: by }: Proposal, me: string) =>
  asks
    ? { tone: 'warn' as const, words: by === me ? 'Your answer is needed' : 'Waits for the person who asked' }
    : (STATES[status] ?? { tone: 'neutral' as const, words: status });

/** A vote of who may vote and did not ask for it. */
const Deciding = ({ proposal }: { proposal: Proposal }) => {
  const vote = useVote(proposal.id);
  const mayVote = useMay('governance:vote');
  const me = useMe();
  const mayDecideOwn = useSelfApproval();
  const toast = useToast();
  if (!mayVote) return null;
  if (proposal.requested_by === me.sub && !mayDecideOwn) {
    return <p className={styles.meta}>You asked for this yourself: somebody else must decide.</p>;
  }
  const cast = (choice: 'approve' | 'reject'): void =>
    vote.mutate({ vote: choice }, { onError: toast.failed });
  return (
    <div className={styles.actions}>
      <Button kind="primary" busy={vote.isPending} onClick={() => cast('approve')}>
        Approve
      </Button>
      <Button disabled={vote.isPending} onClick={() => cast('reject')}>
        Reject
      </Button>
    </div>
  );
};

const decidersOf = ({ status, asks_requester: asks }: Proposal, alsoOwn: boolean): string => {
  if (asks) return 'The person who asked decides';
  if (status === 'voting') return 'The five seats decide, and a person where they do not agree';
  return `Anybody with the permission governance:vote decides${alsoOwn ? '' : ', except the person who asked'}`;
};

/** Who it waits for, and until when. */
const Waiting = ({ proposal }: { proposal: Proposal }) => (
  <p className={styles.meta}>
    {decidersOf(proposal, useSelfApproval())}. It expires <RelativeTime iso={proposal.expires_at} />.
  </p>
);

/** A proposal where it came up: the seats fill as votes come in, and who may vote does so here. */
export const ApprovalCard = ({ id }: { id: string }) => {
  const { data, error, refetch } = useProposal(id);
  const me = useMe();
  useLiveRefresh(['proposal.'], ['governance', 'proposal', id]);
  if (data === undefined) {
    return error === null ? (
      <Skeleton height="16rem" />
    ) : (
      <ErrorState error={error} onRetry={() => void refetch()} />
    );
  }
  const state = stateOf(data, me.sub);
  const open = isOpen(data);
  return (
    <section className={styles.approval} data-status={data.status} aria-label={`Approval: ${data.action}`}>
      <header className={styles.approvalHead}>
        <h3>{data.action}</h3>
        <StatusPill tone={state.tone}>{state.words}</StatusPill>
      </header>
      {data.description !== '' && <p className={styles.approvalText}>{data.description}</p>}
      <p className={styles.meta}>
        Costs <Money usd={data.estimated_cost} /> · {data.risk} risk
        {data.flags.length > 0 && ` · ${data.flags.join(', ').replaceAll('_', ' ')}`}
      </p>
      <ProposalCall tool={data.tool} />
      {wasVoted(data) && (
        <div className={styles.approvalBody}>
          <Council proposal={data} />
          <CouncilReasons votes={data.votes} />
        </div>
      )}
      <p className={styles.meta} role="status">
        {[...(wasVoted(data) ? [tallyText(data)] : []), ...(data.reason === null ? [] : [data.reason])].join(
          ' · ',
        )}
      </p>
      {open && <Waiting proposal={data} />}
      {open && (data.asks_requester ? <OwnQuestion proposal={data} /> : <Deciding proposal={data} />)}
      <Withdrawal proposal={data} />
    </section>
  );
};
