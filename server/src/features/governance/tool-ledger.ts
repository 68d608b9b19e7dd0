import type { Db, Tx } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { nanoToUsd, usdToNano } from '../../kernel/money.ts';
import type { AgentTool, ToolContext, ToolLedger } from '../../kernel/tools.ts';
import { type Audit, type AuditEvent, actorOf } from '../audit/index.ts';
import { type Costs, createMetered, type LedgerEntry } from '../costs/index.ts';
import { hashOf } from './hash.ts';
import type { HoldingPolicies } from './tool-policies.ts';

interface ToolLedgerOptions {
  db: Db;
  clock: Clock;
  costs: Pick<Costs, 'hold' | 'settle'>;
  audit: Pick<Audit, 'append'>;
  policies: Pick<HoldingPolicies, 'of'>;
}

/** What a row says of a failure: the code of a fault of ours, never a text that a tool wrote. */
const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : 'FAILED');

const entryOf = (tool: AgentTool, costNanoUsd: number): LedgerEntry => ({
  kind: 'tool',
  model: null,
  tool: `${tool.server}.${tool.name}`,
  usage: null,
  costNanoUsd,
  estimated: false,
});

/**
 * One price for a tool everywhere: the `cost_usd` of the policy that holds for it. It is on the ledger when the tool
 * has answered, with an error of its own too; a call that broke off costs nothing here.
 */
export const createToolLedger = ({ db, clock, costs, audit, policies }: ToolLedgerOptions): ToolLedger => {
  const metered = createMetered({ db, costs });

  const eventOf = (
    tool: AgentTool,
    args: Record<string, unknown>,
    context: ToolContext,
    details: Record<string, unknown>,
  ): Omit<AuditEvent, 'outcome' | 'action'> => ({
    tenantId: context.caller.tenantId,
    actorId: context.caller.userId,
    actorType: context.agentId === null ? actorOf(context.caller).actorType : 'agent',
    targetType: 'tool',
    targetId: `${tool.server}.${tool.name}`,
    requestId: context.requestId,
    details: {
      agent_id: context.agentId,
      conversation_id: context.conversationId,
      run_id: context.runId,
      arguments_sha256: hashOf(args),
      ...details,
    },
  });

  return {
    async carryOut(tool, args, context, work) {
      const { caller, agentId, conversationId, runId, requestId } = context;
      const { tenantId, userId } = caller;
      const price = usdToNano(policies.of(tool).cost_usd ?? 0);
      const subject = { tenantId, userId, agentId, conversationId, runId, requestId };
      const request = { ...subject, kind: 'tool' as const, worstNano: price, runUsedNano: 0 };
      // That a foreign server calls its tool harmless is no proof.
      const leavesTrace = tool.server !== 'pentarch' || !tool.annotations.readOnly;
      // What may change something is in the chain before it is done: the end of this process must not hide it.
      const started = (tx: Tx) =>
        audit.append(tx, { ...eventOf(tool, args, context, {}), action: 'tool.started' });
      let startedAt = 0;
      let end: { costNano: number; outcome: 'success' | 'failed'; reason?: string } = {
        costNano: 0,
        outcome: 'failed',
      };
      const called = (tx: Tx) => {
        const { costNano, outcome, ...reason } = end;
        const details = {
          duration_ms: clock.now() - startedAt,
          cost_usd: nanoToUsd(costNano),
          ...reason,
        };
        return audit.append(tx, { ...eventOf(tool, args, context, details), action: 'tool.called', outcome });
      };
      const paid = async (used: (entry: LedgerEntry) => void) => {
        startedAt = clock.now();
        const result = await work().catch((error: unknown) => {
          end.reason = context.signal.aborted ? 'ABORTED' : codeOf(error);
          throw error;
        });
        const costNanoUsd = result.costNanoUsd ?? price;
        if (costNanoUsd > 0) used(entryOf(tool, costNanoUsd));
        end = { costNano: costNanoUsd, outcome: result.isError ? 'failed' : 'success' };
        return { ...result, costNanoUsd };
      };
      return metered(request, paid, { reserved: leavesTrace ? started : undefined, booked: called });
    },

    refused: (tool, args, context, reason, proposalId = null) =>
      db.write((tx) =>
        audit.append(tx, {
          ...eventOf(tool, args, context, { reason: reason.slice(0, 200), proposal_id: proposalId }),
          action: 'tool.refused',
          outcome: 'refused',
        }),
      ),
  };
};
