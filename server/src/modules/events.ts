import type { Queryable } from '../db/db.ts';
import { createEventBus, createEventRelay } from '../features/realtime/index.ts';
import { createLateOutbox } from '../kernel/events.ts';
import { newId } from '../kernel/ids.ts';
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

/** Port: features record events in it, the webhooks connect theirs. They need accounts, and accounts record events. */
export const outboxModule = defineModule({
  name: 'outbox',
  needs: ['clock'],
  build({ clock }: Pick<Given, 'clock'>) {
    const { outbox, connect } = createLateOutbox<Queryable>((event) => ({
      ...event,
      id: newId(),
      createdAt: clock.now(),
    }));
    return { service: { record: outbox.record, connect } };
  },
});
