import { masked } from '../../kernel/masked.ts';
import type { ModelToolCall } from '../../kernel/model.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { type Span, traced, tracesContents } from '../../kernel/tracing.ts';

/** What a span tells of a call that has been settled. */
interface Settled {
  item: { status: string };
  answer: string;
}

const tellEnd = (span: Span, { item, answer }: Settled): void => {
  span.set({ 'pentarch.tool.status': item.status });
  if (item.status === 'failed' || item.status === 'denied')
    span.fail(Object.assign(new Error(), { kind: item.status }));
  if (tracesContents()) span.set({ 'gen_ai.tool.call.result': masked(answer) });
};

/** The call of a tool in the words of OpenTelemetry's conventions for generative AI, from the gate to its outcome. */
export const inToolSpan = <T extends Settled>(
  call: ModelToolCall,
  tool: AgentTool | undefined,
  agentId: string,
  work: () => Promise<T>,
): Promise<T> =>
  traced(
    `execute_tool ${tool?.name ?? call.name}`,
    {
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool?.name ?? call.name,
        'gen_ai.tool.call.id': call.id,
        'gen_ai.tool.type': 'function',
        'gen_ai.agent.id': agentId,
        'pentarch.mcp.server': tool?.server,
        ...(tracesContents() ? { 'gen_ai.tool.call.arguments': masked(call.arguments) } : {}),
      },
    },
    async (span) => {
      const result = await work();
      if (span.recorded) tellEnd(span, result);
      return result;
    },
  );
