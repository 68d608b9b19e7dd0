import type { Caller } from '../../../../kernel/caller.ts';
import type { ModelToolCall } from '../../../../kernel/model.ts';
import { credentialOf } from '../../../../kernel/stored-credential.ts';
import { isTainted, joinTaint } from '../../../../kernel/taint.ts';
import type { ToolContext } from '../../../../kernel/tools.ts';
import { handedCall, isClients, withheld } from '../../client-tools.rules.ts';
import { callEvidence } from '../../evidence.rules.ts';
import { MAX_CALLS_AT_ONCE, oneTooMany, settledCall, unknownCall } from '../../settled-call.ts';
import { applyTools, isUnsettled, type SettledCall } from '../../steps.rules.ts';
import { runToolCall, type ToolCallResult } from '../../tool-call.ts';
import { untilStored } from '../../until-stored.ts';
import { agentIdOf, holdTaint, runIdOf, toolOf } from '../loop.ts';
import type { RunDeps, RunLoop } from '../run.ts';
import { writeSteps } from '../write-steps.ts';

/**
 * A run outlives a change of roles, a deactivation and the deletion of its key; its tools do not: nothing beyond the rights that
 * it began with, nor beyond those of account and key now (`CallerFor` sees to both).
 */
const callerStill = (began: Caller, now: Caller | null): Caller => {
  const kept = now?.permissions.size ?? 0;
  if (now !== null && kept === began.permissions.size && now.roles.join() === began.roles.join())
    return began;
  return {
    ...began,
    permissions: now?.permissions ?? new Set(),
    roles: now?.roles ?? [],
    platformAdmin: now?.platformAdmin ?? false,
  };
};

/** What a call is told of its run, with the rights that its person has now. */
export const contextOfCalls = async (deps: RunDeps, run: RunLoop): Promise<ToolContext> => {
  const { plan, state, subject, context } = run;
  const { caller } = context;
  const now = await untilStored(
    () => deps.callerOf(caller.tenantId, caller.userId, credentialOf(caller)),
    context.signal,
  );
  const asked = context.asked ?? plan.question;
  return {
    ...context,
    paying: {
      runId: runIdOf(run),
      conversationId: subject.conversationId,
      agentId: agentIdOf(run),
      spending: plan.spending,
      step: { nano: 0 },
    },
    caller: callerStill(caller, now),
    tainted: context.tainted || isTainted(state.taint) || isTainted(plan.spending.taint),
    asked,
    evidence: (args) =>
      callEvidence(
        {
          asked,
          handedOn: context.asked === undefined ? null : plan.question,
          messages: state.messages,
          passages: state.passages,
          memories: plan.memories,
        },
        args,
      ),
  };
};

/** As `Promise.all`, but no sooner than all have ended. */
const allAtRest = async <T>(working: readonly Promise<T>[]): Promise<T[]> => {
  await Promise.allSettled(working);
  return Promise.all(working);
};

/** One of the calls of an answer: through the gate, or settled without having been made. */
const settle = async (
  deps: RunDeps,
  run: RunLoop,
  call: ModelToolCall,
  context: ToolContext,
  how: { resumed: boolean; tooMany: boolean },
): Promise<SettledCall | ToolCallResult> => {
  const agentId = agentIdOf(run);
  if (isClients(run.plan.record?.client, call.name)) return handedCall(call, agentId);
  const tool = toolOf(run, call);
  if (how.tooMany) return oneTooMany(call, tool, agentId);
  if (how.resumed && !(tool?.annotations.idempotent ?? true)) return unknownCall(call, tool, agentId);
  return runToolCall(call, tool, agentId, context, {
    gate: deps.gate,
    toolLedger: deps.toolLedger,
    clock: deps.clock,
    timeoutMs: deps.toolTimeoutMs,
    onStart: (item) => run.events.emit('tool.started', item),
  });
};

/** Marks the run as soon as the call has ended: the others of the answer may still be at work. */
const outcomeOf: typeof settle = async (deps, run, call, context, how) => {
  const outcome = await settle(deps, run, call, context, how);
  holdTaint(run, outcome.taint);
  return outcome;
};

/** What stands of the calls; passages get the next numbers of the run. */
const settledOf = (
  open: readonly ModelToolCall[],
  outcomes: readonly (SettledCall | ToolCallResult)[],
  passagesBefore: number,
): SettledCall[] => {
  const calls: SettledCall[] = [];
  let number = passagesBefore + 1;
  for (const [i, outcome] of outcomes.entries()) {
    const call = open[i];
    if (call === undefined) continue;
    const settled = 'callId' in outcome ? outcome : settledCall(call, outcome, number);
    number += settled.passages.length;
    calls.push(settled);
  }
  return calls.some(isUnsettled) ? calls.map(withheld) : calls;
};

/** Carries out the asked calls that have no result yet, all at once. `resumed`: after a restart. Throws COST_EXCEEDED. */
export const callTools = async (deps: RunDeps, run: RunLoop, resumed: boolean): Promise<void> => {
  const { state, events } = run;
  const open = (state.asked ?? []).filter((call) => !state.settled.some((done) => done.callId === call.id));
  if (open.length === 0) return;
  const context = await contextOfCalls(deps, run);
  // All of them have come to rest when a stop is passed on: what one has asked for meanwhile is then there to be withdrawn.
  const outcomes = await allAtRest(
    open.map((call, i) => outcomeOf(deps, run, call, context, { resumed, tooMany: i >= MAX_CALLS_AT_ONCE })),
  );
  const calls = settledOf(open, outcomes, state.passages.length);
  for (const call of calls) if (!isUnsettled(call)) events.emit('tool.completed', call.item);
  applyTools(state, calls);
  // A helper that was given up brings no result, and what it has read stays in the conversation all the same.
  state.taint = joinTaint(state.taint, run.plan.spending.taint);
  await writeSteps(deps, run, [{ kind: 'tools', payload: { v: 1, calls, nextEvent: events.next() } }]);
  for (const outcome of outcomes) {
    if ('exceeded' in outcome && outcome.exceeded !== null) throw outcome.exceeded;
  }
};
