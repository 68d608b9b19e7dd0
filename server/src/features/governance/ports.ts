import type { Caller } from '../../kernel/caller.ts';
import type { ModelMessage } from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { CallerFor } from '../../kernel/stored-credential.ts';
import type { ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import type { Proposal, Seat } from './types.ts';

/** What governance needs of its neighbours; handed over in `module.ts`. */

export interface AskRequest {
  proposal: Proposal;
  seat: Seat;
  /** `provider/name`; null = the model of the platform. */
  model: string | null;
  messages: ModelMessage[];
  schema: { name: string; schema: Record<string, unknown> };
  signal: AbortSignal;
}

/** The text that the model answered, metered and limited as every call; throws where there is none. */
export type Ask = (request: AskRequest) => Promise<{ text: string; model: string }>;

export interface GovernancePorts {
  /** True where this seat's model is a real one; the built-in has no judgement, so the written rules vote. */
  hasModel(model: string | null): boolean;
  /** A local model answers one question after another: the name of its queue. Null for those that take all at once. */
  queueOf(model: string | null): string | null;
  ask: Ask;
  /** The policy that the tool's server carries (MCP); null for none. */
  policyOf(tool: AgentTool): ToolPolicy | null;
  /** A tool as this caller may use it now; null where it does not exist for them. */
  findTool(caller: Caller, agentId: string | null, server: string, name: string): Promise<AgentTool | null>;
  /** Resolves when the server has had its time to connect: sooner nobody can say that it has no such tool. */
  serverReady(tenantId: string, server: string, signal: AbortSignal): Promise<void>;
  callerOf: CallerFor;
  /** What the tenant may still spend this month; null without a limit. */
  budget(tenantId: string): Promise<{ limitNano: NanoUsd; remainingNano: NanoUsd } | null>;
  toolHealth(
    tenantId: string,
    server: string,
    name: string,
  ): Promise<{ available: boolean; calls: number; failures: number } | null>;
}
