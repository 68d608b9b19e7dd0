/**
 * Votes at one local model come one after another: asked together, each would wait for the others until all are late. The
 * queues are those of this process, over all proposals.
 */
interface ModelQueues {
  /** Resolves when it is one's turn, with how many wait in the same queue, oneself included. Call `done` at the end. */
  enter(queue: string): Promise<{ waiting: number; done(): void }>;
}

interface Queue {
  tail: Promise<void>;
  waiting: number;
}

export const createModelQueues = (): ModelQueues => {
  const queues = new Map<string, Queue>();
  return {
    async enter(name) {
      const queue = queues.get(name) ?? { tail: Promise.resolve(), waiting: 0 };
      queues.set(name, queue);
      queue.waiting += 1;
      const before = queue.tail;
      const mine = Promise.withResolvers<void>();
      queue.tail = before.then(() => mine.promise);
      await before;
      return {
        waiting: queue.waiting,
        done() {
          queue.waiting -= 1;
          if (queue.waiting === 0) queues.delete(name);
          mine.resolve();
        },
      };
    },
  };
};
