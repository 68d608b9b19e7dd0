/**
 * Votes at one local model come one after another: asked together, each would wait for the others until all are late. The
 * turns are those of this process, over all proposals.
 */
export interface Turns {
  /** Resolves when it is one's turn, with how many wait for the same model, oneself included. Call `done` at the end. */
  take(lane: string): Promise<{ waiting: number; done(): void }>;
}

interface Lane {
  tail: Promise<void>;
  waiting: number;
}

export const createTurns = (): Turns => {
  const lanes = new Map<string, Lane>();
  return {
    async take(name) {
      const lane = lanes.get(name) ?? { tail: Promise.resolve(), waiting: 0 };
      lanes.set(name, lane);
      lane.waiting += 1;
      const before = lane.tail;
      const mine = Promise.withResolvers<void>();
      lane.tail = before.then(() => mine.promise);
      await before;
      return {
        waiting: lane.waiting,
        done() {
          lane.waiting -= 1;
          if (lane.waiting === 0) lanes.delete(name);
          mine.resolve();
        },
      };
    },
  };
};
