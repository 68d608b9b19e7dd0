export { type A2aDoorOptions, a2aRoutes } from './routes.ts';
