export { notificationRoutes } from './routes.ts';
export { createNotifications, type Notifications, type NotificationsOptions } from './service.ts';
export { dropNotificationsBefore } from './store.ts';
export { notificationTools } from './tools.ts';
