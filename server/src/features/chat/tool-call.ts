import { createSchemaChecker, type SchemaChecker } from '../../http/foreign-schema.ts';
import type { Clock } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { ModelToolCall } from '../../kernel/model.ts';
import { type NanoUsd, nanoToUsd } from '../../kernel/money.ts';
import { orAborted } from '../../kernel/races.ts';
import type { Spending } from '../../kernel/spending.ts';
import { storableDeep } from '../../kernel/storable.ts';
import { CLEAN, type Taint } from '../../kernel/taint.ts';
import {
  type AgentTool,
  type ToolContext,
  type ToolGate,
  type ToolLedger,
  type ToolOutcome,
  taintOfCall,
} from '../../kernel/tools.ts';
import type { ToolCall } from '../conversations/index.ts';
import { inToolSpan } from './tool-span.ts';
import { parseArguments } from './tools.rules.ts';

/** One tool call of a run, from what the model wrote to what it is told, through the gate. */
export interface ToolCallResult {
  item: ToolCall;
  /** Text for the model. */
  answer: string;
  outcome: ToolOutcome | null;
  /** Set where the run must wait for a decision. */
  proposalId: string | null;
  /** No limit leaves room for what the tool costs: it was not called, and the run ends. */
  exceeded: AppError | null;
  /** What the tool has embedded at the run's cost. */
  embeddedNano: NanoUsd;
  /** What the run has come to hold by it. */
  taint: Taint;
  /** What it will come to hold by it, once it is decided. */
  laterTaint?: Taint;
}

const schemas = createSchemaChecker();

/** What breaks the schema, or null. A schema that cannot be used checks nothing here; the tool checks itself. */
export const schemaFault = (
  schema: Record<string, unknown>,
  args: Record<string, unknown>,
  by: SchemaChecker = schemas,
): string | null => {
  const verdict = by.check(schema, args);
  if (verdict.ok || 'unusable' in verdict) return null;
  return verdict.faults
    .map(({ instancePath, message }) => `arguments${instancePath} ${message ?? 'is invalid'}`)
    .join(', ');
};

interface ToolCallOptions {
  gate: ToolGate;
  toolLedger: ToolLedger;
  clock: Clock;
  timeoutMs: number;
  onStart(item: ToolCall): void;
}

const messageOfError = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const toolCallItem = (
  call: ModelToolCall,
  tool: AgentTool | undefined,
  agentId: string,
  args: Record<string, unknown>,
): ToolCall => ({
  id: call.id === '' ? newId() : call.id,
  agent_id: agentId,
  server: tool?.server ?? 'pentarch',
  name: tool?.name ?? call.name,
  arguments: args,
  status: 'completed',
  result: null,
  error: null,
  duration_ms: 0,
  cost_usd: 0,
});

/** What the tool has given, as the run takes it. */
export const resultOf = (
  item: ToolCall,
  tool: AgentTool,
  outcome: ToolOutcome,
  embeddedNano: NanoUsd,
): ToolCallResult => ({
  item:
    outcome.suspended === undefined
      ? {
          ...item,
          status: outcome.isError ? 'failed' : 'completed',
          result: outcome.structured ?? outcome.content,
          error: outcome.isError ? outcome.content : null,
        }
      : { ...item, status: 'awaiting_approval' },
  answer: outcome.isError ? `Error: ${outcome.content}` : outcome.content,
  outcome,
  proposalId: null,
  exceeded: null,
  embeddedNano,
  taint: taintOfCall(tool, outcome),
});

const failedResult = (
  item: ToolCall,
  reason: string,
  status: 'failed' | 'denied',
  more: Partial<ToolCallResult> = {},
): ToolCallResult => ({
  item: { ...item, status, error: reason },
  answer: `Error: ${reason}`,
  outcome: null,
  proposalId: null,
  exceeded: null,
  embeddedNano: 0,
  taint: CLEAN,
  ...more,
});

/** Makes a call that may be made. Never throws but for an aborted run. */
export const carryOutCall = async (
  item: ToolCall,
  tool: AgentTool,
  context: ToolContext,
  options: Omit<ToolCallOptions, 'gate' | 'onStart'>,
  startedAt: number,
): Promise<ToolCallResult> => {
  const args = item.arguments;
  const step: Spending = { nano: 0 };
  const { paying: run } = context;
  const paying = run === undefined ? undefined : { ...run, agentId: item.agent_id, step };
  const failed = (reason: string, more: Partial<ToolCallResult> = {}): ToolCallResult =>
    failedResult({ ...item, duration_ms: options.clock.now() - startedAt }, reason, 'failed', {
      embeddedNano: step.nano,
      ...more,
    });
  const timeoutMs = tool.timeoutMs ?? options.timeoutMs;
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([context.signal, timeout]);
  try {
    const outcome = await options.toolLedger.carryOut(tool, args, { ...context, signal }, async () =>
      storableDeep(await orAborted(tool.call(args, { ...context, signal, paying }), signal)),
    );
    const duration_ms = options.clock.now() - startedAt;
    const ended = { ...item, duration_ms, cost_usd: nanoToUsd(outcome.costNanoUsd) };
    return resultOf(ended, tool, outcome, step.nano);
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (error instanceof AppError && error.code === 'COST_EXCEEDED')
      return failed(error.message, { exceeded: error });
    if (timeout.aborted) return failed(`no answer within ${timeoutMs / 1000} s`);
    return failed(messageOfError(error), { taint: taintOfCall(tool, null) });
  }
};

const settleCall = async (
  call: ModelToolCall,
  tool: AgentTool | undefined,
  agentId: string,
  context: ToolContext,
  options: ToolCallOptions,
): Promise<ToolCallResult> => {
  const parsed = parseArguments(call.arguments);
  const item = toolCallItem(call, tool, agentId, parsed.ok ? parsed.value : {});
  const startedAt = options.clock.now();
  const failed = (reason: string, status: 'failed' | 'denied' = 'failed'): ToolCallResult =>
    failedResult({ ...item, duration_ms: options.clock.now() - startedAt }, reason, status);
  if (tool === undefined) return failed(`there is no tool ${call.name}`);
  if (!parsed.ok) return failed(parsed.reason);
  const fault = schemaFault(tool.inputSchema, parsed.value);
  if (fault !== null) return failed(fault);
  if (!context.caller.permissions.has(tool.permission)) {
    const reason = `the person lacks the permission ${tool.permission}`;
    await options.toolLedger.refused(tool, parsed.value, context, reason);
    return failed(reason, 'denied');
  }
  options.onStart(item);
  const decision = await options.gate.check(tool, parsed.value, context);
  if (decision.outcome === 'denied') {
    await options.toolLedger.refused(tool, parsed.value, context, decision.reason, decision.proposalId);
    return failed(decision.reason, 'denied');
  }
  if (decision.outcome === 'wait') {
    return {
      item: { ...item, status: 'awaiting_approval' },
      answer: `This call waits for approval (proposal ${decision.proposalId}).`,
      outcome: null,
      proposalId: decision.proposalId,
      exceeded: null,
      embeddedNano: 0,
      taint: CLEAN,
      laterTaint: taintOfCall(tool, null),
    };
  }
  return carryOutCall(item, tool, context, options, startedAt);
};

/**
 * Runs the call. Never throws but for an aborted run: what goes wrong is told to the model, which may try another way.
 */
export const runToolCall = (
  call: ModelToolCall,
  tool: AgentTool | undefined,
  agentId: string,
  context: ToolContext,
  options: ToolCallOptions,
): Promise<ToolCallResult> =>
  inToolSpan(call, tool, agentId, () => settleCall(call, tool, agentId, context, options));
