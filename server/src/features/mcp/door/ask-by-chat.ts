import type { ChatService } from '../../chat/index.ts';
import type { AskAgentOptions } from './ask-agent.ts';

/** One turn of chat as the caller. */
export const askByChat =
  (chat: Pick<ChatService, 'launch' | 'answer'>): AskAgentOptions['ask'] =>
  async (caller, request) => {
    const run = await chat.launch(
      caller,
      {
        message: request.message,
        ...(request.conversationId === null ? {} : { conversation_id: request.conversationId }),
        ...(request.agentId === null ? {} : { context: { agent_id: request.agentId } }),
      },
      { requestId: request.requestId, streaming: false, wait: true },
    );
    const answer = await chat.answer(run);
    return {
      content: answer.content,
      agentId: answer.agent_id,
      conversationId: answer.conversation_id,
      runId: answer.run_id,
      finishReason: answer.finish_reason,
      costUsd: answer.cost_usd,
    };
  };
