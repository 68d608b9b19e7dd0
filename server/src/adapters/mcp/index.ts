export { type ConnectorOptions, createMcpConnector } from './connect.ts';
export { createPrivateFolderCheck } from './private-folder.ts';
