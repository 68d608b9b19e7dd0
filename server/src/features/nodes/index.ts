export type { LeftWork } from './ports.ts';
export type { Nodes } from './service.ts';
export { createNodeStore, type NodeStore } from './store.ts';
