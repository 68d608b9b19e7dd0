import type { Db, Queryable } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import type { ActorFor } from '../../kernel/stored-credential.ts';
import type { Audit } from '../audit/index.ts';
import { createDeliverer } from './deliver.ts';
import { createDeliveryLog } from './delivery-log.ts';
import { eraseDeliveryCopies } from './erase-copies.ts';
import { deliverKind } from './jobs.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { WebhookSecretBox } from './ports.ts';
import { createReadings } from './readers.ts';
import { createRedelivery } from './redeliver.ts';
import { createSecretRotation } from './rotate-secret.ts';
import { createSubscriptions } from './subscriptions.ts';
import { createSwitchOff } from './switch-off.ts';
import { createTestEvent } from './test-event.ts';

export interface WebhooksOptions {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  http: OutgoingHttp;
  box: WebhookSecretBox;
  audit: Audit;
  actorFor: ActorFor<Queryable>;
  onError(error: unknown, message: string): void;
  /** Longest time for one attempt. Default 20,000. */
  timeoutMs?: number;
}

/** At once in this process; and for one receiver over all, so that a hanging one does not hold up the others. */
const CONCURRENCY = 16;
const PER_WEBHOOK = 4;

export const createWebhooks = (options: WebhooksOptions) => {
  const { db, clock, jobs, http, box, audit } = options;
  const readings = createReadings(options.actorFor);
  const off = createSwitchOff({
    db,
    clock,
    audit,
    readings,
    changed: (tenantId) => outbox.forget(tenantId),
    onError: options.onError,
  });
  const outbox: Outbox = createOutbox({
    db,
    clock,
    jobs,
    kind: deliverKind,
    readings,
    lost: off.lookLater,
    onError: options.onError,
  });
  const deliverer = createDeliverer({
    db,
    clock,
    http,
    box,
    jobs,
    readings,
    off,
    timeoutMs: options.timeoutMs ?? 20_000,
  });
  jobs.work(deliverKind, { concurrency: CONCURRENCY, perGroup: PER_WEBHOOK }, deliverer.handler);

  return {
    outbox,

    /** After a change of a person's keys or account: webhooks that nobody reads for any more are switched off. */
    lookAtPerson: off.lookAtPerson,

    /** Resolves when what has been found without a reader so far is switched off. */
    settled: off.settled,

    eraseCopies: (tenantId: string, recordIds: ReadonlySet<string>): Promise<number> =>
      eraseDeliveryCopies(db, tenantId, recordIds),

    ...createSubscriptions({ db, clock, http, box, audit, readings, changed: outbox.forget }),
    rotateSecret: createSecretRotation({ db, clock, box, audit }),
    ...createDeliveryLog(db),
    test: createTestEvent({ db, clock, http, deliverer }),
    redeliver: createRedelivery({ db, clock, jobs, audit, readings, off }),
  };
};

export type Webhooks = ReturnType<typeof createWebhooks>;
