import { isStoreUnavailable } from '../../db/faults.ts';
import { withinTenant } from '../../db/scope.ts';
import type { RunRow } from '../../db/tables/chat.ts';
import type { NodeMessages } from '../../kernel/cluster.ts';
import type { RunProposals } from '../../kernel/decisions.ts';
import type { AppError } from '../../kernel/errors.ts';
import { addNano } from '../../kernel/money.ts';
import { errorData, interrupted } from './ending.ts';
import type { createLineUp, LineUpDeps } from './line-up.ts';
import { bookLeft, breakOff } from './partials.ts';
import { inTurn } from './queue.ts';
import { journalOf } from './readings.ts';
import { readRun } from './resume.ts';
import type { RunDeps, StartedRun } from './run/run.ts';
import { createRunEvents } from './run-events.ts';
import { outcomeOf } from './run-report.rules.ts';
import { waiting as waitingCalls } from './steps.rules.ts';
import { createRunSweep } from './sweep.ts';
import { untilStored } from './until-stored.ts';
import { addUsage } from './usage.rules.ts';
import { runOf } from './wire.ts';

/** How long nothing must have worked on an unfinished run before it counts as lost. */
const LOST_AFTER_MS = 10_000;

interface RecoveryDeps extends LineUpDeps, Pick<RunDeps, 'callerOf'> {
  runProposals: RunProposals;
  messages: NodeMessages | null;
  lineUp: ReturnType<typeof createLineUp>;
}

/** Runs that a process left unfinished: taken up where they stand, or ended. */
export const createRecovery = (options: RecoveryDeps) => {
  const { store, clock, queue, waiting, lineUp } = options;
  const { active, begin, tellEnd } = options.running;
  /** Runs taken over that wait for their conversation's turn. */
  const entering = new Set<string>();
  /** Takings over that are going on: their runs are this node's before it has them. */
  let recovering = 0;

  /** One row that cannot be read (of an archive of elsewhere, say) must not keep the others, or the server, from going on. */
  const readWaiting = (row: RunRow): ReturnType<LineUpDeps['waiting']['read']> =>
    waiting.read(row).catch((error: unknown) => {
      if (isStoreUnavailable(error)) throw error;
      options.onError(error, 'a waiting message could not be read back');
      const run = {
        runId: row.id,
        questionId: row.question_id,
        messageId: row.message_id,
        conversationId: row.conversation_id,
        place: { at: row.created_at, id: row.id },
      };
      return { run, error: interrupted() };
    });

  /** A message that a dead process left waiting stands where it stood. */
  const takeUpQueued = async (row: RunRow): Promise<void> => {
    const read = await readWaiting(row);
    if ('error' in read) await waiting.refuse(read.run, read.error, null);
    else withinTenant(row.tenant_id, () => lineUp(read));
  };

  /** An end that no run here has come to by itself. */
  const tellEndOf = (row: RunRow, error: AppError): void => {
    const ids = { runId: row.id, requestId: null, agentId: row.agent_id, model: null };
    tellEnd({ ...ids, outcome: outcomeOf('failed', error), error });
  };

  const sweep = createRunSweep({
    store,
    models: options.models,
    costs: options.costs,
    waiting,
    runProposals: options.runProposals,
    clock,
    isGoing: (id) => recovering > 0 || active.has(id) || entering.has(id),
    onLost: tellEndOf,
    onError: options.onError,
    patienceMs: LOST_AFTER_MS,
  });

  /** The turn of a run that goes on. With other nodes that of the dead one has to run out first: nobody else waits for that. */
  const enterAgain = async (run: StartedRun, abort: AbortController): Promise<() => void> => {
    const turn = { leave: (): void => {} };
    const { signal } = abort;
    // The process ended between the decision and the turn that it gave: the run waits for nobody, and has to say so.
    const decided = run.stored.status === 'awaiting_approval' && waitingCalls(run.state).length === 0;
    await inTurn(
      turn,
      () => queue.enter(run.conversationId, { place: { begun: run.runId }, signal }),
      async () => {
        if (!decided) return;
        await untilStored(() => store.goOn(run.runId, run.conversationId), signal);
        run.stored.status = 'running';
      },
    );
    return turn.leave;
  };

  /** It cannot go on: no finished step, or nobody to go on for. */
  const interrupt = async (row: RunRow, now: number): Promise<void> => {
    const error = interrupted();
    const ended = { error: JSON.stringify(errorData(error)), journal: journalOf(row), now };
    await store.interrupt(runOf(row), ended, (tx) => breakOff(options, tx, row, error, now));
    const owner = { tenantId: row.tenant_id, userId: row.user_id, type: 'person' as const };
    // Its person, agent or model may be gone while it waits for an answer.
    await options.runProposals
      .withdrawOf(owner, row.id)
      .catch((fault: unknown) => options.onError(fault, 'proposals of a run could not be withdrawn'));
    tellEndOf(row, error);
  };

  const goOn = async (row: RunRow, read: NonNullable<Awaited<ReturnType<typeof readRun>>>): Promise<void> => {
    const { state, plan } = read.started;
    // The call is made anew; what it has used before is paid for all the same.
    const left = await store.write((tx) => bookLeft(options, tx, row.id));
    state.costNano = addNano(state.costNano, left.costNano);
    plan.spending.nano = addNano(plan.spending.nano, left.costNano);
    for (const { usage } of left.calls) state.usage = addUsage(state.usage, usage);
    const events = createRunEvents(read.events, read.jumps);
    const abort = new AbortController();
    entering.add(row.id);
    const going = enterAgain(read.started, abort)
      .then((leave) => {
        withinTenant(row.tenant_id, () => begin(read.caller, read.started, events, abort, leave));
      })
      .finally(() => entering.delete(row.id));
    if (options.messages === null) await going;
    else going.catch((error: unknown) => options.onError(error, 'a run could not be taken up'));
  };

  const recover = async (fresh: boolean): Promise<{ resumed: number; failed: number }> => {
    const now = clock.now();
    const counts = { resumed: 0, failed: 0 };
    const left = await store.adopt(now, fresh);
    const isQueued = (row: RunRow): boolean => row.status === 'queued';
    // What has begun takes its turn first.
    for (const row of [...left.filter((one) => !isQueued(one)), ...left.filter(isQueued)]) {
      if (active.has(row.id)) continue;
      if (isQueued(row)) {
        await takeUpQueued(row);
        counts.resumed += 1;
        continue;
      }
      const read = await readRun(options, row).catch((error: unknown) => {
        options.onError(error, 'a run could not be read back');
        return null;
      });
      if (read === null) await interrupt(row, now);
      else await goOn(row, read);
      counts[read === null ? 'failed' : 'resumed'] += 1;
    }
    return counts;
  };

  return {
    /** Ends unfinished runs of this node that nothing here works on; to be called every few seconds. */
    sweep,

    /**
     * Takes up the runs of dead nodes (with `fresh` also those that this node left when it was last started): each goes on
     * from its last finished step; one without a finished step ends as failed, with the reason stored. How many of each.
     */
    async recover(fresh: boolean): Promise<{ resumed: number; failed: number }> {
      recovering += 1;
      try {
        return await recover(fresh);
      } finally {
        recovering -= 1;
      }
    },
  };
};
