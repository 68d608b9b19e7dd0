export { titleFrom } from './export.rules.ts';
export { createFeedbackStore } from './feedback.store.ts';
export { dropArchivedBefore } from './retention.store.ts';
export { conversationRoutes } from './routes.ts';
export { Citation, Message, ToolCall, Usage } from './schema.ts';
export { type ConversationService, createConversationService } from './service.ts';
export { createConversationStore } from './store.ts';
export { feedbackTools } from './tools.ts';
export { conversationOf, messageOf } from './wire.ts';
