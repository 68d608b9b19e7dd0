export type { A2aDoorOptions } from './door.ts';
export { a2aRoutes } from './routes.ts';
