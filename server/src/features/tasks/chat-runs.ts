import { AppError, isErrorCode } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { usdToNano } from '../../kernel/money.ts';
import { type ChatResponse, type ChatService, taintHeld } from '../chat/index.ts';
import type { ChatOutcome, TaskChat } from './ports.ts';

const finishOf = (reason: ChatResponse['finish_reason']): ChatOutcome['finishReason'] => {
  // A task has no client with tools of its own.
  if (reason === 'tool_calls') return 'stop';
  if (reason === 'failed' || reason === 'interrupted')
    throw new AppError('INTERNAL_ERROR', `the run ${reason === 'failed' ? 'failed' : 'was interrupted'}`);
  return reason;
};

const outcomeOf = (response: ChatResponse): ChatOutcome => ({
  content: response.content,
  messageId: response.id,
  costNano: usdToNano(response.cost_usd),
  finishReason: finishOf(response.finish_reason),
});

const toolName = (data: unknown): string =>
  typeof data === 'object' && data !== null && 'name' in data && typeof data.name === 'string'
    ? data.name
    : 'unknown';

const isResponse = (data: unknown): data is ChatResponse =>
  typeof data === 'object' && data !== null && 'finish_reason' in data && 'content' in data;

/** Tasks by the chat service: a task is a message to an agent, with the same limits, costs and approvals. */
export const createTaskChat = (
  chat: Pick<ChatService, 'launch' | 'cancel' | 'getRun' | 'follow'>,
): TaskChat => ({
  async start(caller, request, { tainted, accepted }) {
    const run = await chat.launch(caller, request, {
      requestId: newId(),
      streaming: true,
      wait: true,
      ...(tainted ? { given: { taint: ['task'] as const } } : {}),
      accepted,
    });
    return {
      runId: run.runId,
      conversationId: run.conversationId,
      agentId: run.agentId,
      onProgress: (listener) =>
        run.events.follow(
          0,
          (event) => {
            if (event.event === 'message.delta' && 'text' in event)
              listener({ characters: event.text.length });
            else if (event.event === 'tool.started' && 'data' in event)
              listener({ tool: toolName(event.data) });
          },
          () => {},
        ),
      done: Promise.race([run.done, run.waits]).then(outcomeOf),
    };
  },
  async cancel(caller, runId) {
    try {
      await chat.cancel(caller, runId);
      return true;
    } catch (error) {
      if (error instanceof AppError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND'))
        return false;
      throw error;
    }
  },
  taintOf: taintHeld,
  async lookUp(caller, runId) {
    const run = await chat.getRun(caller, runId);
    if (run.status === 'awaiting_approval') return { state: 'waiting' };
    if (run.status === 'queued' || run.status === 'running') return { state: 'running' };
    if (run.status === 'failed') {
      const code = run.error?.code ?? 'INTERNAL_ERROR';
      return {
        state: 'failed',
        error: {
          code: isErrorCode(code) ? code : 'INTERNAL_ERROR',
          message: run.error?.message ?? 'the run failed',
        },
      };
    }
    const source = await chat.follow(caller, runId);
    if ('live' in source) return { state: 'running' };
    const last = source.finished.at(-1);
    const data: unknown = last !== undefined && 'data' in last ? last.data : null;
    if (isResponse(data)) return { state: 'ended', outcome: outcomeOf(data) };
    return {
      state: 'ended',
      outcome: {
        content: '',
        messageId: run.message_id,
        costNano: usdToNano(run.cost_usd),
        finishReason: run.status === 'cancelled' ? 'cancelled' : 'cost_exceeded',
      },
    };
  },
});
