export { AGENT_IDS, AGENTS, type AgentDefinition } from './definitions.ts';
export { createRouter, type RouteChoice, type Router } from './router.ts';
export { agentRoutes } from './routes.ts';
export type { RunSample } from './rules.ts';
export { type AgentService, createAgentService, type EffectiveAgent } from './service.ts';
export { createAgentStore } from './store.ts';
