import type { Caller } from '../../kernel/caller.ts';
import { defineTool, READS, said } from '../../kernel/define-tool.ts';
import { Strict } from '../../kernel/schema.ts';
import type { AgentDefinition } from './definitions.ts';
import type { AgentService } from './service.ts';

/** What there is besides the agents, for one person. */
export interface Surroundings {
  /** How many they can read. No titles: these are others' words. */
  documents: number;
  /** Those that are connected. */
  servers: readonly { name: string; toolCount: number }[];
}

/** `keeper of the organisation’s documents`, of a charter that begins with `You are Athena, keeper of …`. */
const roleOf = ({ charter, domain }: Pick<AgentDefinition, 'charter' | 'domain'>): string =>
  /^You are [^,.]+, (?:the |who )?(.{3,160}?)\.(?:\s|$)/s.exec(charter)?.[1] ?? domain;

const suggestionsFor = ({ documents, servers }: Surroundings): string[] => {
  const [server] = servers;
  return [
    documents === 0
      ? 'Upload a document (Knowledge in the console, or POST /api/v1/knowledge/documents) and ask about it'
      : '“List my documents”, and ask about one of them',
    '“Remind me tomorrow at 9 to call the bank”',
    server === undefined
      ? '“Remember that my desk is on floor 3”, and later “what do you know about me?”'
      : `“Which MCP servers are there?” (${server.name} is one), or “what did the agents cost this month?”`,
  ];
};

/** What this installation can do here and now, so that no answer to `what can you do?` promises what is not there. */
export const abilitiesTool = (deps: {
  agents: Pick<AgentService, 'effective'>;
  surroundings: (caller: Caller) => Promise<Surroundings>;
}) =>
  defineTool({
    name: 'list_abilities',
    description:
      'What this installation can do here and now: agents, documents, connected MCP servers, things to try. For “what can you do?”.',
    input: Strict({}),
    annotations: READS,
    permission: 'agents:read',
    taint: [],
    async run(_args, { caller }) {
      const [settings, around] = await Promise.all([
        deps.agents.effective(caller.tenantId),
        deps.surroundings(caller),
      ]);
      const agents = [...settings.values()].filter(({ enabled }) => enabled);
      const { documents, servers } = around;
      const suggestions = suggestionsFor(around);
      const text = [
        'Agents (the right one answers by itself; “/athena …” asks one by name):',
        ...agents.map(({ definition }) => `- ${definition.name}: ${roleOf(definition)}`),
        '',
        `Documents that you can read: ${documents === 0 ? 'none yet' : documents}.`,
        servers.length === 0
          ? 'MCP servers: none connected.'
          : `MCP servers: ${servers.map(({ name, toolCount }) => `${name} (${toolCount} tools)`).join(', ')}.`,
        '',
        'Things to try:',
        ...suggestions.map((one) => `- ${one}`),
      ].join('\n');
      return said(text, {
        agents: agents.map(({ definition }) => ({ id: definition.id, name: definition.name })),
        documents,
        servers: servers.map(({ name, toolCount }) => ({ name, tool_count: toolCount })),
        suggestions,
      });
    },
  });
