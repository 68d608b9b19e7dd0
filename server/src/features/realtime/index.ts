export { createEventBus, type EventBus, type EventRelay } from './bus.ts';
export { createChatSend } from './chat-send.ts';
export { createHub, type Hub } from './hub.ts';
export { createEventRelay } from './node-relay.ts';
export type { ChatSend, LaunchedRun } from './ports.ts';
export { socketPlugin } from './routes.ts';
export { TOPICS } from './rules.ts';
