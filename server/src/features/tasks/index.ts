export { assertCarriedTask } from './carried.ts';

export type { TaskChat } from './ports.ts';
export { taskRoutes } from './routes.ts';
export { createTasks } from './service.ts';
export { taskTools } from './tools.ts';
