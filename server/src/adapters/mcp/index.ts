export { createMcpConnector } from './connect.ts';
export { createPrivateFolderCheck } from './private-folder.ts';
