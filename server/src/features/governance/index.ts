import type { Db } from '../../db/db.ts';
import type { AnyRoute } from '../../http/route.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { Decisions, RunProposals, ShowProposal } from '../../kernel/decisions.ts';
import type { EventSink } from '../../kernel/events.ts';
import type { ToolGate, ToolLedger, ToolPolicies } from '../../kernel/tools.ts';
import type { Audit } from '../audit/index.ts';
import type { Costs } from '../costs/index.ts';
import { createAfterDecision } from './after-decision.ts';
import { createApprovedCalls } from './approved-calls.ts';
import type { GovernanceConfig } from './config.ts';
import { createFollowUp } from './follow-up.ts';
import { createOwnDecisions } from './own-decisions.ts';
import { createPersonalData } from './personal-data.ts';
import type { GovernancePorts } from './ports.ts';
import { createProposalService } from './proposal-service.ts';
import { proposalTools } from './proposal-tools.ts';
import { governanceRoutes } from './routes.ts';
import { createRunProposals } from './run-proposals.ts';
import { createToolGate } from './tool-gate.ts';
import { createToolLedger } from './tool-ledger.ts';
import { createToolPolicies } from './tool-policies.ts';
import { createTransitions } from './transitions/transitions.ts';
import { createSweep } from './unfinished.ts';
import { createAgentVotes } from './voting/agent-votes.ts';
import { createVoteRound } from './voting/vote-round.ts';
import { proposalWire } from './wire.ts';

export { type GovernanceConfig, governanceConfig } from './config.ts';
export type { AskRequest, GovernancePorts } from './ports.ts';
export { type Proposal, SEATS } from './types.ts';
export { createVoteAsk } from './voting/ask-model.ts';

interface GovernanceOptions {
  db: Db;
  clock: Clock;
  cluster: Cluster;
  config: GovernanceConfig;
  ports: GovernancePorts;
  /** Hears of each proposal that is decided for good and, where it holds a call, once that has been carried out. */
  decisions: Pick<Decisions, 'publish'>;
  costs: Pick<Costs, 'hold' | 'settle'>;
  /** The same for approved calls, which no run books: what they cost is added to their conversation too. */
  costsBesideRuns: Pick<Costs, 'hold' | 'settle'>;
  audit: Pick<Audit, 'append'>;
  events: EventSink;
  allowSelfApproval: boolean;
  onError(error: unknown): void;
}

const SWEEP_MS = 1_000;

/** Proposals, the Pentarchy, and the gate in front of every tool. `start` must run before the first call. */
export const createGovernance = (options: GovernanceOptions) => {
  const { db, clock, cluster, config, ports, costs, audit, events, onError } = options;
  const stopping = new AbortController();
  const stop = stopping.signal;

  const policies = createToolPolicies(config, ports);
  const transitions = createTransitions(options);
  const voteRound = createVoteRound({
    db,
    clock,
    transitions,
    agentVotes: createAgentVotes({ clock, config, ports }),
    ports,
    stop,
  });
  const approvedCalls = createApprovedCalls({
    db,
    clock,
    nodeId: cluster.nodeId,
    executionMs: config.executionMs,
    toolLedger: createToolLedger({ db, clock, costs: options.costsBesideRuns, audit, policies }),
    audit,
    ports,
    stop,
  });
  const afterDecision = createAfterDecision({ db, approvedCalls, decisions: options.decisions, events });
  const followUp = createFollowUp({ voteRound, afterDecision, onError, stop });
  const sweepOnce = createSweep({ db, cluster, transitions, afterDecision, followUp, onError, stop });
  const proposals = createProposalService({ db, clock, config, transitions, followUp, ports, policies });
  const gate: ToolGate = createToolGate({ db, config, policies, transitions, followUp });
  const toolLedger: ToolLedger = createToolLedger({ db, clock, costs, audit, policies });
  const runProposals: RunProposals = createRunProposals({ db, transitions, followUp });
  const toolPolicies: ToolPolicies = policies;
  const showProposal: ShowProposal = async (caller, id) => proposalWire(await proposals.get(caller, id));

  let timer: NodeJS.Timeout | null = null;
  let sweeping: Promise<void> = Promise.resolve();

  const sweep = (now: number, fresh = false): Promise<void> => {
    sweeping = sweeping.then(() => sweepOnce(now, fresh)).catch(onError);
    return sweeping;
  };

  return {
    gate,
    toolLedger,
    toolPolicies,
    runProposals,
    showProposal,
    ownDecisions: createOwnDecisions({ proposals, allowSelfApproval: options.allowSelfApproval }),
    /** For `users.registerPersonalData`. */
    personalData: createPersonalData({ db, transitions, followUp }),
    routes: (): AnyRoute[] => governanceRoutes(proposals),
    /** For clients of `/mcp` alone. */
    mcpTools: proposalTools(proposals),

    /** What time asks for at `now`: escalation, expiry, and what another process has left undone. */
    sweep: (now: number): Promise<void> => sweep(now),

    /** Takes up what the last process left, then looks every second. */
    async start(): Promise<void> {
      await sweep(clock.now(), true);
      timer = setInterval(() => void sweep(clock.now()), SWEEP_MS);
      timer.unref();
    },

    /** Resolves when votes, executions and notices that are under way in this process have ended. */
    idle: followUp.idle,

    /** Breaks off votes (cast again at the next start) and calls (they end as unknown), and waits for that. */
    async close(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      stopping.abort(new Error('the server is stopping'));
      await sweeping;
      await followUp.idle();
    },
  };
};

export type Governance = ReturnType<typeof createGovernance>;
