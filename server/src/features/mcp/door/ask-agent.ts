import type { Caller } from '../../../kernel/caller.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { AgentTool, ToolSource } from '../../../kernel/tools.ts';

/** Asking an agent, as a tool for clients of `/mcp`. Not for agents: they hand over to each other by their own means. */
export interface AskAgentOptions {
  agents: readonly { id: string; name: string; domain: string }[];
  /** One turn of chat as the caller, as `POST chat` does it. Throws `AppError`. */
  ask(
    caller: Caller,
    request: { message: string; agentId: string | null; conversationId: string | null; requestId: string },
    signal: AbortSignal,
  ): Promise<AgentAnswer>;
}

export interface AgentAnswer {
  content: string;
  agentId: string;
  conversationId: string;
  runId: string;
  finishReason: string;
  costUsd: number;
}

export const createAskAgentSource = ({ agents, ask }: AskAgentOptions): ToolSource => {
  const described = agents.map((agent) => `${agent.id} (${agent.domain})`).join(', ');
  const tool: AgentTool = {
    server: 'pentarch',
    name: 'ask_agent',
    description: `Asks an agent of the organisation. Without agent_id the fitting one is found. Agents: ${described}`,
    inputSchema: {
      type: 'object',
      properties: {
        message: { type: 'string', minLength: 1, maxLength: 262_144 },
        agent_id: { type: 'string', enum: agents.map((agent) => agent.id) },
        conversation_id: { type: 'string', format: 'uuid', description: 'Goes on with a conversation' },
      },
      required: ['message'],
      additionalProperties: false,
    },
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
    permission: 'chat:write',
    async call(args, context) {
      const text = (name: string): string | null => {
        const value = args[name];
        return typeof value === 'string' ? value : null;
      };
      try {
        const answer = await ask(
          context.caller,
          {
            message: text('message') ?? '',
            agentId: text('agent_id'),
            conversationId: text('conversation_id'),
            requestId: context.requestId,
          },
          context.signal,
        );
        // Charged by the run itself, so there is no cost of the tool.
        return {
          content: answer.content,
          isError: false,
          structured: {
            content: answer.content,
            agent_id: answer.agentId,
            conversation_id: answer.conversationId,
            run_id: answer.runId,
            finish_reason: answer.finishReason,
            cost_usd: answer.costUsd,
          },
        };
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'INTERNAL_ERROR') throw error;
        return { content: error.message, isError: true };
      }
    },
  };
  return { fixed: true, list: (caller) => (caller.permissions.has(tool.permission) ? [tool] : []) };
};
