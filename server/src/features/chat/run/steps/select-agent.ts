import type { Along } from '../../../../db/db.ts';
import type { Caller } from '../../../../kernel/caller.ts';
import { conflict, invalid } from '../../../../kernel/errors.ts';
import type { AgentTool } from '../../../../kernel/tools.ts';
import type { AgentService, EffectiveAgent } from '../../../agents/index.ts';
import type { ChooseAgent } from '../../ports.ts';
import { isFindTools } from '../../tool-finding.ts';
import { isDelegate, toolsOf } from '../../tool-list.ts';
import type { Asking, StartDeps } from '../run.ts';
import type { History } from './load-history.ts';
import type { LookUp } from './retrieve.ts';

/** An agent, and why it. */
interface Selection {
  agent: EffectiveAgent;
  choice: Awaited<ReturnType<ChooseAgent>>;
}

const namesOf = new WeakMap<readonly AgentTool[], readonly string[]>();

/** What the model that chooses is told of an agent's tools; of a server its name alone. A list stays the same while nothing changes. */
const toolNames = (tools: readonly AgentTool[]): readonly string[] => {
  const known = namesOf.get(tools);
  if (known !== undefined) return known;
  const names = tools
    .filter((tool) => !isDelegate(tool) && !isFindTools(tool))
    .map((tool) => (tool.server === 'pentarch' ? tool.name : tool.server));
  const distinct = [...new Set(names)];
  namesOf.set(tools, distinct);
  return distinct;
};

/** The agent that is named. Throws VALIDATION_ERROR where there is none, CONFLICT where it is switched off. */
export const namedAgent = async (
  agents: AgentService,
  caller: Caller,
  agentId: string,
): Promise<Selection> => {
  const agent = await agents.find(caller.tenantId, agentId);
  if (agent === null) throw invalid({ field: '/context/agent_id', reason: 'is not an agent' });
  if (!agent.enabled) throw conflict(`the agent ${agentId} is switched off`);
  return {
    agent,
    choice: {
      agentId,
      reason: 'addressed directly',
      confidence: 1,
      candidates: [{ agent_id: agentId, score: 1 }],
    },
  };
};

/** Third step: the agent that the message names, or the one that the router picks; `choose.ts` may ask a model. */
export const selectAgent = async (
  deps: StartDeps,
  asking: Asking,
  { known }: History,
  found: LookUp,
  setAside: (agent: EffectiveAgent) => Promise<Along>,
): Promise<Selection> => {
  const { caller, request, context, signal } = asking.message;
  if (context.agentId !== null) return namedAgent(deps.agents, caller, context.agentId);
  const all = await deps.agents.effective(caller.tenantId);
  const enabled = (agentId: string): EffectiveAgent => {
    const agent = all.get(agentId);
    if (agent === undefined || !agent.enabled) throw conflict('no agent is switched on for this message');
    return agent;
  };
  const choice = await deps.choose({
    caller,
    text: request.message,
    agents: all,
    previousAgentId: known.turns.findLast((turn) => turn.agent_id !== null)?.agent_id ?? null,
    documentsFit: async () => Math.max(0, ...(await found.passages()).map((passage) => passage.score)),
    turns: known.turns,
    toolsOf: async (agent) => toolNames(await toolsOf(deps.toolSources, caller, agent)),
    subject: asking.subject,
    run: found.run,
    setAside: (agentId) => setAside(enabled(agentId)),
    signal,
  });
  return { agent: enabled(choice.agentId), choice };
};
