import type { Decision } from '../../kernel/decisions.ts';
import type { ModelToolCall } from '../../kernel/model.ts';
import { sumNano } from '../../kernel/money.ts';
import { storableDeep } from '../../kernel/storable.ts';
import { CLEAN } from '../../kernel/taint.ts';
import { type AgentTool, taintOfCall } from '../../kernel/tools.ts';
import { renumber } from './citations.rules.ts';
import { isUnsettled, type SettledCall } from './steps.rules.ts';
import { type ToolCallResult, toolCallItem } from './tool-call.ts';
import { isDelegate } from './tool-list.ts';
import { parseArguments } from './tools.rules.ts';

/** What stands of a tool call in a run's steps: what it gave, that it waits, and what became of it then. */

/** Calls of tools that one answer may ask for. */
export const MAX_CALLS_AT_ONCE = 32;
const RESTARTED = 'the server was restarted during this call';
const UNKNOWN_TEXT = `Error: ${RESTARTED}; it is not known whether it took effect. Check before you try again.`;

/** A call that a crash interrupted and that may not be repeated: nobody knows whether it took effect. */
export const unknownCall = (
  call: ModelToolCall,
  tool: AgentTool | undefined,
  agentId: string,
): SettledCall => {
  const parsed = parseArguments(call.arguments);
  return {
    callId: call.id,
    name: call.name,
    item: {
      ...toolCallItem(call, tool, agentId, parsed.ok ? parsed.value : {}),
      status: 'unknown',
      error: RESTARTED,
    },
    text: UNKNOWN_TEXT,
    passages: [],
    costNano: 0,
    proposalId: null,
    taint: taintOfCall(tool, null),
  };
};

export const oneTooMany = (
  call: ModelToolCall,
  tool: AgentTool | undefined,
  agentId: string,
): SettledCall => {
  const parsed = parseArguments(call.arguments);
  const error = `an answer may ask for ${MAX_CALLS_AT_ONCE} calls at once; this one was not made`;
  return {
    callId: call.id,
    name: call.name,
    item: { ...toolCallItem(call, tool, agentId, parsed.ok ? parsed.value : {}), status: 'failed', error },
    text: `Error: ${error}`,
    passages: [],
    costNano: 0,
    proposalId: null,
    taint: CLEAN,
  };
};

/** Passages in a tool's outcome get the next numbers of the run, and the model sees them numbered. */
export const settledCall = (
  call: ModelToolCall,
  outcome: ToolCallResult,
  firstNumber: number,
): SettledCall => {
  const given = outcome.outcome;
  const passages = (given?.passages ?? []).map((passage, i) => ({ n: firstNumber + i, ...passage }));
  const listed = passages
    .map((p) => `[${p.n}] ${p.title}${p.page === null ? '' : `, page ${p.page}`}\n${p.text}`)
    .join('\n\n');
  const text =
    passages.length === 0
      ? outcome.answer
      : given?.citedInContent
        ? `${renumber(outcome.answer, firstNumber - 1)}\n\nPassages:\n\n${listed}`
        : listed;
  return {
    callId: call.id,
    name: call.name,
    item: outcome.item,
    text,
    passages,
    costNano: sumNano([given?.costNanoUsd ?? 0, given?.spentNanoUsd ?? 0, outcome.embeddedNano]),
    ...(given?.work === undefined ? {} : { work: given.work }),
    proposalId: outcome.proposalId,
    taint: outcome.taint,
    ...(outcome.laterTaint === undefined ? {} : { laterTaint: outcome.laterTaint }),
    ...(given?.suspended === undefined
      ? {}
      : {
          // Only the tool that hands on suspends (delegate.ts).
          handedOn: given.suspended as SettledCall['handedOn'] & {},
          ownNano: sumNano([given.costNanoUsd ?? 0, outcome.embeddedNano]),
        }),
  };
};

/** It waits no longer; what it has used stays. */
const endedWaiting = (
  { laterTaint: _later, handedOn: _handedOn, toCarryOut: _toCarryOut, ownNano: _own, ...call }: SettledCall,
  end: Partial<SettledCall>,
): SettledCall => ({ ...call, proposalId: null, ...end });

/** A call whose inner loop goes on no further, for a reason that the model is told. */
export const failedWithin = (call: SettledCall, error: string): SettledCall =>
  endedWaiting(call, { item: { ...call.item, status: 'failed', error }, text: `Error: ${error}` });

/** What stands of such a call while its inner loop goes on: that loop writes no steps, so that an end of the process loses it. */
export const lostWithin = (call: SettledCall): SettledCall =>
  endedWaiting(call, {
    item: { ...call.item, status: 'unknown', error: RESTARTED },
    text: UNKNOWN_TEXT,
    ...(call.laterTaint === undefined ? {} : { taint: call.laterTaint }),
  });

/** A call that waited when its run was cancelled: nobody decides about it any more. */
export const withdrawn = (call: SettledCall): SettledCall =>
  isUnsettled(call)
    ? endedWaiting(call, { item: { ...call.item, status: 'denied', error: 'the run was cancelled' } })
    : call;

/** What the model is told of a decision, and how the call looks after it. */
export const decidedCall = (
  call: SettledCall,
  tool: AgentTool | undefined,
  decision: Decision,
): SettledCall => {
  const execution = storableDeep(decision.execution);
  if (decision.status !== 'approved' || execution === null) {
    const reason = `the call was not approved (${decision.status})${decision.reason === null ? '' : `: ${decision.reason}`}`;
    return endedWaiting(call, {
      item: { ...call.item, status: 'denied', error: reason },
      text: `Error: ${reason}. Do not try the same call again.`,
    });
  }
  // Governance has given it back: what is handed on works within the run (delegate.ts).
  if (execution.status === 'completed' && isDelegate(call.item))
    return { ...call, proposalId: null, toCarryOut: true };
  const content =
    typeof execution.result === 'string' ? execution.result : JSON.stringify(execution.result ?? null);
  return endedWaiting(call, {
    item: { ...call.item, status: execution.status, result: execution.result, error: execution.error },
    text: execution.status === 'completed' ? content : `Error: ${execution.error ?? 'the call failed'}`,
    taint: call.laterTaint ?? taintOfCall(tool, null),
  });
};
