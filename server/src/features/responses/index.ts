export { responseRoutes } from './routes.ts';
