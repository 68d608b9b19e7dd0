import type { Db, Queryable } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { nanoToUsd, usdToNano } from '../../kernel/money.ts';
import type { ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool, ToolBook, ToolContext } from '../../kernel/tools.ts';
import { type Audit, type AuditEvent, actorOf } from '../audit/index.ts';
import type { Costs } from '../costs/index.ts';
import { hashOf } from './hash.ts';

export interface ToolBookOptions {
  db: Db;
  clock: Clock;
  costs: Pick<Costs, 'hold' | 'settle'>;
  audit: Pick<Audit, 'append'>;
  policyOf(tool: AgentTool): ToolPolicy;
}

/** What a row says of a failure: the code of a fault of ours, never a text that a tool wrote. */
const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : 'FAILED');

/**
 * One price for a tool everywhere: the `cost_usd` of the policy that holds for it. It is on the ledger when the tool
 * has answered, with an error of its own too; a call that broke off costs nothing here.
 */
export const createToolBook = ({ db, clock, costs, audit, policyOf }: ToolBookOptions): ToolBook => {
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
      const subject = {
        tenantId: context.caller.tenantId,
        userId: context.caller.userId,
        agentId: context.agentId,
        conversationId: context.conversationId,
        runId: context.runId,
        requestId: context.requestId,
      };
      const price = usdToNano(policyOf(tool).cost_usd ?? 0);
      const reserve = (tx: Queryable) =>
        costs.hold(tx, { ...subject, kind: 'tool', worstNano: price, runUsedNano: 0 });
      // That a foreign server calls its tool harmless is no proof.
      const leavesTrace = tool.server !== 'pentarch' || !tool.annotations.readOnly;
      // What may change something stands in the chain before it is done: the end of this process must not hide it.
      const begin = async (tx: Queryable) => {
        const held = price === 0 ? null : await reserve(tx);
        if (leavesTrace)
          await audit.append(tx, { ...eventOf(tool, args, context, {}), action: 'tool.started' });
        return held;
      };
      const hold = price === 0 && !leavesTrace ? null : await db.write(begin);
      const startedAt = clock.now();
      const book = (costNanoUsd: number, outcome: 'success' | 'failed', more: Record<string, unknown>) =>
        db.write(async (tx) => {
          const entry = {
            kind: 'tool' as const,
            model: null,
            tool: `${tool.server}.${tool.name}`,
            usage: null,
            costNanoUsd,
            estimated: false,
          };
          if (hold !== null) await costs.settle(tx, hold, costNanoUsd === 0 ? [] : [entry]);
          else if (costNanoUsd > 0) await costs.settle(tx, await reserve(tx), [entry]);
          const details = {
            duration_ms: clock.now() - startedAt,
            cost_usd: nanoToUsd(costNanoUsd),
            ...more,
          };
          await audit.append(tx, {
            ...eventOf(tool, args, context, details),
            action: 'tool.called',
            outcome,
          });
        });
      const result = await work().catch(async (error: unknown) => {
        await book(0, 'failed', { reason: context.signal.aborted ? 'ABORTED' : codeOf(error) });
        throw error;
      });
      const costNanoUsd = result.costNanoUsd ?? price;
      await book(costNanoUsd, result.isError ? 'failed' : 'success', {});
      return { ...result, costNanoUsd };
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
