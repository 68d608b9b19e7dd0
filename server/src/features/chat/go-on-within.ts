import type { Clock } from '../../kernel/clock.ts';
import type { AgentTool, ToolContext, ToolOutcome } from '../../kernel/tools.ts';
import { failedWithin, settledCall } from './settled-call.ts';
import type { SettledCall } from './steps.rules.ts';
import { resultOf } from './tool-call.ts';

/** Calls within which another agent waited for decisions that are there now: each comes to its end, or waits again. */

const goOnWith = async (
  call: SettledCall,
  tool: AgentTool | undefined,
  context: ToolContext,
  clock: Clock,
): Promise<{ tool: AgentTool; outcome: ToolOutcome; ms: number } | string> => {
  if (tool?.goOn === undefined || call.handedOn === undefined)
    return `there is no tool ${call.name} any more`;
  const startedAt = clock.now();
  try {
    const outcome = await tool.goOn(call.handedOn, context);
    return { tool, outcome, ms: clock.now() - startedAt };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** All of them at once. What they have used is in the calls that come back, also where the run is stopped meanwhile. */
export const goOnWithCalls = async (
  calls: readonly SettledCall[],
  toolOf: (call: SettledCall) => AgentTool | undefined,
  context: ToolContext,
  firstPassage: number,
  clock: Clock,
): Promise<SettledCall[]> => {
  const ends = await Promise.all(calls.map((call) => goOnWith(call, toolOf(call), context, clock)));
  let number = firstPassage;
  return calls.map((call, i) => {
    const end = ends[i] ?? 'it was lost';
    if (typeof end === 'string') return failedWithin(call, end);
    const item = { ...call.item, duration_ms: call.item.duration_ms + end.ms };
    const result = resultOf(item, end.tool, end.outcome, call.ownNano ?? 0);
    const asked = { id: call.callId, name: call.name, arguments: '' };
    const settled = settledCall(asked, result, number);
    number += settled.passages.length;
    return settled;
  });
};
