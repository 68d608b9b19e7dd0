import { LRUCache } from 'lru-cache';
import type { Caller } from '../../kernel/caller.ts';
import { AppError } from '../../kernel/errors.ts';
import { addNano } from '../../kernel/money.ts';
import type { AgentTool, AgentWork, ToolContext, ToolOutcome, ToolSource } from '../../kernel/tools.ts';
import type { EffectiveAgent } from '../agents/index.ts';
import { dropKept } from './partials.ts';
import { MAX_RUN_CALLS, runIdOf } from './run/loop.ts';
import { carryOut, startHandOff } from './run/pipeline.ts';
import { innerPlan } from './run/plan.ts';
import type { RunDeps, RunLoop, StartDeps } from './run/run.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';
import { inHandOffSpan } from './run-span.ts';
import type { RunState, SettledCall } from './steps.rules.ts';
import { toolsOf } from './tool-list.ts';
import { addSums } from './usage.rules.ts';

/**
 * The `delegate` tool: an agent gives a part of its task to another, which works in a loop of its own within the same run:
 * same person, same limits, same gate, same cancellation. Its answer comes back as the tool's result.
 */

/** How deep agents may delegate: an agent asked by an agent that was asked by the first. */
export const MAX_DEPTH = 2;
/** Agents that work for one run at a time. */
const MAX_AT_ONCE = 16;
const TIMEOUT_MS = 10 * 60_000;

/** The tool without what it does: for the page that tells of all tools. */
export const delegateTool = (others: readonly EffectiveAgent[]): Omit<AgentTool, 'call' | 'goOn'> => ({
  server: 'pentarch',
  name: 'delegate',
  description: 'Hands what another agent knows better to it and returns its answer.',
  inputSchema: schemaFor(others),
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  permission: 'chat:write',
  timeoutMs: TIMEOUT_MS,
});

type SuspendedLoop = NonNullable<SettledCall['handedOn']>;

/** What the tool needs of the run in which it is called. */
interface RunningRun {
  events: RunEvents;
  spending: RunLoop['plan']['spending'];
}

interface DelegateOptions extends RunDeps, Pick<StartDeps, 'agents' | 'search' | 'memory' | 'toolSources'> {
  runningRun(runId: string): RunningRun | null;
}

const schemaFor = (agents: readonly EffectiveAgent[]): Record<string, unknown> => ({
  type: 'object',
  properties: {
    agent: {
      type: 'string',
      enum: agents.map((agent) => agent.definition.id),
      description: agents.map(({ definition }) => `${definition.id}: ${definition.domain}`).join(', '),
    },
    task: {
      type: 'string',
      minLength: 1,
      maxLength: 8_000,
      description: 'With all it needs to know',
    },
    expected_result: { type: 'string', maxLength: 1_000 },
  },
  required: ['agent', 'task'],
  additionalProperties: false,
});

const failed = (content: string): ToolOutcome => ({ content, isError: true, taint: [] });

/** What the agent of a loop has done itself, and what it has handed on. */
const workOf = (
  agentId: string,
  state: RunState,
  ok: boolean,
  startedAt: number,
  endedAt: number,
): AgentWork[] => [
  {
    agentId,
    ok,
    usage: addSums(
      state.usage,
      state.work.map((one) => one.usage),
      -1,
    ),
    costNano: state.work.reduce((rest, one) => addNano(rest, -one.costNano), state.costNano),
    toolCalls: state.toolCalls.length,
    startedAt,
    latencyMs: endedAt - startedAt,
    firstTokenMs: state.firstTokenMs,
  },
  ...state.work,
];

/** Events of the inner loop: its tools are told, its text is not, since that is not the answer. */
const innerEvents = (outer: RunEvents): RunEvents => ({
  ...createRunEvents(),
  delta: () => {},
  emit: (event, data) => outer.emit(event, data),
});

export const createDelegateSource = (options: DelegateOptions): ToolSource => {
  const { agents, clock, models } = options;

  let deepest: readonly ToolSource[] | null = null;
  /** All sources but this one, always the same array: lists of tools are kept by it. */
  const withoutThis = (): readonly ToolSource[] => {
    deepest ??= options.toolSources.filter((one) => one !== source);
    return deepest;
  };
  /** What an agent may use that works for the one of this context: it hands on itself where that is not too deep. */
  const sourcesWithin = ({ depth = 0 }: ToolContext): readonly ToolSource[] =>
    depth + 1 < MAX_DEPTH ? options.toolSources : withoutThis();

  /** The loop, to its end or until it has to wait. */
  const carry = async (
    context: ToolContext,
    running: RunningRun,
    plan: RunLoop['plan'],
    given: RunState,
    startedAt: number,
  ): Promise<ToolOutcome> => {
    const { caller } = context;
    const agentId = plan.agent.definition.id;
    const subject = {
      tenantId: caller.tenantId,
      userId: caller.userId,
      agentId,
      conversationId: context.conversationId,
      runId: context.runId,
      requestId: context.requestId,
    };
    const inner = { ...context, agentId, depth: (context.depth ?? 0) + 1 };
    const events = innerEvents(running.events);
    const run = { plan, state: given, subject, context: inner, events, hooks: null };
    const result = await inHandOffSpan(plan.agent, () => carryOut(options, run));
    const { state, open, error } = result;
    const { hold, kept } = open;
    if (hold !== null) {
      await options.store.write(async (tx) => {
        await options.costs.settle(tx, hold, open.entries);
        await dropKept(tx, runIdOf(run), kept);
      });
    }
    const used = {
      spentNanoUsd: state.costNano,
      work: workOf(agentId, state, error === null, startedAt, clock.now()),
      taint: state.taint,
    };
    if (error instanceof AppError && state.content === '') return { ...failed(error.message), ...used };
    if (result.finishReason === 'awaiting_approval') {
      const { question, memories, grounded, model } = plan;
      const kept = { agentId, modelId: model.id, question, memories, grounded, startedAt, state };
      const suspended: SuspendedLoop = { v: 1, ...kept };
      return { content: `${agentId} waits for approval.`, isError: false, ...used, suspended };
    }
    return {
      content: state.content,
      isError: false,
      structured: { agent_id: agentId, content: state.content, tool_calls: state.toolCalls },
      ...used,
      passages: state.passages.map(({ n: _n, ...passage }) => passage),
      citedInContent: true,
    };
  };

  /** From where the loop stands after the decisions; under a time limit of its own, since nothing was done while it waited. */
  const goOn = async (
    loop: SuspendedLoop,
    context: ToolContext,
    agent: EffectiveAgent | undefined,
  ): Promise<ToolOutcome> => {
    const { state, startedAt } = loop;
    const broken = (content: string): ToolOutcome => ({
      ...failed(content),
      spentNanoUsd: state.costNano,
      work: workOf(loop.agentId, state, false, startedAt, clock.now()),
      taint: state.taint,
    });
    const running = context.runId === null ? null : options.runningRun(context.runId);
    if (running === null || agent === undefined)
      return broken(`the agent ${loop.agentId} is not there any more`);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const limited = { ...context, signal: AbortSignal.any([context.signal, timeout]) };
    try {
      const plan = innerPlan({
        agent,
        model: models.resolve(loop.modelId),
        question: loop.question,
        memories: loop.memories,
        grounded: loop.grounded,
        tools: await toolsOf(sourcesWithin(context), context.caller, agent),
        spending: running.spending,
      });
      const outcome = await carry(limited, running, plan, state, startedAt);
      if (context.signal.aborted) return broken('the run was stopped');
      return timeout.aborted ? broken(`no answer within ${TIMEOUT_MS / 1000} s`) : outcome;
    } catch (error) {
      // What the loop has used so far is in its state, whatever has ended it.
      return broken(error instanceof Error ? error.message : String(error));
    }
  };

  const work = async (
    context: ToolContext,
    running: RunningRun,
    agent: EffectiveAgent,
    task: string,
  ): Promise<ToolOutcome> => {
    const startedAt = clock.now();
    const within = { ...options, toolSources: sourcesWithin(context) };
    const { plan, state } = await startHandOff(within, context, agent, task, running.spending);
    const outcome = await carry(context, running, plan, state, startedAt);
    if (context.signal.aborted) {
      // Nobody waits for the outcome any more.
      running.spending.lost.push(...(outcome.work ?? []));
      throw context.signal.reason;
    }
    return outcome;
  };
  /** One schema for each choice of agents: what others keep by a tool's schema would be made anew for each run else. */
  const schemas = new LRUCache<string, Record<string, unknown>>({ max: 1_000 });
  const inputSchema = (others: readonly EffectiveAgent[]): Record<string, unknown> => {
    const key = others.map((other) => other.definition.id).join(' ');
    const known = schemas.get(key) ?? schemaFor(others);
    schemas.set(key, known);
    return known;
  };

  const toolFor = (others: readonly EffectiveAgent[]): AgentTool => ({
    ...delegateTool(others),
    inputSchema: inputSchema(others),
    async call(args, context) {
      const running = context.runId === null ? null : options.runningRun(context.runId);
      if (running === null) return failed('delegating works inside of a run only');
      if ((context.depth ?? 0) >= MAX_DEPTH)
        return failed('this task has been handed on often enough; answer it yourself');
      if (running.spending.going.size >= MAX_AT_ONCE || running.spending.calls >= MAX_RUN_CALLS)
        return failed('other agents have done enough for this run; answer with what is there');
      const agent = others.find((other) => other.definition.id === args.agent);
      if (agent === undefined || typeof args.task !== 'string') return failed('there is no such agent');
      if (agent.definition.id === context.agentId) return failed('an agent cannot delegate to itself');
      running.events.emit('agent.selected', {
        agent_id: agent.definition.id,
        reason: `delegated by ${context.agentId ?? 'the run'}`,
        confidence: 1,
        candidates: [{ agent_id: agent.definition.id, score: 1 }],
      });
      const expected =
        typeof args.expected_result === 'string' ? `\n\nExpected result: ${args.expected_result}` : '';
      const working = work(context, running, agent, `${args.task}${expected}`);
      running.spending.going.add(working);
      return working.finally(() => running.spending.going.delete(working));
    },
    async goOn(suspended, context) {
      // `carry` has made it.
      const loop = suspended as SuspendedLoop;
      const agent = others.find((other) => other.definition.id === loop.agentId);
      return goOn(loop, context, agent);
    },
  });

  /** By the agents as they are set up, and by the one that asks. */
  const lists = new WeakMap<ReadonlyMap<string, EffectiveAgent>, Map<string, readonly AgentTool[]>>();

  const source: ToolSource = {
    async list(caller: Caller, agentId: string | null) {
      if (agentId === null) return [];
      const all = await agents.effective(caller.tenantId);
      const known = lists.get(all) ?? new Map<string, readonly AgentTool[]>();
      lists.set(all, known);
      let list = known.get(agentId);
      if (list === undefined) {
        const others = [...all.values()].filter((agent) => agent.enabled && agent.definition.id !== agentId);
        list = others.length === 0 ? [] : [toolFor(others)];
        known.set(agentId, list);
      }
      return list;
    },
  };
  return source;
};
