import { type AnyRoute, route } from '../../http/route.ts';
import { Page } from '../../kernel/schema.ts';
import {
  ListNotifications,
  Notification,
  NotificationParams,
  PatchPreferences,
  Preferences,
  UnreadCount,
} from './schema.ts';
import type { Notifications } from './service.ts';

const tag = 'Notifications';

export const notificationRoutes = (notifications: Notifications): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/notifications',
    operationId: 'listNotifications',
    summary: 'The caller’s inbox, newest first',
    tag,
    access: 'notifications:read',
    query: ListNotifications,
    responses: { 200: Page(Notification) },
    handler: ({ caller, query }) => notifications.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/notifications/unread',
    operationId: 'countUnreadNotifications',
    summary: 'How many have not been read',
    tag,
    access: 'notifications:read',
    responses: { 200: UnreadCount },
    handler: ({ caller }) => notifications.unread(caller),
  }),
  route({
    method: 'POST',
    path: '/notifications/:id/read',
    operationId: 'readNotification',
    summary: 'Mark one as read',
    tag,
    access: 'notifications:write',
    params: NotificationParams,
    responses: { 200: Notification },
    handler: ({ caller, params }) => notifications.read(caller, params.id),
  }),
  route({
    method: 'POST',
    path: '/notifications/read-all',
    operationId: 'readAllNotifications',
    summary: 'Mark all as read',
    tag,
    access: 'notifications:write',
    responses: { 204: null },
    handler: ({ caller }) => notifications.readAll(caller),
  }),
  route({
    method: 'GET',
    path: '/notifications/preferences',
    operationId: 'getNotificationPreferences',
    summary: 'By which channels the caller is told of what',
    tag,
    access: 'notifications:read',
    responses: { 200: Preferences },
    handler: ({ caller }) => notifications.preferences(caller),
  }),
  route({
    method: 'PATCH',
    path: '/notifications/preferences',
    operationId: 'updateNotificationPreferences',
    summary: 'Change channels; what is not named stays',
    tag,
    access: 'notifications:write',
    body: PatchPreferences,
    responses: { 200: Preferences },
    handler: ({ caller, body }) => notifications.setPreferences(caller, body),
  }),
];
