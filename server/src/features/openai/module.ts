import type { Idempotency } from '../../http/idempotency.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import type { MeteredEmbedder } from '../../kernel/embedder.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import type { AgentService } from '../agents/index.ts';
import type { ChatService } from '../chat/index.ts';
import { embedFor } from './embed.ts';
import { openAiRoutes } from './routes.ts';

export interface OpenAiDeps extends Pick<Given, 'lifecycle'> {
  agents: Pick<AgentService, 'effective'>;
  chat: ChatService;
  embedding: { embedder: MeteredEmbedder };
  idempotency: Idempotency;
  streams: StreamWatch;
}

export const openAiModule = defineModule({
  name: 'openai',
  needs: ['agents', 'chat', 'embedding', 'idempotency', 'lifecycle', 'streams'],
  build: ({ agents, chat, embedding, idempotency, lifecycle, streams }: OpenAiDeps) => ({
    service: {},
    routes: openAiRoutes({
      chat,
      agents,
      idempotency,
      embed: embedFor(embedding.embedder),
      embedder: embedding.embedder,
      startedAt: lifecycle.startedAt,
      streams,
      draining: lifecycle.draining,
    }),
  }),
});
