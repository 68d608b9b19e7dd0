import type { Db } from '../../db/db.ts';
import type { AnyRoute } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { EventSink } from '../../kernel/events.ts';
import type { Approval, Flag, Risk, ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool, ToolBook, ToolGate } from '../../kernel/tools.ts';
import type { Audit } from '../audit/index.ts';
import type { Costs } from '../costs/index.ts';
import { createApprovals } from './approvals.ts';
import { createBoard } from './board.ts';
import type { GovernanceConfig } from './config.ts';
import { proposalTools } from './door-tools.ts';
import { createExecution } from './execution.ts';
import { createGate, riskOf, routeOfCall } from './gate.ts';
import { createPersonalData } from './personal-data.ts';
import { overlay, policyFor } from './policies.rules.ts';
import type { GovernancePorts } from './ports.ts';
import { createRecords } from './records.ts';
import { governanceRoutes } from './routes.ts';
import { createProposals } from './service.ts';
import { createToolBook } from './tool-book.ts';
import { createVoting } from './voting.ts';
import { type ProposalWire, proposalWire } from './wire.ts';

export { type DecisionNotice, decisionOf } from './approvals.ts';
export { createVoteAsk } from './ask.ts';
export { type GovernanceConfig, governanceConfig } from './config.ts';
export type { Ask, AskRequest, GovernancePorts } from './ports.ts';
export { Proposal as ProposalSchema } from './schema.ts';
export { waitingProposals } from './store.ts';
export { type Proposal, SEATS, type Seat } from './types.ts';
export { type ProposalWire, proposalWire } from './wire.ts';

export interface GovernanceOptions {
  db: Db;
  clock: Clock;
  cluster: Cluster;
  config: GovernanceConfig;
  ports: GovernancePorts;
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
  const { db, clock, cluster, config, ports, costs, audit, events } = options;
  const stopping = new AbortController();
  const stop = stopping.signal;

  /** The machine's operator (GOVERNANCE_FILE) has the last word over what a server's registration says. */
  const policyOf = (tool: AgentTool): ToolPolicy =>
    overlay(ports.policyOf(tool) ?? {}, policyFor(config.policies, tool.server, tool.name));

  const records = createRecords({
    db,
    clock,
    config,
    audit,
    allowSelfApproval: options.allowSelfApproval,
  });
  const voting = createVoting({ clock, config, ports });
  const execution = createExecution({
    db,
    clock,
    nodeId: cluster.nodeId,
    executionMs: config.executionMs,
    book: createToolBook({ db, clock, costs: options.costsBesideRuns, audit, policyOf }),
    audit,
    ports,
    stop,
  });
  const board = createBoard({
    db,
    clock,
    cluster,
    records,
    voting,
    execution,
    ports,
    events,
    onError: options.onError,
    stop,
  });
  const proposals = createProposals({ db, clock, config, records, board, ports, policyOf });
  const book: ToolBook = createToolBook({ db, clock, costs, audit, policyOf });
  const gate: ToolGate = createGate({ db, config, policyOf, records, board });

  let timer: NodeJS.Timeout | null = null;
  let sweeping: Promise<void> = Promise.resolve();

  const sweep = (now: number, fresh = false): Promise<void> => {
    sweeping = sweeping.then(() => board.sweep(now, fresh)).catch(options.onError);
    return sweeping;
  };

  return {
    gate,
    book,
    /** For runs that wait: what stands, what was decided, and the end of what nobody waits for any more. */
    approvals: createApprovals({ db, records, board }),
    /** The policy that holds for a tool, the operator's file included. */
    policyOf,
    /**
     * What holds for a tool of which its server's registration says `said`, with every part: the operator's file over
     * it, and the approval that the gate asks for (of a call without untrusted content in its run).
     */
    resolvedPolicy(
      tool: Pick<AgentTool, 'server' | 'name' | 'annotations'>,
      said: ToolPolicy,
    ): { cost_usd: number; risk: Risk; flags: Flag[]; approval: Approval } {
      const policy = overlay(said, policyFor(config.policies, tool.server, tool.name));
      return {
        cost_usd: policy.cost_usd ?? 0,
        risk: riskOf(tool, policy),
        flags: [...(policy.flags ?? [])],
        approval: routeOfCall(tool, policy, { args: {}, tainted: false }, config).approval,
      };
    },
    /** A proposal for answers of other doors (202 of a direct call); 404 as over HTTP. */
    proposal: async (caller: Caller, id: string): Promise<ProposalWire> =>
      proposalWire(await proposals.get(caller, id)),
    /** Ends the open proposal of a run that was stopped; CONFLICT when it is closed already. */
    withdraw: async (caller: Caller, id: string): Promise<void> => {
      await proposals.cancel(caller, id, 'run stopped');
    },
    /** For `users.registerPersonalData`. */
    personalData: createPersonalData({ db, records, board }),
    routes: (): AnyRoute[] => governanceRoutes(proposals),
    /** For the MCP door alone. */
    doorTools: proposalTools(proposals),

    /** What time asks for at `now`: escalation, expiry, and what another process has left undone. */
    sweep: (now: number): Promise<void> => sweep(now),

    /** Takes up what the last process left, then looks every second. */
    async start(): Promise<void> {
      await sweep(clock.now(), true);
      timer = setInterval(() => void sweep(clock.now()), SWEEP_MS);
      timer.unref();
    },

    /** Resolves when votes, executions and notices that are under way in this process have ended. */
    idle: board.idle,

    /** Breaks off votes (cast again at the next start) and calls (they end as unknown), and waits for that. */
    async close(): Promise<void> {
      if (timer !== null) clearInterval(timer);
      stopping.abort(new Error('the server is stopping'));
      await sweeping;
      await board.idle();
    },
  };
};

export type Governance = ReturnType<typeof createGovernance>;
