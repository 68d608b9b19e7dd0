export type { ActiveRun } from './active-run.ts';
export type { ApprovalPort, Decision } from './approvals.ts';
export { createChooser } from './choose.ts';
export { CLIENT } from './client-tools.rules.ts';
export { delegateTool } from './delegate.ts';
export type { HistoryTurn } from './history.rules.ts';
export { isDelta, type RunEvent } from './journal.rules.ts';
export type { RunMemory, SearchPassages } from './ports.ts';
export { withoutSpecialTokens } from './prompt.rules.ts';
export { createConversationQueue } from './queue.ts';
export type { FollowedRun } from './remote.ts';
export type { GivenInput } from './request.ts';
export { dropRunEventsBefore } from './retention.store.ts';
export { chatRoutes } from './routes.ts';
export type { RunReport } from './run-report.rules.ts';
export { ChatRequest, ChatResponse, type RunStatus } from './schema.ts';
export {
  type ChatService,
  createChatService,
  DECISION_GRACE_MS,
  type LaunchOptions,
  type Turn,
} from './service.ts';
export type { ChooseAgent } from './start.ts';
export { createChatStore } from './store.ts';
export { schemaFault } from './tool-call.ts';
export { type ClientTools, matchesGlob } from './tools.rules.ts';
