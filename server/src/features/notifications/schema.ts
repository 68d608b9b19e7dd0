import { type Static, Type } from 'typebox';
import { AnyObject, Nullable, PageQuery, Strict, StringEnum, Timestamp, Uuid } from '../../kernel/schema.ts';

export const CATEGORIES = ['tasks', 'proposals', 'costs', 'documents', 'agents', 'system'] as const;
export type Category = (typeof CATEGORIES)[number];
export const LEVELS = ['info', 'warning', 'critical'] as const;
export type Level = (typeof LEVELS)[number];

export const Notification = Type.Object({
  id: Uuid(),
  category: StringEnum(CATEGORIES),
  level: StringEnum(LEVELS),
  title: Type.String(),
  body: Type.String(),
  data: AnyObject({ description: 'Ids of what it is about' }),
  read: Type.Boolean(),
  read_at: Nullable(Timestamp()),
  created_at: Timestamp(),
});
export type Notification = Static<typeof Notification>;

const channels = {
  inbox: Type.Boolean({ description: 'In the inbox, and on open WebSockets' }),
  email: Type.Boolean({ description: 'By e-mail, where the platform has a mail server' }),
  webhook: Type.Boolean({ description: 'To the webhooks of the tenant that subscribe to notification' }),
};
export const Channels = Type.Object(channels);
export type Channels = Static<typeof Channels>;

const of = <T>(value: T): Record<Category, T> => ({
  tasks: value,
  proposals: value,
  costs: value,
  documents: value,
  agents: value,
  system: value,
});

export const Preferences = Type.Object({
  categories: Type.Object(of(Channels)),
  email: Type.String({ description: 'Address that mails go to' }),
  email_available: Type.Boolean(),
});
export type Preferences = Static<typeof Preferences>;

const Changes = Strict({
  inbox: Type.Optional(channels.inbox),
  email: Type.Optional(channels.email),
  webhook: Type.Optional(channels.webhook),
});

export const PatchPreferences = Strict({ categories: Strict(of(Type.Optional(Changes))) });
export type PatchPreferences = Static<typeof PatchPreferences>;

export const NotificationParams = Strict({ id: Uuid('Notification id') });
export const ListNotifications = Strict({
  ...PageQuery,
  unread: Type.Optional(Type.Boolean({ description: 'true: only what has not been read' })),
  category: Type.Optional(StringEnum(CATEGORIES)),
});
export type ListNotifications = Static<typeof ListNotifications>;

export const UnreadCount = Type.Object({ unread: Type.Integer() });
