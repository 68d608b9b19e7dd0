import type { Proposal } from 'pentarch-sdk';
import { StatusPill, type Tone } from '../../components/surface.tsx';

const STATUS: Readonly<Record<Proposal['status'], { tone: Tone; label: string }>> = {
  voting: { tone: 'accent', label: 'voting' },
  awaiting_human: { tone: 'warn', label: 'awaits a person' },
  approved: { tone: 'good', label: 'approved' },
  rejected: { tone: 'bad', label: 'rejected' },
  vetoed: { tone: 'bad', label: 'vetoed' },
  expired: { tone: 'neutral', label: 'expired' },
  cancelled: { tone: 'neutral', label: 'cancelled' },
};

export const ProposalStatus = ({
  proposal: { status, asks_requester: asks },
}: {
  proposal: Pick<Proposal, 'status' | 'asks_requester'>;
}) => <StatusPill tone={STATUS[status].tone}>{asks ? 'awaits who asked' : STATUS[status].label}</StatusPill>;
