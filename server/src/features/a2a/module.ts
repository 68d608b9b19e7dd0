import type { Idempotency } from '../../http/idempotency.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import { VERSION } from '../../kernel/version.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { AGENTS } from '../agents/index.ts';
import type { ChatService } from '../chat/index.ts';
import { a2aRoutes } from './routes.ts';

export interface A2aDeps extends Pick<Given, 'clock' | 'lifecycle' | 'publicUrl'> {
  chat: ChatService;
  config: { IDP_URL: string | null };
  idempotency: Idempotency;
  streams: StreamWatch;
}

export const a2aModule = defineModule({
  name: 'a2a',
  needs: ['chat', 'clock', 'config', 'idempotency', 'lifecycle', 'publicUrl', 'streams'],
  build: ({ chat, clock, config, idempotency, lifecycle, publicUrl, streams }: A2aDeps) => ({
    service: {},
    routes: a2aRoutes({
      chat,
      idempotency,
      clock,
      agents: AGENTS,
      version: VERSION,
      publicUrl,
      issuer: () => config.IDP_URL ?? publicUrl(),
      streams,
      draining: lifecycle.draining,
    }),
  }),
});
