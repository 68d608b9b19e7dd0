export type { ActiveRun } from './active-run.ts';

export { CLIENT } from './client-tools.rules.ts';
export { delegateTool } from './delegate.ts';
export { type AnswerForm, unusableSchema } from './form.ts';
export type { HistoryTurn } from './history.rules.ts';
export { isDelta, type RunEvent } from './journal.rules.ts';
export { withoutSpecialTokens } from './prompt.rules.ts';

export type { FollowedRun } from './remote.ts';
export type { GivenInput } from './request.ts';
export { dropRunEventsBefore } from './retention.store.ts';

export type { Turn } from './run-reads.ts';
export { runSamples } from './samples.store.ts';
export {
  CHAT_BODY_BYTES,
  ChatRequest,
  ChatResponse,
  type RunStatus,
} from './schema.ts';
export { type ChatService, DECISION_GRACE_MS } from './service.ts';
export { createChatStore, taintHeld } from './store.ts';

export { findToolsBase } from './tool-finding.ts';
export type { ClientTools } from './tools.rules.ts';
