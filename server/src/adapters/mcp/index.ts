export { type ConnectorOptions, createMcpConnector } from './connect.ts';
