import type { Db, Queryable } from '../../db/db.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import type { ActorFor } from '../../kernel/stored-credential.ts';
import { VERSION } from '../../kernel/version.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { AGENTS } from '../agents/index.ts';
import type { Audit } from '../audit/index.ts';
import type { ChatService } from '../chat/index.ts';
import type { EventBus } from '../realtime/index.ts';
import type { PushSecretBox } from './push/secrets.ts';
import { createPush } from './push/service.ts';
import { a2aRoutes } from './routes.ts';

export interface A2aDeps extends Pick<Given, 'clock' | 'lifecycle' | 'onError' | 'publicUrl'> {
  audit: Audit;
  chat: ChatService;
  config: { IDP_URL: string | null };
  db: Db;
  events: Pick<EventBus, 'onPublished'>;
  idempotency: Idempotency;
  identity: { actorFor: ActorFor<Queryable>; seal: PushSecretBox };
  jobs: Jobs;
  outgoing: { webhooks: OutgoingHttp };
  streams: StreamWatch;
}

const LOOK_EVERY_MS = 2_000;

export const a2aModule = defineModule({
  name: 'a2a',
  needs: [
    'audit',
    'chat',
    'clock',
    'config',
    'db',
    'events',
    'idempotency',
    'identity',
    'jobs',
    'lifecycle',
    'onError',
    'outgoing',
    'publicUrl',
    'streams',
  ],
  build({ chat, clock, config, idempotency, lifecycle, publicUrl, streams, ...deps }: A2aDeps) {
    const push = createPush({
      db: deps.db,
      clock,
      http: deps.outgoing.webhooks,
      box: deps.identity.seal,
      jobs: deps.jobs,
      audit: deps.audit,
      actorFor: deps.identity.actorFor,
      chat,
      onError: deps.onError,
    });
    deps.events.onPublished(({ type, data }) => push.moved(data.run_id, type === 'run.completed'));
    return {
      service: {},
      routes: a2aRoutes({
        chat,
        idempotency,
        clock,
        push,
        agents: AGENTS,
        version: VERSION,
        publicUrl,
        issuer: () => config.IDP_URL ?? publicUrl(),
        streams,
        draining: lifecycle.draining,
      }),
      tickers: [
        {
          everyMs: LOOK_EVERY_MS,
          fault: 'clients of the A2A door could not be told of their tasks',
          tick: () => push.look(null),
        },
      ],
      settled: () => push.settled(),
    };
  },
});
