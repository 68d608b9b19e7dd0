import { Type } from 'typebox';
import { defineTool, READS, said, toolSource, WRITES } from '../../kernel/define-tool.ts';
import { Strict, StringEnum } from '../../kernel/schema.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import { AGENT_IDS } from './definitions.ts';
import type { AgentMetrics } from './schema.ts';
import type { AgentService } from './service.ts';
import type { Suggestions } from './suggestions.ts';

/** The agents' own figures, for Prometheus, and suggestions about them, from Morpheus. */

const ms = (value: number | null): string =>
  value === null ? '–' : value < 1000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;

const line = (id: string, m: AgentMetrics): string =>
  `- ${id}: ${m.requests} runs, ${m.success_rate === null ? 'none finished' : `${Math.round(m.success_rate * 100)} % succeeded`}, latency p50 ${ms(m.latency_ms.p50)}, p95 ${ms(m.latency_ms.p95)}, ${m.input_tokens + m.output_tokens} tokens, ${m.tool_calls} tool calls, $${m.cost_usd}`;

export const agentTools = (deps: { agents: AgentService; suggestions: Suggestions }): ToolSource =>
  toolSource([
    defineTool({
      name: 'query_metrics',
      description:
        'Reads how the agents did, measured from their runs: requests, success rate, latency, tokens, tool calls, cost. Agents without runs have no figures.',
      input: Strict({
        agent_id: Type.Optional(StringEnum(AGENT_IDS, { description: 'One agent; all without it' })),
        window: Type.Optional(StringEnum(['1h', '24h', '7d', '30d'], { description: 'Default 24h' })),
      }),
      annotations: READS,
      permission: 'agents:read',
      taint: [],
      async run(args, { caller }) {
        const window = args.window ?? '24h';
        const ids = args.agent_id === undefined ? AGENT_IDS : [args.agent_id];
        const figures = await Promise.all(
          ids.map(async (id) => ({
            agent_id: id,
            ...(await deps.agents.metrics(caller.tenantId, id, window)),
          })),
        );
        const active = figures.filter((figure) => figure.requests > 0);
        return said(
          active.length === 0
            ? `No runs in the last ${window}.`
            : `Last ${window}:\n${active
                .sort((a, b) => b.requests - a.requests)
                .map((figure) => line(figure.agent_id, figure))
                .join('\n')}`,
          { window, agents: active },
        );
      },
    }),
    defineTool({
      name: 'suggest_instruction',
      description:
        'Suggests a text to be added to the instructions of an agent. Nothing changes until an operator accepts it.',
      input: Strict({
        agent_id: StringEnum(AGENT_IDS),
        instruction: Type.String({
          minLength: 5,
          maxLength: 2_000,
          pattern: '\\S',
          description: 'As the agent should read it, e.g. "Answer in bullet points."',
        }),
        reason: Type.Optional(
          Type.String({ minLength: 1, maxLength: 1_000, description: 'What in the feedback speaks for it' }),
        ),
      }),
      annotations: WRITES,
      permission: 'chat:write',
      taint: [],
      personal: true,
      async run(args, context) {
        const { suggestion, created } = await deps.suggestions.suggest(context.caller, {
          agentId: args.agent_id,
          instruction: args.instruction,
          reason: args.reason ?? null,
          conversationId: context.conversationId,
        });
        return said(
          created
            ? `Suggested for ${suggestion.agent_id}: “${suggestion.instruction}” An operator decides.`
            : 'The same suggestion is open already; an operator decides.',
          { suggestion_id: suggestion.id, agent_id: suggestion.agent_id, status: suggestion.status },
        );
      },
    }),
  ]);
