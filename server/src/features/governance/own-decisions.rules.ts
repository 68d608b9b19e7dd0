import type { Caller } from '../../kernel/caller.ts';
import type { Proposal } from './types.ts';

/**
 * By which route this caller may decide now on what they asked for themselves; null where others decide, or where no one person
 * does. A service account acts for nobody who could be asked.
 */
export const decidesAlone = (
  proposal: Pick<Proposal, 'status' | 'decider' | 'requestedBy'>,
  caller: Pick<Caller, 'type' | 'userId' | 'permissions'>,
  allowSelfApproval: boolean,
): 'confirm' | 'vote' | null => {
  if (proposal.status !== 'awaiting_human' || proposal.requestedBy !== caller.userId) return null;
  if (caller.type !== 'person') return null;
  if (proposal.decider === 'requester')
    return caller.permissions.has('governance:propose') ? 'confirm' : null;
  return allowSelfApproval && caller.permissions.has('governance:vote') ? 'vote' : null;
};
