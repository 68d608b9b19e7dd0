export type { RunMemory, SearchPassages } from './ports.ts';
export { createConversationQueue } from './queue.ts';
export { chatRoutes } from './routes.ts';
export { ChatRequest, ChatResponse } from './schema.ts';
export { type ChatService, createChatService } from './service.ts';
export type { ChooseAgent } from './start.ts';
export { createChatStore } from './store.ts';
export { schemaFault } from './tool-call.ts';
export { matchesGlob } from './tools.rules.ts';
