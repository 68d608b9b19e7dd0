import { Plus, Scale } from 'lucide-react';
import type { ListProposalsQuery, Proposal } from 'pentarch-sdk';
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Money, RelativeTime } from '../../components/figures.tsx';
import { Risk } from '../../components/risk.tsx';
import { EmptyState } from '../../components/states.tsx';
import { PageHead, Panel, Segments } from '../../components/surface.tsx';
import { useNeedsMe } from '../../lib/decisions.ts';
import { useLiveRefresh } from '../../lib/live.ts';
import { useMay } from '../../lib/me.ts';
import { isOpen } from '../../lib/proposals.ts';
import { useUrlState } from '../../lib/url-state.ts';
import { CreateDialog } from './create-dialog.tsx';
import styles from './governance.module.css';
import { ProposalStatus } from './parts.tsx';
import { ProposalDrawer } from './proposal-drawer.tsx';
import { useProposals } from './queries.ts';

const VIEWS = ['needs_you', 'voting', 'awaiting_human', 'history'] as const;
type View = (typeof VIEWS)[number];
const OPTIONS: readonly { value: View; label: string }[] = [
  { value: 'needs_you', label: 'Needs you' },
  { value: 'voting', label: 'Voting' },
  { value: 'awaiting_human', label: 'Waiting for a person' },
  { value: 'history', label: 'History' },
];
const STATUS: Readonly<Record<View, ListProposalsQuery['status']>> = {
  needs_you: 'awaiting_human',
  voting: 'voting',
  awaiting_human: 'awaiting_human',
  history: undefined,
};
const EMPTY: Readonly<Record<View, string>> = {
  needs_you: 'Nothing waits for your decision. What the five seats are voting on is under Voting.',
  voting: 'No vote is going on. An agent that wants to do something costly or risky starts one.',
  awaiting_human: 'Nothing waits for a person.',
  history: 'Nothing has been decided yet.',
};

const parse = (raw: Readonly<Record<string, unknown>>) => ({
  view: VIEWS.find((one) => one === raw.view),
  proposal: typeof raw.proposal === 'string' ? raw.proposal : '',
});

const COLUMNS: readonly Column<Proposal>[] = [
  { id: 'action', header: 'Action', cell: (row) => <span className={styles.action}>{row.action}</span> },
  { id: 'status', header: 'Status', cell: (row) => <ProposalStatus proposal={row} /> },
  { id: 'risk', header: 'Risk', cell: (row) => <Risk risk={row.risk} />, minor: true },
  {
    id: 'votes',
    header: 'Approvals',
    cell: (row) => `${row.tally.approve} of ${row.tally.seats}`,
    numeric: true,
    minor: true,
  },
  {
    id: 'cost',
    header: 'Cost',
    cell: (row) => <Money usd={row.estimated_cost} />,
    numeric: true,
    sortBy: (row) => row.estimated_cost,
  },
  {
    id: 'created',
    header: 'Asked',
    cell: (row) => <RelativeTime iso={row.created_at} />,
    numeric: true,
    minor: true,
    sortBy: (row) => row.created_at,
  },
];

const GovernancePage = () => {
  const [{ view: asked, proposal }, setState] = useUrlState(parse);
  const mayVote = useMay('governance:vote');
  const mayPropose = useMay('governance:propose');
  const [making, setMaking] = useState(false);
  const view: View = asked ?? (mayVote ? 'needs_you' : 'voting');
  const rows = useProposals(STATUS[view]);
  useLiveRefresh(['proposal.'], ['governance']);
  const needsMe = useNeedsMe();
  const shown = rows.data?.filter((row) =>
    view === 'history' ? !isOpen(row) : view !== 'needs_you' || needsMe(row),
  );
  return (
    <>
      <PageHead
        title="Governance"
        about="What agents may not do alone: five seats vote, and people decide what weighs more."
        actions={
          mayPropose && (
            <Button kind="primary" onClick={() => setMaking(true)}>
              <Plus size={16} aria-hidden="true" /> New proposal
            </Button>
          )
        }
      />
      <div className={styles.views}>
        <Segments
          label="Which proposals"
          value={view}
          options={OPTIONS}
          onChange={(next) => setState({ view: next })}
        />
      </div>
      <Panel flush>
        <DataTable
          caption="Proposals"
          columns={COLUMNS}
          rows={{ ...rows, data: shown }}
          rowKey={(row) => row.id}
          onOpen={(row) => setState({ proposal: row.id })}
          empty={
            <EmptyState
              icon={Scale}
              title="No proposals here"
              action={rows.hasMore && <Button onClick={rows.loadMore}>Look further back</Button>}
            >
              {EMPTY[view]}
            </EmptyState>
          }
        />
      </Panel>
      <ProposalDrawer id={proposal} onClose={() => setState({ proposal: undefined })} />
      {making && (
        <CreateDialog
          onClose={() => setMaking(false)}
          onMade={(id) => {
            setMaking(false);
            setState({ proposal: id });
          }}
        />
      )}
    </>
  );
};

export default GovernancePage;
