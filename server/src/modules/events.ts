import { createEventBus, createEventRelay } from '../features/realtime/index.ts';
import type { Cluster } from './cluster.ts';
import { defineModule, type Given } from './module.ts';

export interface EventsDeps extends Pick<Given, 'clock' | 'onError'> {
  cluster: Cluster;
}

/** The bus: events reach the connections of all nodes by the messages of the cluster. */
export const eventsModule = defineModule({
  name: 'events',
  needs: ['clock', 'cluster', 'onError'],
  build: ({ clock, cluster, onError }: EventsDeps) => ({
    service: createEventBus({
      clock,
      onError,
      ...(cluster === null ? {} : { relay: createEventRelay(cluster.messages) }),
    }),
  }),
});
