export { type CommunicationDeps, communicationTools } from './tools.ts';
