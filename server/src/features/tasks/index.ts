export { assertCarriedTask } from './carried.ts';
export { createTaskChat } from './chat-runs.ts';
export type { TaskChat } from './ports.ts';
export { taskRoutes } from './routes.ts';
export { createTasks, type Tasks, type TasksOptions } from './service.ts';
export { taskTools } from './tools.ts';
