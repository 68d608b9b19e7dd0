import { type AgentService, abilitiesTool } from '../features/agents/index.ts';
import type { Knowledge } from '../features/knowledge/index.ts';
import type { McpFeature } from '../features/mcp/index.ts';
import type { Caller } from '../kernel/caller.ts';
import { toolSource } from '../kernel/define-tool.ts';
import { defineModule } from './module.ts';

export interface AbilitiesDeps {
  agents: Pick<AgentService, 'effective'>;
  knowledge: Pick<Knowledge, 'readable'>;
  mcp: Pick<McpFeature, 'visible'>;
}

/** A module of its own, since it looks at features that are built on the agents. */
export const abilitiesModule = defineModule({
  name: 'abilities',
  needs: ['agents', 'knowledge', 'mcp'],
  build({ agents, knowledge, mcp }: AbilitiesDeps) {
    const surroundings = async (caller: Caller) => ({
      documents: await knowledge.readable(caller),
      servers: mcp.visible(caller).filter(({ status }) => status === 'connected'),
    });
    return { service: null, tools: [toolSource([abilitiesTool({ agents, surroundings })])] };
  },
});
