import type { AppError } from '../../kernel/errors.ts';
import type { AgentTool, ToolContext } from '../../kernel/tools.ts';
import { failedWithin, settledCall } from './settled-call.ts';
import type { SettledCall } from './steps.rules.ts';
import { carryOutCall, resultOf, type ToolCallResult } from './tool-call.ts';

/**
 * Calls that the run goes on with after decisions: another agent waited within, or the call itself is approved and the run's
 * to make. Each comes to its end, or waits again.
 */

type Options = Parameters<typeof carryOutCall>[3];

const goOnWith = async (
  call: SettledCall,
  tool: AgentTool | undefined,
  context: ToolContext,
  options: Options,
): Promise<ToolCallResult | string> => {
  if (tool?.goOn === undefined) return `there is no tool ${call.name} any more`;
  const { clock } = options;
  const startedAt = clock.now();
  try {
    if (call.toCarryOut) return await carryOutCall(call.item, tool, context, options, startedAt);
    const outcome = await tool.goOn(call.handedOn, context);
    const item = { ...call.item, duration_ms: call.item.duration_ms + clock.now() - startedAt };
    return resultOf(item, tool, outcome, call.ownNano ?? 0);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** All of them at once. What they have used is in the calls that come back, also where the run is stopped meanwhile. */
export const goOnWithCalls = async (
  open: readonly SettledCall[],
  toolOf: (call: SettledCall) => AgentTool | undefined,
  context: ToolContext,
  firstPassage: number,
  options: Options,
): Promise<{ calls: SettledCall[]; exceeded: AppError | null }> => {
  const ends = await Promise.all(open.map((call) => goOnWith(call, toolOf(call), context, options)));
  let number = firstPassage;
  let exceeded: AppError | null = null;
  const calls = open.map((call, i) => {
    const end = ends[i] ?? 'it was lost';
    if (typeof end === 'string') return failedWithin(call, end);
    exceeded ??= end.exceeded;
    const settled = settledCall({ id: call.callId, name: call.name, arguments: '' }, end, number);
    number += settled.passages.length;
    return settled;
  });
  return { calls, exceeded };
};
