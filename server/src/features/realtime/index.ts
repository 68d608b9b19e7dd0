export { createEventBus, type EventBus } from './bus.ts';

export { createHub } from './hub.ts';
export { createEventRelay } from './node-relay.ts';
export type { ChatSend } from './ports.ts';
export { socketPlugin } from './routes.ts';
