import type { NodeMessages } from '../../kernel/cluster.ts';
import type { PlatformEvent } from '../../kernel/events.ts';
import type { EventRelay } from './bus.ts';

const isEvent = (m: unknown): m is PlatformEvent =>
  typeof m === 'object' &&
  m !== null &&
  'id' in m &&
  typeof m.id === 'string' &&
  'type' in m &&
  typeof m.type === 'string' &&
  'tenantId' in m &&
  typeof m.tenantId === 'string' &&
  'permission' in m &&
  typeof m.permission === 'string' &&
  'createdAt' in m &&
  typeof m.createdAt === 'number' &&
  'data' in m;

/** Events between nodes as messages. What a later release adds to them is carried along unread. */
export const createEventRelay = (messages: NodeMessages): EventRelay => ({
  send: (event) => messages.send('event', event),
  receive: (onEvent) => {
    messages.receive('event', (message) => {
      if (isEvent(message)) onEvent(message);
    });
  },
});
