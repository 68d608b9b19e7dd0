import type { Idempotency } from '../../http/idempotency.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { AgentService } from '../agents/index.ts';
import type { ChatService } from '../chat/index.ts';
import { anthropicRoutes } from './routes.ts';

export interface AnthropicDeps extends Pick<Given, 'lifecycle'> {
  agents: Pick<AgentService, 'effective'>;
  chat: ChatService;
  idempotency: Idempotency;
  streams: StreamWatch;
}

export const anthropicModule = defineModule({
  name: 'anthropic',
  needs: ['agents', 'chat', 'idempotency', 'lifecycle', 'streams'],
  build: ({ agents, chat, idempotency, lifecycle, streams }: AnthropicDeps) => ({
    service: {},
    routes: anthropicRoutes({ chat, agents, idempotency, streams, draining: lifecycle.draining }),
  }),
});
