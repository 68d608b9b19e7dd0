export { createNodes, type Nodes } from './service.ts';
export { createNodeStore, type NodeStore } from './store.ts';
