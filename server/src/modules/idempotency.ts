import type { Db } from '../db/db.ts';
import type { Identity } from '../features/identity/index.ts';
import { createIdempotencyStore } from '../http/idempotency.store.ts';
import { createIdempotency, type Idempotency } from '../http/idempotency.ts';
import { defineModule, type Given } from './module.ts';
import type { NodePlace } from './node.ts';

export interface IdempotencyDeps extends Pick<Given, 'clock'> {
  db: Db;
  identity: Pick<Identity, 'seal'>;
  node: NodePlace;
}

export interface IdempotencyKeys extends Idempotency {
  /** Keys that dead nodes hold may be used again. `fresh`: those of this node's last process too. */
  releaseDead(fresh: boolean): Promise<void>;
}

export const idempotencyModule = defineModule({
  name: 'idempotency',
  needs: ['clock', 'db', 'identity', 'node'],
  build({ clock, db, identity, node }: IdempotencyDeps) {
    const store = createIdempotencyStore(db, identity.seal, node);
    const service: IdempotencyKeys = {
      ...createIdempotency(store, clock),
      releaseDead: async (fresh) => {
        await store.releaseDead(fresh);
      },
    };
    return {
      service,
      start: async () => {
        await store.sweep(clock.now());
      },
    };
  },
});
