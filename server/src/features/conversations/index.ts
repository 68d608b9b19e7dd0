export { attachmentsOf, attachmentsText } from './attachments.rules.ts';
export { addConversationCost } from './cost.store.ts';
export { brokenReason, INTERRUPTED, storedReason } from './ends.rules.ts';
export { titleFrom } from './export.rules.ts';
export { createFeedbackStore } from './feedback.store.ts';
export { importRoutes } from './import.routes.ts';
export { createImporter } from './import.service.ts';
export { createImportStore } from './import.store.ts';
export { isQueuedAt, QUEUED_FROM, queuedAt, saidAt } from './queued.rules.ts';
export { dropArchivedBefore } from './retention.store.ts';
export { conversationRoutes } from './routes.ts';
export {
  Attachment,
  Citation,
  FINISH_REASONS,
  type FinishReason,
  Message,
  ToolCall,
  Usage,
} from './schema.ts';
export { type ConversationService, createConversationService } from './service.ts';
export { createConversationStore } from './store.ts';
export { feedbackTools } from './tools.ts';
export { ACTIVE, INACTIVE, pathTo, type TreeNode, UNPLACED } from './tree.rules.ts';
export { activateBranch, treeOf } from './tree.store.ts';
export { conversationOf, messageOf } from './wire.ts';
