export type { LeftWork } from './ports.ts';
export { createNodes, type Nodes } from './service.ts';
export { createNodeStore, type NodeStore } from './store.ts';
