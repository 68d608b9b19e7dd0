export { attachmentsOf, attachmentsText, picturesOf } from './attachments.rules.ts';
export { addConversationCost } from './cost.store.ts';
export { brokenReason, INTERRUPTED, storedReason } from './ends.rules.ts';
export { titleFrom } from './export.rules.ts';
export { messagesById, openAnswers } from './messages.store.ts';
export { insertPictures, readPictures } from './pictures.store.ts';
export { isQueuedAt, QUEUED_FROM, queuedAt, saidAt } from './queued.rules.ts';
export { dropArchivedBefore, dropUnlistedBefore } from './retention.store.ts';
export {
  Citation,
  FINISH_REASONS,
  type FinishReason,
  type Message,
  ToolCall,
  Usage,
} from './schema.ts';
export type { ConversationService } from './service.ts';
export { createConversationStore } from './store.ts';
export { ACTIVE, INACTIVE, pathTo, type TreeNode, UNPLACED } from './tree.rules.ts';
export { activateBranch, treeOf } from './tree.store.ts';
export { messageOf } from './wire.ts';
