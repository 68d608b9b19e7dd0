import type { Caller } from '../../kernel/caller.ts';
import type { NodeMessages } from '../../kernel/cluster.ts';
import type { DecisionListener, RunProposals } from '../../kernel/decisions.ts';
import type { EventSink } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { ToolCatalogue } from '../../kernel/tool-catalogue.ts';
import type { ActiveRun } from './active-run.ts';
import { createDecisionWaits } from './decision-waits.ts';
import { createDelegateSource } from './delegate.ts';
import type { Jump, RunEvent } from './journal.rules.ts';
import { createLaunch } from './launch.ts';
import { createLineUp } from './line-up.ts';
import type { createConversationQueue } from './queue.ts';
import { isDecided } from './readings.ts';
import { createRecovery } from './recovery.ts';
import { createRemoteRuns, type FollowedRun } from './remote.ts';
import type { LaunchOptions } from './request.ts';
import type { RunDeps, StartDeps } from './run/run.ts';
import { createRunHooks } from './run-hooks.ts';
import { createRunReads } from './run-reads.ts';
import type { RunReport } from './run-report.rules.ts';
import { createRunning } from './running.ts';
import type { ChatRequest, ChatResponse, Run } from './schema.ts';
import { createStopping } from './stopping.ts';
import { temporaryOf } from './temporary.ts';
import { createVersions } from './versions.ts';
import { createWaiting } from './waiting.ts';

/** Chat: runs that live apart from the connection that asked for them. */
interface ChatOptions
  extends Omit<StartDeps, 'toolSources'>,
    Pick<RunDeps, 'gate' | 'toolLedger' | 'toolTimeoutMs' | 'callerOf'> {
  /** Tools of the platform and the gateway; `delegate` of this service is to be within it by the first run. */
  catalogue: Pick<ToolCatalogue, 'withinRuns'>;
  queue: ReturnType<typeof createConversationQueue>;
  runProposals: RunProposals;
  events: EventSink;
  /** The other nodes; null where this process has the store for itself. */
  messages: NodeMessages | null;
  /** A run has come to its end here; failures are told with their error. */
  onEnded?(report: RunReport): void;
  onError(error: unknown, message: string): void;
}

/** How long an answer in one piece waits for a decision before it says `awaiting_approval`. */
export const DECISION_GRACE_MS = 10_000;
const LOOK_FOR_DECISION_MS = 3_000;
/** Where no other node makes decisions that could not be told. */
const LOOK_ALONE_MS = 15_000;

export const createChatService = (given: ChatOptions) => {
  const { catalogue } = given;
  const delegate = createDelegateSource({
    ...given,
    toolSources: catalogue.withinRuns,
    runningRun: (runId) => active.get(runId) ?? null,
  });
  const options = { ...given, toolSources: catalogue.withinRuns };
  const { store } = options;
  const waiting = createWaiting(options);
  const decisionWaits = createDecisionWaits(
    given.messages === null ? LOOK_ALONE_MS : LOOK_FOR_DECISION_MS,
    (error) => given.onError(error, 'a decision could not be looked for'),
  );
  const running = createRunning(options, createRunHooks({ ...options, decisionWaits }));
  const { active, stop } = running;
  const reads = createRunReads(store);
  const { findRun, eventsOf, ...readable } = reads;
  const lineUp = createLineUp({ ...options, running, waiting });
  const launch = createLaunch({ ...options, running, waiting, lineUp });
  const recovery = createRecovery({ ...options, running, waiting, lineUp });
  const starting = new Set<Promise<unknown>>();

  const locate: Parameters<typeof createRemoteRuns>[0]['locate'] = async (id) => {
    const live = active.get(id);
    if (live !== undefined) return { at: 'here', events: live.events };
    const row = await store.anyRun(id);
    if (row === undefined) return { at: 'end', events: [], jumps: [] };
    if (row.finished_at !== null) return { at: 'end', ...(await eventsOf(row)) };
    return { at: 'node', nodeId: row.node_id ?? '' };
  };

  const remote =
    given.messages === null
      ? null
      : createRemoteRuns({
          messages: given.messages,
          running: (id) => active.get(id),
          locate,
          cancelHere: (id) => {
            const run = active.get(id);
            if (run !== undefined) stop(run, 'cancelled');
          },
          newReader: newId,
          onError: options.onError,
        });
  const leaveMessages = given.messages?.receive('run.decided', (message) => {
    if (isDecided(message)) decisionWaits.deliver(message.proposalId, message.decision);
  });

  const stopping = createStopping({ ...options, running, reads, remote, locate, starting });

  return {
    ...readable,
    ...recovery,
    ...stopping,
    versions: createVersions(store, options.documents),
    activeRuns: () => active.size,
    /** The tool by which an agent hands on a part of its task. */
    delegate,

    launch(caller: Caller, request: ChatRequest, how: LaunchOptions): Promise<ActiveRun> {
      const launched = launch(caller, request, how);
      starting.add(launched);
      launched.catch(() => {}).finally(() => starting.delete(launched));
      return launched;
    },

    /** The answer in one piece: of the finished run, or what stands when it waits longer than a moment for a decision. */
    async answer(run: ActiveRun): Promise<ChatResponse> {
      let timer: NodeJS.Timeout | undefined;
      const standing = run.waits.then(
        (response) =>
          new Promise<ChatResponse>((resolve) => {
            timer = setTimeout(() => resolve(response), DECISION_GRACE_MS);
          }),
      );
      try {
        return await Promise.race([run.done, standing]);
      } finally {
        clearTimeout(timer);
      }
    },

    /** Governance publishes its decisions to here; the run may wait at another node. */
    onDecision: ((proposalId, decision) => {
      decisionWaits.deliver(proposalId, decision);
      given.messages?.send('run.decided', { proposalId, decision });
    }) satisfies DecisionListener,

    /** Throws NOT_FOUND. */
    getRun: async (caller: Caller, id: string): Promise<Run> =>
      temporaryOf(active.get(id), caller)?.view() ?? reads.getRun(caller, id),

    /** The run as it goes on here or at another node, or all events of a finished one. Throws NOT_FOUND. */
    async follow(
      caller: Caller,
      id: string,
    ): Promise<{ live: FollowedRun } | { finished: RunEvent[]; jumps: Jump[] }> {
      const live = active.get(id);
      if (temporaryOf(live, caller) !== null && live !== undefined) return { live };
      const row = await findRun(caller, id);
      if (live) return { live };
      // It may have ended while the row was read.
      const fresh = row.finished_at === null ? await findRun(caller, id) : row;
      if (fresh.finished_at === null && remote !== null) return { live: remote.follow(id) };
      const { events: finished, jumps } = await eventsOf(fresh);
      return { finished, jumps };
    },

    /** After `drain`: nothing is served to or asked of other nodes any more. */
    close(): void {
      leaveMessages?.();
      remote?.close();
    },
  };
};

export type ChatService = ReturnType<typeof createChatService>;
