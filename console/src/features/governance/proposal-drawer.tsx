import { Link } from '@tanstack/react-router';
import type { Proposal } from 'pentarch-sdk';
import { Code } from '../../components/code.tsx';
import { Council, CouncilReasons } from '../../components/council/council.tsx';
import { tallyText, wasVoted } from '../../components/council/seats.ts';
import { Drawer } from '../../components/dialog.tsx';
import { Money, Percent, RelativeTime } from '../../components/figures.tsx';
import { AgentName, Person } from '../../components/person.tsx';
import { ProposalCall } from '../../components/proposal-call.tsx';
import { Risk } from '../../components/risk.tsx';
import { ErrorState, Skeleton } from '../../components/states.tsx';
import { Badge } from '../../components/surface.tsx';
import { useMay, useMe } from '../../lib/me.ts';
import { useProposal } from '../../lib/proposals.ts';
import styles from './governance.module.css';
import { ProposalStatus } from './parts.tsx';
import { DecisionPanel } from './vote-panel.tsx';

const Facts = ({ proposal }: { proposal: Proposal }) => (
  <>
    {proposal.description !== '' && <p>{proposal.description}</p>}
    <div className={styles.actions}>
      <ProposalStatus proposal={proposal} />
      <Risk risk={proposal.risk} />
      {proposal.flags.map((flag) => (
        <Badge key={flag} tone="warn">
          {flag.replaceAll('_', ' ')}
        </Badge>
      ))}
    </div>
    <dl className={styles.facts}>
      <dt>Estimated cost</dt>
      <dd>
        <Money usd={proposal.estimated_cost} />
      </dd>
      <dt>Asked for by</dt>
      <dd>
        {proposal.agent_id !== null && (
          <>
            <AgentName id={proposal.agent_id} />, for{' '}
          </>
        )}
        <Person id={proposal.requested_by} />
      </dd>
      {proposal.reason !== null && (
        <>
          <dt>Why</dt>
          <dd>{proposal.reason}</dd>
        </>
      )}
    </dl>
  </>
);

const Timeline = ({ proposal }: { proposal: Proposal }) => (
  <section className={styles.section} aria-label="Timeline">
    <h3>Timeline</h3>
    <ol className={styles.timeline}>
      <li>
        <RelativeTime iso={proposal.created_at} /> proposed
      </li>
      {proposal.votes
        .toSorted((a, b) => a.created_at.localeCompare(b.created_at))
        .map((vote) => (
          <li key={`${vote.voter}-${vote.created_at}`}>
            <RelativeTime iso={vote.created_at} />{' '}
            {vote.voter_type === 'user' ? <Person id={vote.voter} /> : <AgentName id={vote.voter} />}:{' '}
            {vote.vote}
            {vote.confidence !== null && (
              <>
                , confidence <Percent share={vote.confidence} />
              </>
            )}
            {vote.seat === null && vote.reason !== '' && ` – ${vote.reason}`}
          </li>
        ))}
      {proposal.decided_at === null ? (
        <li>
          ends <RelativeTime iso={proposal.expires_at} />
        </li>
      ) : (
        <li>
          <RelativeTime iso={proposal.decided_at} /> {proposal.status}
        </li>
      )}
    </ol>
  </section>
);

/** Where it came up, for who asked there, and what the audit says of it. */
const Ways = ({
  proposal: { id, requested_by: by, conversation_id: conversation },
}: {
  proposal: Proposal;
}) => {
  const own = by === useMe().sub;
  const mayAudit = useMay('audit:read');
  return (
    <p className={styles.actions}>
      {own && conversation !== null && (
        <Link to="/chat" search={{ c: conversation }}>
          The conversation
        </Link>
      )}
      {mayAudit && (
        <Link to="/admin" search={{ tab: 'audit', target: id }}>
          What the audit says of it
        </Link>
      )}
    </p>
  );
};

const Detail = ({ proposal }: { proposal: Proposal }) => (
  <div className={styles.detail}>
    <Facts proposal={proposal} />
    {wasVoted(proposal) && (
      <section className={styles.section} aria-label="The five seats">
        <Council proposal={proposal} />
        <p>{tallyText(proposal)}</p>
        <CouncilReasons votes={proposal.votes} />
      </section>
    )}
    <ProposalCall tool={proposal.tool} />
    {proposal.execution !== null && (
      <section className={styles.section} aria-label="Execution">
        <h3>Execution: {proposal.execution.status}</h3>
        {proposal.execution.error !== null && <p className={styles.bad}>{proposal.execution.error}</p>}
        {proposal.execution.result !== null && <Code value={proposal.execution.result} />}
      </section>
    )}
    <DecisionPanel proposal={proposal} />
    <Ways proposal={proposal} />
    <Timeline proposal={proposal} />
  </div>
);

export const ProposalDrawer = ({ id, onClose }: { id: string; onClose: () => void }) => {
  const { data, error, refetch } = useProposal(id);
  return (
    <Drawer open={id !== ''} onClose={onClose} title={data?.action ?? 'Proposal'}>
      {data !== undefined ? (
        <Detail key={data.id} proposal={data} />
      ) : error === null ? (
        <Skeleton height="30rem" />
      ) : (
        <ErrorState error={error} onRetry={() => void refetch()} />
      )}
    </Drawer>
  );
};
