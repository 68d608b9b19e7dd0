export { notificationRoutes } from './routes.ts';
export { createNotifications } from './service.ts';
export { dropNotificationsBefore } from './store.ts';
export { notificationTools } from './tools.ts';
