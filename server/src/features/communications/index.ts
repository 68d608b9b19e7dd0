export { sendingPolicy } from './rules.ts';
export { communicationTools } from './tools.ts';
