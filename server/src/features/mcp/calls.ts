import type { SchemaChecker } from '../../http/foreign-schema.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { McpContent } from '../../kernel/mcp.ts';
import type { ToolGate, ToolLedger, ToolPolicies } from '../../kernel/tools.ts';
import { createAgentTools } from './agent-tools.ts';
import { assertUsable, createPerform, type PerformOptions, type ProgressContext } from './perform.ts';
import type { PinBook } from './pins.ts';
import type { Registry } from './registry.ts';
import type { ServerDefinition } from './types.ts';
import { createVisibleTools } from './visible-tools.ts';

/** Everything between a caller and a tool of a server: who may, with which arguments, at what cost, and what comes out. */

export interface CallResult {
  call_id: string;
  server: string;
  tool: string;
  content: McpContent[];
  structured_content: unknown;
  is_error: boolean;
  truncated: boolean;
  duration_ms: number;
}

export interface CallsOptions {
  registry: Registry;
  pins: PinBook;
  schemas: SchemaChecker;
  gate: ToolGate;
  /** Of direct calls; those of agents are booked by their run. */
  toolLedger: ToolLedger;
  observeCall: PerformOptions['observeCall'];
  /** Absent: what the registration and the tool say. */
  toolPolicies?: ToolPolicies;
  /** What stands behind a name: equal for the same registration, command and address. */
  originOf(definition: ServerDefinition): string;
}

export const createCalls = (options: CallsOptions) => {
  const { gate, toolLedger } = options;
  const visible = createVisibleTools(options);
  const performing = createPerform(options);
  const { agentTool, list } = createAgentTools({ ...options, ...visible, ...performing });
  const { findServer, toolOf } = visible;
  const { checkArguments, perform } = performing;

  return {
    ...visible,
    list,

    /** A direct call (contract, section 9). */
    async call(
      serverName: string,
      request: { tool: string; arguments: Record<string, unknown>; timeoutMs: number | null },
      context: ProgressContext,
    ): Promise<{ outcome: 'done'; result: CallResult } | { outcome: 'wait'; proposalId: string }> {
      const { caller } = context;
      const server = findServer(caller, serverName);
      const timeoutMs = request.timeoutMs ?? server.definition.timeoutMs;
      await server.runtime.settled(timeoutMs, context.signal);
      const { status, lastError } = server.runtime.state();
      const tool = await toolOf(caller, server, request.tool);
      if (status !== 'connected') {
        throw new AppError('SERVICE_UNAVAILABLE', `the MCP server ${serverName} is not connected`, {
          details: { server: serverName, status, reason: lastError },
          retryAfterS: 5,
        });
      }
      if (tool === null) throw notFound('tool');
      assertUsable(tool, caller);
      checkArguments(tool, request.arguments);
      const asked = agentTool(tool);
      const decision = await gate.check(asked, request.arguments, context);
      if (decision.outcome === 'wait') return decision;
      if (decision.outcome === 'denied') {
        await toolLedger.refused(asked, request.arguments, context, decision.reason, decision.proposalId);
        throw new AppError('FORBIDDEN', decision.reason, {
          details: { required: 'approval', proposal_id: decision.proposalId },
        });
      }
      const { result, durationMs } = await toolLedger.carryOut(
        asked,
        request.arguments,
        context,
        async () => {
          const done = await perform(tool, request.arguments, context, timeoutMs);
          return { ...done, isError: done.result.isError };
        },
      );
      return {
        outcome: 'done',
        result: {
          call_id: newId(),
          server: serverName,
          tool: request.tool,
          content: result.content,
          structured_content: result.structured ?? null,
          is_error: result.isError,
          truncated: result.truncated,
          duration_ms: durationMs,
        },
      };
    },
  };
};

export type Calls = ReturnType<typeof createCalls>;
