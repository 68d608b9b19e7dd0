export { sendingPolicy } from './rules.ts';
export { type CommunicationDeps, communicationTools } from './tools.ts';
