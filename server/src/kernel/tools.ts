import type { CallEvidence } from './call-evidence.ts';
import type { Caller } from './caller.ts';
import type { NanoUsd } from './money.ts';
import type { PayingRun } from './spending.ts';
import type { Taint } from './taint.ts';
import type { ResolvedPolicy, ToolPolicy } from './tool-policy.ts';

/**
 * The tool port: what agents may call. Sources are the platform's own features (search, memory, tasks, …) and the MCP
 * gateway; every way to a tool goes through `ToolGate`.
 */

export interface ToolContext {
  caller: Caller;
  /** Null for a direct call through the API. */
  agentId: string | null;
  conversationId: string | null;
  runId: string | null;
  requestId: string;
  /** Aborted on cancel, time-out and shutdown; a tool must stop then. */
  signal: AbortSignal;
  /** True once untrusted content stands in the run or its conversation (kernel/taint.ts). */
  tainted: boolean;
  /** Pays for what the tool embeds; left out where no run goes on. */
  paying?: PayingRun | undefined;
  /** The person's message that began the run, whichever agent has the task by now. */
  asked?: string;
  /** What was asked and what in the run may have led to a call with these arguments, for those who decide about it. */
  evidence?: (args: Record<string, unknown>) => CallEvidence;
  /** How often the task has been handed from agent to agent; 0 for the first. */
  depth?: number;
  /** The chat is stored nowhere: nothing is kept that could wait for a decision. */
  temporary?: boolean;
}

export interface ToolAnnotations {
  readOnly: boolean;
  destructive: boolean;
  /** Calling it twice with the same arguments is harmless: only such tools are repeated after a crash. */
  idempotent: boolean;
  /** Reaches outside of the platform. */
  openWorld: boolean;
}

export interface ToolOutcome {
  /** Text for the model, already capped. */
  content: string;
  isError: boolean;
  structured?: unknown;
  /** What the call cost, where the tool knows it better than its policy (`cost_usd`) says. */
  costNanoUsd?: NanoUsd;
  /** What the call has spent that stands on the ledger already (a delegated run). */
  spentNanoUsd?: NanoUsd;
  /** What other agents have done within the call: it counts as theirs. */
  work?: AgentWork[];
  /** What the outcome brings into the run, where it depends on what was found; else `AgentTool.taint` says it. */
  taint?: Taint;
  /** Passages that the answer may cite, for tools that search documents. */
  passages?: ToolPassage[];
  /** `content` cites `passages` by their place, as [1], [2] …; else they are what the model is told. */
  citedInContent?: boolean;
  /** Set where the work waits for decisions: what `AgentTool.goOn` needs, as plain data. The rest says what has been used so far. */
  suspended?: unknown;
}

/** What one agent has done for another within a run, without what it has handed on itself. */
export interface AgentWork {
  agentId: string;
  ok: boolean;
  usage: TokenSum;
  costNano: NanoUsd;
  toolCalls: number;
  startedAt: number;
  latencyMs: number;
  firstTokenMs: number | null;
}

/** Token counts as the wire names them. */
export interface TokenSum {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  reasoning_tokens: number;
}

export interface ToolPassage {
  documentId: string;
  chunkId: string;
  title: string;
  page: number | null;
  text: string;
  score: number;
  /** An administrator vouches for the document: it leaves no mark. */
  trusted?: boolean;
}

export interface AgentTool {
  /** Name of the MCP server, or `pentarch` for the platform's own. */
  server: string;
  /** Unique within the server; the model sees `server.name` with dots made safe for its provider. */
  name: string;
  description: string;
  /** JSON Schema of the arguments; checked before every call. */
  inputSchema: Record<string, unknown>;
  annotations: ToolAnnotations;
  /** Longest time for a call in ms, where the platform's own limit does not fit. */
  timeoutMs?: number;
  /** Permission that the caller needs; agents act as the caller. */
  permission: string;
  /**
   * Names what stands behind `server` now: another registration, command or address under the same name is another
   * origin. An approval holds for the origin that it was asked for. Left out by the platform's own tools.
   */
  origin?: string | undefined;
  /** Of a server that is part of the platform: what it changes is kept here. */
  builtIn?: true;
  /** What its results bring into a run. Left out: content of others (`tools`). */
  taint?: Taint;
  /** Changes the person's own things or writes to people: in a marked run the person is asked. A function looks at the call. */
  personal?: boolean | ((args: Record<string, unknown>) => boolean);
  /** Its description was written elsewhere and accepted by nobody: a run that is told of it is marked. */
  foreignDescription?: boolean;
  call(args: Record<string, unknown>, context: ToolContext): Promise<ToolOutcome>;
  /**
   * Goes on with what `call` or an earlier `goOn` has suspended; the outcome counts all from the beginning. A tool that has
   * it works within a run: an approved call is the run's to make.
   */
  goOn?(suspended: unknown, context: ToolContext): Promise<ToolOutcome>;
}

/** What a call of the tool has brought into the run; of a tool that is not there any more nobody knows. */
export const taintOfCall = (
  tool: Pick<AgentTool, 'taint'> | undefined,
  outcome: Pick<ToolOutcome, 'taint'> | null,
): Taint => outcome?.taint ?? tool?.taint ?? ['tools'];

export const taintOfDescriptions = (tools: readonly Pick<AgentTool, 'foreignDescription'>[]): Taint =>
  tools.some((tool) => tool.foreignDescription === true) ? ['tool_descriptions'] : [];

export const taintOfPassages = (passages: readonly Pick<ToolPassage, 'trusted'>[]): Taint =>
  passages.every((passage) => passage.trusted === true) ? [] : ['documents'];

export interface ToolSource {
  /** True where the list depends on the caller and the agent alone: it is asked once for both. */
  fixed?: boolean;
  /** Whether a server of these tools answers; null for one that the tenant does not have. Left out by the platform's own. */
  connected?(tenantId: string, server: string): boolean | null;
  /**
   * Resolves when the server has had its time to connect since its start; with null, when each server of the tenant has tried.
   * To be awaited by work that goes on after a restart. Left out by the platform's own.
   */
  ready?(tenantId: string, server: string | null, signal: AbortSignal): Promise<void>;
  /** Tools that this caller may use through this agent now. Cheap: it is asked once for each run. */
  list(caller: Caller, agentId: string | null): readonly AgentTool[] | Promise<readonly AgentTool[]>;
}

export type GateDecision =
  | { outcome: 'run' }
  | { outcome: 'denied'; reason: string; proposalId: string | null }
  /** A proposal was made, or there is one for the same call: the run waits for it. */
  | { outcome: 'wait'; proposalId: string };

/**
 * The ledger of every tool call, whichever door it comes through: its price is reserved before and settled after, and its
 * end is in the audit chain before anybody hears of it.
 */
export interface ToolLedger {
  /**
   * Makes the call and books it. Throws COST_EXCEEDED, with nothing called, where the price has no room, and whatever
   * `work` throws.
   */
  carryOut<T extends { isError: boolean; costNanoUsd?: NanoUsd }>(
    tool: AgentTool,
    args: Record<string, unknown>,
    context: ToolContext,
    work: () => Promise<T>,
  ): Promise<T & { costNanoUsd: NanoUsd }>;
  /** A call that was refused, by rights or by the gate. */
  refused(
    tool: AgentTool,
    args: Record<string, unknown>,
    context: ToolContext,
    reason: string,
    proposalId?: string | null,
  ): Promise<void>;
}

/**
 * Governance in front of a tool call (contract, section 7), the same on every way to a tool. Whoever is told to wait hears of
 * the decision through the ports of kernel/decisions.ts.
 */
export interface ToolGate {
  check(tool: AgentTool, args: Record<string, unknown>, context: ToolContext): Promise<GateDecision>;
}

/** What governance says of a tool, for those who show it. */
export interface ToolPolicies {
  /**
   * With every part, where the registration says `said`: the operator's file over it, and the approval that the gate asks
   * for (of a call without untrusted content in its run).
   */
  resolve(tool: Pick<AgentTool, 'server' | 'name' | 'annotations'>, said: ToolPolicy): ResolvedPolicy;
}
