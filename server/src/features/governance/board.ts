import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { EventSink } from '../../kernel/events.ts';
import type { Execution } from './execution.ts';
import type { GovernancePorts } from './ports.ts';
import { proposalEvent, type Records } from './records.ts';
import { findProposal, markSettled, unsettledProposals } from './store.ts';
import { isOpen, type Proposal } from './types.ts';
import { type CastVote, gatherFacts, type Voting } from './voting.ts';

/**
 * What follows from a proposal's state, after its commit: votes are cast, calls carried out, those who wait answered. All of
 * it can be done again from the store, so `sweep` finds after a restart whatever a process has left undone.
 */
export interface BoardOptions {
  db: Db;
  clock: Clock;
  cluster: Cluster;
  records: Records;
  voting: Voting;
  execution: Execution;
  ports: Pick<GovernancePorts, 'budget' | 'serverReady' | 'toolHealth' | 'onDecided'>;
  events: EventSink;
  onError(error: unknown): void;
  stop: AbortSignal;
}

/** How long another process is given for what follows a change before this one takes it over. */
const TAKE_OVER_MS = 60_000;

export const createBoard = (options: BoardOptions) => {
  const { db, clock, records, voting, execution, ports, events, stop } = options;
  const active = new Map<string, Promise<void>>();

  /** One follow-up of a proposal at a time in this process. */
  const once = (kind: string, id: string, work: () => Promise<void>): void => {
    const key = `${kind}:${id}`;
    if (active.has(key) || stop.aborted) return;
    const task = work()
      .catch((error: unknown) => {
        if (!stop.aborted) options.onError(error);
      })
      .finally(() => active.delete(key));
    active.set(key, task);
  };

  const publish = (proposal: Proposal): void =>
    events.publish(proposalEvent('proposal.updated', proposal, null));

  const reload = (proposal: Proposal): Promise<Proposal | undefined> =>
    findProposal(
      db.read,
      { tenantId: proposal.tenantId, userId: proposal.requestedBy, reach: 'tenant' },
      proposal.id,
    );

  const record = async (proposal: Proposal, votes: readonly CastVote[]): Promise<void> => {
    const next = await records.castByAgents(proposal.tenantId, proposal.id, votes);
    if (next !== null) changed(next);
  };

  /**
   * One round: the seats are asked together, and each ballot is recorded and told as it is cast. They are recorded one
   * after another, so that events come in the order of the record. Each seat's time is limited, so this ends.
   */
  const castAll = async (proposal: Proposal): Promise<void> => {
    const { tenantId, tool } = proposal;
    if (tool !== null) await ports.serverReady(tenantId, tool.server, stop);
    if (stop.aborted) return;
    const facts = await gatherFacts(db, ports, proposal, clock.now());
    const seats = voting.seatsToVote(proposal);
    // Who holds the seats may have changed since the last ballot: then none may be missing, and nothing decided.
    if (seats.length === 0) return record(proposal, []);
    const cast: CastVote[] = [];
    let recorded = Promise.resolve();
    const votes = seats.map(async (seat) => {
      cast.push(await voting.cast(seat, proposal, facts, stop));
      // Whatever has come meanwhile goes along.
      recorded = recorded.then(() => {
        const batch = cast.splice(0);
        return batch.length === 0 ? undefined : record(proposal, batch);
      });
      await recorded;
    });
    await Promise.all(votes);
  };

  /** Answers those who wait, and remembers that they know. */
  const settle = async (proposal: Proposal): Promise<void> => {
    const fresh = (await reload(proposal)) ?? proposal;
    await ports.onDecided(fresh);
    await markSettled(db, proposal.id);
  };

  const carryOut = async (proposal: Proposal): Promise<void> => {
    if (!(await execution.run(proposal))) return;
    const fresh = await reload(proposal);
    if (fresh === undefined) return;
    publish(fresh);
    once('settle', proposal.id, () => settle(fresh));
  };

  const follow = (proposal: Proposal): void => {
    if (proposal.status === 'voting') return once('vote', proposal.id, () => castAll(proposal));
    if (isOpen(proposal.status)) return;
    const pending = proposal.status === 'approved' && proposal.execution?.status === 'pending';
    if (pending) return once('execute', proposal.id, () => carryOut(proposal));
    if (proposal.execution?.status === 'running') return;
    once('settle', proposal.id, () => settle(proposal));
  };

  /** After the commit of a change. */
  const changed = (proposal: Proposal): void => {
    // A person's yes may have handed it to the five.
    if (!isOpen(proposal.status) || (proposal.status === 'voting' && proposal.ballots.length === 0))
      follow(proposal);
  };

  return {
    /** After the commit of a new one. */
    created: follow,
    changed,

    /**
     * Does what time asks for and what another process has left undone. `fresh` at start: what an earlier process of this
     * node has left is taken over at once, and where there are no other nodes all that is not finished.
     */
    async sweep(now: number, fresh = false): Promise<void> {
      const { nodeId } = options.cluster;
      const alone = fresh && options.cluster.alone;
      for (const proposal of await unsettledProposals(db.read, now, options.onError)) {
        if (stop.aborted) return;
        if (isOpen(proposal.status)) {
          const due = (proposal.deadline ?? proposal.expiresAt) <= now;
          const next = due ? await records.passTime(proposal.tenantId, proposal.id, now) : null;
          if (next !== null) changed(next);
          else if (alone || proposal.createdAt <= now - TAKE_OVER_MS) follow(proposal);
          continue;
        }
        if (proposal.execution?.status === 'running') {
          const left = alone || (fresh && proposal.executionNode === nodeId);
          const overdue = (proposal.executionDeadline ?? 0) <= now;
          if ((!left && !overdue) || active.has(`execute:${proposal.id}`)) continue;
          if (await execution.giveUp(proposal)) {
            const ended = await reload(proposal);
            if (ended !== undefined) {
              publish(ended);
              follow(ended);
            }
          }
          continue;
        }
        if (alone || (proposal.decidedAt ?? 0) <= now - TAKE_OVER_MS) follow(proposal);
      }
    },

    /** Resolves when nothing that follows from earlier changes is running in this process. */
    async idle(): Promise<void> {
      while (active.size > 0) await Promise.all(active.values());
    },
  };
};

export type Board = ReturnType<typeof createBoard>;
