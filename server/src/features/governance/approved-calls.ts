import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { orAborted } from '../../kernel/races.ts';
import type { ToolContext, ToolLedger, ToolOutcome } from '../../kernel/tools.ts';
import type { Audit } from '../audit/index.ts';
import { claimExecution, finishExecution } from './executions.store.ts';
import { hashOf } from './hash.ts';
import type { GovernancePorts } from './ports.ts';
import type { Proposal } from './types.ts';

/**
 * Carries out the stored call of an approved proposal exactly once. The claim is committed before the tool is called and
 * never given back: what happens to the process afterwards can end the execution as `unknown`, but not start it again.
 */
interface ApprovedCallsOptions {
  db: Db;
  clock: Clock;
  nodeId: string;
  executionMs: number;
  toolLedger: ToolLedger;
  audit: Pick<Audit, 'append'>;
  ports: Pick<GovernancePorts, 'findTool' | 'serverReady' | 'callerOf'>;
  stop: AbortSignal;
}

type End = { status: 'completed' | 'failed' | 'unknown'; result: unknown; error: string | null };

const GIVEN_BACK = 'approved; the run goes on with this call';

const failed = (error: string): End => ({ status: 'failed', result: null, error });

/** Time after the tool's own limit in which its end is still written; then others may call it unknown. */
const GRACE_MS = 60_000;

export const createApprovedCalls = (options: ApprovedCallsOptions) => {
  const { db, clock, toolLedger, audit, ports, stop } = options;

  const event = (proposal: Proposal, action: string, details: Record<string, unknown>) => ({
    tenantId: proposal.tenantId,
    actorId: null,
    actorType: 'system' as const,
    action,
    targetType: 'proposal',
    targetId: proposal.id,
    requestId: proposal.requestId,
    details: {
      server: proposal.tool?.server,
      tool: proposal.tool?.name,
      arguments_sha256: hashOf(proposal.tool?.arguments ?? null),
      ...details,
    },
  });

  /** The call with what the credential that asked has of the person's rights now, and its metered cost. */
  const callTool = async (proposal: Proposal): Promise<End> => {
    const stored = proposal.tool;
    if (stored === null) return failed('there is nothing to carry out');
    const caller = await ports.callerOf(proposal.tenantId, proposal.requestedBy, proposal.credential);
    if (caller === null)
      return failed('the person who asked for it is no longer active, or the key that asked was deleted');
    const tool = await ports.findTool(caller, proposal.agentId, stored.server, stored.name);
    if (tool === null) return failed(`the tool ${stored.server}.${stored.name} is not available any more`);
    if (tool.origin !== stored.origin) {
      return failed(
        `the server ${stored.server} is not the one that the approval was asked for: it was registered anew or changed since; ask again`,
      );
    }
    if (!caller.permissions.has(tool.permission)) {
      return failed(`the person who asked for it lacks the permission ${tool.permission}`);
    }
    // The run makes it, once it knows of the decision: it alone has what the call needs.
    if (tool.goOn !== undefined) return { status: 'completed', result: GIVEN_BACK, error: null };
    const timeout = AbortSignal.timeout(options.executionMs);
    const context: ToolContext = {
      caller,
      agentId: proposal.agentId,
      conversationId: proposal.conversationId,
      runId: proposal.runId,
      requestId: proposal.requestId ?? proposal.id,
      signal: AbortSignal.any([timeout, stop]),
      tainted: proposal.tainted,
    };
    let outcome: ToolOutcome;
    try {
      outcome = await toolLedger.carryOut(tool, stored.arguments, context, () =>
        orAborted(tool.call(stored.arguments, context), context.signal),
      );
    } catch (error) {
      if (timeout.aborted || stop.aborted) {
        const why = timeout.aborted
          ? `no answer within ${options.executionMs / 1000} s`
          : 'the server stopped';
        return { status: 'unknown', result: null, error: `${why}: it may have been carried out` };
      }
      return failed(error instanceof AppError ? error.message : 'the tool failed');
    }
    return outcome.isError
      ? { status: 'failed', result: outcome.structured ?? null, error: outcome.content }
      : { status: 'completed', result: outcome.structured ?? outcome.content, error: null };
  };

  /** Writes how it ended; the first end counts. */
  const finish = (proposal: Proposal, end: End): Promise<boolean> =>
    db.write(async (tx) => {
      if (!(await finishExecution(tx, proposal.id, end))) return false;
      await audit.append(tx, {
        ...event(proposal, 'proposal.executed', {
          status: end.status,
          result_sha256: hashOf(end.result ?? null),
          ...(end.error === null ? {} : { error_sha256: hashOf(end.error) }),
        }),
        outcome: end.status === 'completed' ? 'success' : 'failed',
      });
      return true;
    });

  return {
    /** Runs the call if nobody has; false where somebody else has the claim. */
    async carryOut(proposal: Proposal): Promise<boolean> {
      // Before the claim: a process that ends while it waits here has called nothing.
      const { tenantId, tool } = proposal;
      if (tool !== null) await ports.serverReady(tenantId, tool.server, stop);
      if (stop.aborted) return false;
      const deadline = clock.now() + options.executionMs + GRACE_MS;
      const claimed = await db.write(async (tx) => {
        if (!(await claimExecution(tx, proposal.id, options.nodeId, deadline))) return false;
        await audit.append(tx, event(proposal, 'proposal.execution_started', {}));
        return true;
      });
      if (!claimed) return false;
      let end: End;
      try {
        end = await callTool(proposal);
      } catch (error) {
        end = failed(error instanceof AppError ? error.message : 'the call could not be made');
      }
      await finish(proposal, end);
      return true;
    },

    /** Gives up a call whose process died while it ran: nobody can say whether it was carried out. */
    giveUp: (proposal: Proposal): Promise<boolean> =>
      finish(proposal, {
        status: 'unknown',
        result: null,
        error:
          'the server stopped while the call was running: it may have been carried out; it is not tried again',
      }),
  };
};

export type ApprovedCalls = ReturnType<typeof createApprovedCalls>;
