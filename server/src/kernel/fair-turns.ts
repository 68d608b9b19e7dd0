export interface FairTurns {
  /** Waits for a turn and gives what ends it. Rejects with `crowded()` where too many of the owner's wait already. */
  take(owner: string): Promise<() => void>;
}

export interface FairTurnsOptions {
  /** Turns at once. */
  atOnce: number;
  /** Of one owner, that may wait; without it any number may. */
  maxWaiting?: number;
  crowded?: () => Error;
}

/**
 * Turns for work of which only so much goes on at once. Those of one owner come in their order; the owners take turns, so
 * that whoever asks for a thousand waits for them, and the others for one of these at most.
 */
export const createFairTurns = (options: FairTurnsOptions): FairTurns => {
  const {
    atOnce,
    maxWaiting = Number.POSITIVE_INFINITY,
    crowded = () => new Error('too many wait'),
  } = options;
  /** In the order of the owners' next turns: a map keeps the order in which its keys were set. */
  const waiting = new Map<string, (() => void)[]>();
  let busy = 0;

  const end = (): void => {
    const [first] = waiting;
    if (first === undefined) {
      busy--;
      return;
    }
    const [owner, queue] = first;
    const next = queue.shift();
    waiting.delete(owner);
    if (queue.length > 0) waiting.set(owner, queue);
    next?.();
  };
  /** A turn ends once, however often it is told to. */
  const ending = (): (() => void) => {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      end();
    };
  };

  return {
    async take(owner) {
      if (busy < atOnce) {
        busy++;
        return ending();
      }
      const queue = waiting.get(owner) ?? [];
      if (queue.length >= maxWaiting) throw crowded();
      const turn = new Promise<void>((resolve) => queue.push(resolve));
      if (!waiting.has(owner)) waiting.set(owner, queue);
      await turn;
      return ending();
    },
  };
};
