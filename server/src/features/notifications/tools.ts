import type { AgentTool, ToolSource } from '../../kernel/tools.ts';
import { hasLink, MAX_BODY_CHARACTERS, MAX_TITLE_CHARACTERS } from './rules.ts';
import { CATEGORIES, LEVELS, type Notification } from './schema.ts';
import type { Notifications } from './service.ts';

/** Notifications for agents. They tell the caller alone: an agent cannot write to anybody else by these. */

const SERVER = 'pentarch';

const line = (item: Notification): string =>
  `${item.created_at} [${item.level}${item.read ? '' : ', unread'}] ${item.title}`;

const notifyTool = (notifications: Notifications): AgentTool => ({
  server: SERVER,
  name: 'notify',
  description:
    'Send a notification to the user you work for: to their inbox, and by the channels they chose.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['title'],
    properties: {
      title: { type: 'string', minLength: 1, maxLength: MAX_TITLE_CHARACTERS },
      body: { type: 'string', maxLength: MAX_BODY_CHARACTERS },
      level: { type: 'string', enum: [...LEVELS] },
    },
  },
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  permission: 'notifications:write',
  taint: [],
  personal: (args) => hasLink(`${String(args.title)}\n${String(args.body ?? '')}`),
  call: async (args, { caller, agentId, conversationId, runId }) => {
    const sent = await notifications.notify(caller, {
      category: 'agents',
      level: LEVELS.find((level) => level === args.level) ?? 'info',
      title: String(args.title),
      body: typeof args.body === 'string' ? args.body : '',
      data: { agent_id: agentId, conversation_id: conversationId, run_id: runId },
    });
    return sent === null
      ? { content: 'The user has switched notifications of agents off.', isError: true }
      : { content: 'The user has been notified.', isError: false, structured: sent };
  },
});

const listTool = (notifications: Notifications): AgentTool => ({
  server: SERVER,
  name: 'list_notifications',
  description: 'List the notifications of the user, newest first.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      unread: { type: 'boolean' },
      limit: { type: 'integer', minimum: 1, maximum: 50 },
    },
  },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  permission: 'notifications:read',
  call: async (args, { caller }) => {
    const { items, total } = await notifications.list(caller, {
      unread: args.unread === true,
      limit: typeof args.limit === 'number' ? args.limit : 20,
    });
    const content =
      items.length === 0 ? 'There are no notifications.' : `${total}:\n${items.map(line).join('\n')}`;
    return { content, isError: false, structured: { total, items } };
  },
});

const preferencesTool = (notifications: Notifications): AgentTool => ({
  server: SERVER,
  name: 'set_notification_preferences',
  description:
    'Switch the channels (inbox, email, webhook) of a category of notifications on or off for the user.',
  inputSchema: {
    type: 'object',
    additionalProperties: false,
    required: ['category'],
    properties: {
      category: { type: 'string', enum: [...CATEGORIES] },
      inbox: { type: 'boolean' },
      email: { type: 'boolean' },
      webhook: { type: 'boolean' },
    },
  },
  annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  permission: 'notifications:write',
  taint: [],
  personal: true,
  call: async ({ category, ...channels }, { caller }) => {
    const known = CATEGORIES.find((name) => name === category);
    if (known === undefined) return { content: 'There is no such category.', isError: true };
    const preferences = await notifications.setPreferences(caller, { categories: { [known]: channels } });
    return {
      content: `${known}: ${JSON.stringify(preferences.categories[known])}`,
      isError: false,
      structured: preferences,
    };
  },
});

export const notificationTools = (notifications: Notifications): ToolSource => {
  const tools = [notifyTool(notifications), listTool(notifications), preferencesTool(notifications)];
  return { fixed: true, list: () => tools };
};
