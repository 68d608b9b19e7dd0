import type { Idempotency } from '../../http/idempotency.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { AgentService } from '../agents/index.ts';
import type { ChatService } from '../chat/index.ts';
import type { ConversationService } from '../conversations/index.ts';
import { responseRoutes } from './routes.ts';

export interface ResponsesDeps extends Pick<Given, 'lifecycle'> {
  agents: Pick<AgentService, 'effective'>;
  chat: ChatService;
  conversations: Pick<ConversationService, 'get' | 'deleteForGood'>;
  idempotency: Idempotency;
  streams: StreamWatch;
}

export const responsesModule = defineModule({
  name: 'responses',
  needs: ['agents', 'chat', 'conversations', 'idempotency', 'lifecycle', 'streams'],
  build: ({ agents, chat, conversations, idempotency, lifecycle, streams }: ResponsesDeps) => ({
    service: {},
    routes: responseRoutes({
      chat,
      conversations,
      agents,
      idempotency,
      streams,
      draining: lifecycle.draining,
    }),
  }),
});
