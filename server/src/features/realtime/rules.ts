/** Topics by which a connection narrows what it gets (contract, section 14). */
export const TOPICS = [
  'conversations',
  'runs',
  'proposals',
  'tasks',
  'documents',
  'agents',
  'costs',
  'notifications',
] as const;
export type Topic = (typeof TOPICS)[number];

export const isTopic = (text: unknown): text is Topic => TOPICS.some((topic) => topic === text);

/** What a connection is told of an event: its type there, and the topic that it belongs to. */
export interface SocketForm {
  type: string;
  topic: Topic;
}

const form = (type: string, topic: Topic): SocketForm => ({ type, topic });

/**
 * Types of the platform's events in the words of the socket (contract, section 12). What is not here is for webhooks
 * only: `conversation.completed` says the same as `run.completed`, `task.completed` the same as `task.updated`.
 */
const FORMS: Readonly<Record<string, SocketForm>> = {
  'message.created': form('message.created', 'conversations'),
  'run.started': form('run.started', 'runs'),
  'run.completed': form('run.completed', 'runs'),
  'run.failed': form('run.failed', 'runs'),
  'agent.state': form('agent.state', 'agents'),
  'agent.state_changed': form('agent.state', 'agents'),
  'proposal.created': form('proposal.created', 'proposals'),
  'proposal.updated': form('proposal.updated', 'proposals'),
  'proposal.decided': form('proposal.updated', 'proposals'),
  'task.updated': form('task.updated', 'tasks'),
  'document.indexed': form('document.indexed', 'documents'),
  'document.progress': form('document.progress', 'documents'),
  'document.failed': form('document.failed', 'documents'),
  'cost.alert': form('cost.alert', 'costs'),
  'cost.limit_reached': form('cost.alert', 'costs'),
  notification: form('notification', 'notifications'),
};

export const socketFormOf = (eventType: string): SocketForm | null => FORMS[eventType] ?? null;

/** Close codes (contract, section 12, and RFC 6455 section 7.4.1). */
export const CLOSE = {
  goingAway: 1001,
  unsupportedData: 1003,
  policy: 1008,
  unauthorized: 4401,
  forbidden: 4403,
  tooSlow: 4408,
} as const;
