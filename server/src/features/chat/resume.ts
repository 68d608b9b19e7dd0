import type { RunRow } from '../../db/tables/chat.ts';
import type { Caller } from '../../kernel/caller.ts';
import { readCredential } from '../../kernel/stored-credential.ts';
import { joinTaint } from '../../kernel/taint.ts';
import type { Models } from '../models/index.ts';
import type { Jump, RunEvent } from './journal.rules.ts';
import { planOf } from './run/plan.ts';
import type { RunDeps, StartDeps, StartedRun } from './run/run.ts';
import { readSteps, replaySteps } from './steps.rules.ts';
import { toolsOf, toolsWhenReady } from './tool-list.ts';
import { runOf } from './wire.ts';

/** A run that another process left, read back from its steps. */
interface ResumedRun {
  caller: Caller;
  started: StartedRun;
  /** What had been told by the last finished step. */
  events: RunEvent[];
  jumps: Jump[];
}

type ResumeDeps = Pick<StartDeps, 'store' | 'agents' | 'models' | 'toolSources' | 'costs'> &
  Pick<RunDeps, 'callerOf'>;

const LOOKING_UP_MS = 600_000;

/** Null where the run cannot go on: no finished step, its person or agent is gone, its model is no longer set up. */
export const readRun = async (deps: ResumeDeps, row: RunRow): Promise<ResumedRun | null> => {
  const rows = await deps.store.steps(row.id);
  const replayed = replaySteps(readSteps(rows));
  if (replayed === null) return null;
  const caller = await deps.callerOf(row.tenant_id, row.user_id, readCredential(row.credential));
  const agent = await deps.agents.find(row.tenant_id, replayed.plan.agentId);
  if (caller === null || agent === null || !agent.enabled) return null;
  let model: ReturnType<Models['resolve']>;
  try {
    model = deps.models.resolve(replayed.plan.modelId);
  } catch {
    return null;
  }
  const list = () => toolsOf(deps.toolSources, caller, agent);
  const tools = await list();
  const { status } = runOf(row);
  const [question, answer, held] = await Promise.all([
    deps.store.message(row.question_id),
    deps.store.message(row.message_id),
    deps.store.taintHeld(row.conversation_id),
  ]);
  // A little before the run, since its message is looked up and its agent is chosen before its row is written.
  const since = row.created_at - LOOKING_UP_MS;
  const spentNano = await deps.costs.spentOfRun({ tenantId: row.tenant_id, runId: row.id, since });
  return {
    caller,
    events: replayed.events,
    jumps: replayed.jumps,
    started: {
      runId: row.id,
      messageId: row.message_id,
      conversationId: row.conversation_id,
      questionId: row.question_id,
      parentId: question?.parent_id ?? null,
      askedAt: question?.created_at ?? row.created_at,
      plan: {
        ...planOf(replayed.plan, { agent, model, tools, firstHold: null, promptBound: null, spentNano }),
        toolsAgain: (asked, signal) =>
          toolsWhenReady({ sources: deps.toolSources, tenantId: row.tenant_id, list, asked, signal }),
      },
      // The steps say what its calls gave, and the conversation what stands in it.
      state: { ...replayed.state, taint: joinTaint(replayed.state.taint, held ?? undefined) },
      events: replayed.events,
      subject: {
        tenantId: row.tenant_id,
        userId: row.user_id,
        agentId: replayed.plan.agentId,
        conversationId: row.conversation_id,
        runId: row.id,
        requestId: replayed.plan.requestId,
      },
      again: question !== undefined && question.run_id !== row.id,
      temporary: false,
      stored: { status, answered: answer !== undefined, costNano: answer?.cost_nano ?? 0 },
    },
  };
};
