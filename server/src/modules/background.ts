import type { Nodes } from '../features/nodes/index.ts';
import { createTicker, type Jobs } from '../jobs/index.ts';
import { defineModule, type Given } from './module.ts';

export interface BackgroundDeps extends Pick<Given, 'collected' | 'onError'> {
  jobs: Jobs;
  nodes: Pick<Nodes, 'join' | 'start'>;
}

/**
 * Work that goes on without a request: what dead nodes have left, then the queue, then the tickers of all modules. Near the end
 * of the list, so that every module has resumed before.
 */
export const backgroundModule = defineModule({
  name: 'background',
  needs: ['collected', 'jobs', 'nodes', 'onError'],
  build({ collected, jobs, nodes, onError }: BackgroundDeps) {
    let tickers: ReturnType<typeof createTicker>[] = [];
    return {
      service: {},
      async resume() {
        await nodes.join();
        await nodes.start();
        await jobs.start();
        tickers = collected().tickers.map(({ everyMs, fault, tick }) =>
          createTicker({
            everyMs,
            tick: async () => {
              await tick();
            },
            onError: (error) => onError(error, fault),
          }),
        );
        for (const ticker of tickers) ticker.start();
      },
      async drain(graceMs: number) {
        await Promise.all(tickers.map((ticker) => ticker.stop()));
        await jobs.stop(graceMs);
        await Promise.all(collected().settled.map((settled) => settled()));
      },
    };
  },
});
