import type { FollowedRun, RunEvent } from '../chat/index.ts';

/** What follows on of a run's events, in order; ends with the run. Leaving it early leaves the run alone. */
export async function* eventsOf(run: FollowedRun): AsyncGenerator<RunEvent> {
  const waiting: RunEvent[] = [];
  let wake = (): void => {};
  let ended = false;
  const leave = run.events.follow(
    0,
    (event) => {
      waiting.push(event);
      wake();
    },
    () => {
      ended = true;
      wake();
    },
  );
  try {
    for (;;) {
      yield* waiting.splice(0);
      if (waiting.length > 0) continue;
      if (ended) return;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    leave();
  }
}

/** Until the run has ended, here or at another node, or waits for a decision. */
export const untilSettled = async (run: FollowedRun): Promise<void> => {
  for await (const { event } of eventsOf(run)) if (event === 'proposal.created') return;
};
