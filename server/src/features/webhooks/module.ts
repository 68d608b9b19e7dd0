import type { Db, Queryable } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import type { ActorFor } from '../../kernel/stored-credential.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { Audit } from '../audit/index.ts';
import type { EventBus } from '../realtime/index.ts';
import type { Person } from '../users/index.ts';
import type { WebhookSecretBox } from './ports.ts';
import { webhookRoutes } from './routes.ts';
import { createWebhooks } from './service.ts';

export interface WebhooksDeps extends Pick<Given, 'clock' | 'onError'> {
  audit: Audit;
  db: Db;
  events: Pick<EventBus, 'publish'>;
  identity: {
    actorFor: ActorFor<Queryable>;
    seal: WebhookSecretBox;
    onRightsChanged(listener: (userId: string) => void): void;
  };
  jobs: Jobs;
  outgoing: { webhooks: OutgoingHttp };
}

export const webhooksModule = defineModule({
  name: 'webhooks',
  needs: ['audit', 'clock', 'db', 'events', 'identity', 'jobs', 'onError', 'outgoing'],
  build({ audit, clock, db, events, identity, jobs, onError, outgoing }: WebhooksDeps) {
    const webhooks = createWebhooks({
      db,
      clock,
      jobs,
      http: outgoing.webhooks,
      box: identity.seal,
      audit,
      actorFor: identity.actorFor,
      onError,
    });
    db.emitTo({ record: webhooks.outbox.record, publish: events.publish });
    identity.onRightsChanged(webhooks.lookAtPerson);
    return {
      service: webhooks,
      routes: webhookRoutes(webhooks),
      copies: [
        {
          name: 'webhook_deliveries',
          erase: ({ tenantId }: Person, recordIds: ReadonlySet<string>) =>
            webhooks.eraseCopies(tenantId, recordIds),
        },
      ],
      settled: () => webhooks.settled(),
    };
  },
});
