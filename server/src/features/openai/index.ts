export { type OpenAiDoorOptions, openAiRoutes } from './routes.ts';
