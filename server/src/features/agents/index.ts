export { abilitiesTool } from './abilities.ts';
export { AGENT_IDS, AGENTS } from './definitions.ts';
export { looksLikeQuestion } from './router.rules.ts';
export { createRouter, type RouteChoice, type Router } from './router.ts';
export type { RunSample } from './rules.ts';
export { checkRunSums, forgetRunSums } from './run-figures.ts';
export { type AgentService, createAgentService, type EffectiveAgent } from './service.ts';

export { createAgentStore } from './store.ts';

export { createSuggestionStore } from './suggestions.store.ts';
export { createSuggestions } from './suggestions.ts';
