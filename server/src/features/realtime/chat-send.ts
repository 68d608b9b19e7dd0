import { mapError } from '../../http/map-error.ts';
import { createValidatorCompiler } from '../../http/validate.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { ActiveRun, ChatService } from '../chat/index.ts';
import { ChatRequest } from '../chat/index.ts';
import type { ChatSend, LaunchedRun } from './ports.ts';

const launched = (
  run: Pick<ActiveRun, 'runId' | 'conversationId' | 'messageId' | 'events' | 'done'>,
): LaunchedRun => ({
  runId: run.runId,
  conversationId: run.conversationId,
  messageId: run.messageId,
  onDelta: (onDelta, onEnd) =>
    run.events.follow(
      0,
      (event) => {
        if (event.event === 'message.delta' && 'text' in event)
          onDelta({ agentId: event.agentId, content: event.text });
      },
      onEnd,
    ),
  done: run.done,
});

/** `chat.send` by the chat service, with the same checks of the request as over HTTP. */
export const createChatSend = (options: { launch: ChatService['launch']; draining(): boolean }): ChatSend => {
  const validate = createValidatorCompiler()({
    schema: ChatRequest,
    method: 'POST',
    url: '/chat',
    httpPart: 'body',
  });
  return async (caller, request) => {
    if (options.draining()) {
      throw new AppError('SERVICE_UNAVAILABLE', 'the server is shutting down; try again', { retryAfterS: 5 });
    }
    const checked: unknown = validate(request);
    if (typeof checked === 'object' && checked !== null && 'error' in checked) throw mapError(checked.error);
    // The validator has just said that it has this form.
    const run = await options.launch(caller, request as ChatRequest, {
      requestId: newId(),
      streaming: true,
      wait: true,
    });
    return launched(run);
  };
};
