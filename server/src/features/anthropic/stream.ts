import { anthropicError } from '../../http/error-body.ts';
import { type ChatResponse, isDelta } from '../chat/index.ts';
import { costNote, errorOf, extensionOf, type FrameWriter, idOf, waitingNote } from '../openai/index.ts';
import { messageId, messageUsageOf, stopOf, toolUsesOf } from './answer.ts';
import type { STOP_REASONS } from './schema.ts';

const frame = (event: { type: string } & Record<string, unknown>): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

const NOTHING_USED = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** The events of a run as those of a streamed message. */
export const createMessageFrames = (options: {
  runId: string;
  model: string;
  requestId: string;
}): FrameWriter => {
  const open = new Set<string>();
  /** Number of the block that is being written or comes next. */
  let index = 0;
  let inText = false;
  let said = false;

  const delta = (more: Record<string, unknown>): string =>
    frame({ type: 'content_block_delta', index, delta: more });
  const begin = (block: Record<string, unknown>): string =>
    frame({ type: 'content_block_start', index, content_block: block });
  const close = (): string => {
    const written = frame({ type: 'content_block_stop', index });
    index += 1;
    return written;
  };
  const text = (words: string): string => {
    if (words === '') return '';
    const head = inText ? '' : begin({ type: 'text', text: '', citations: null });
    inText = true;
    said = true;
    return head + delta({ type: 'text_delta', text: words });
  };
  const endText = (): string => {
    if (!inText) return '';
    inText = false;
    return close();
  };
  const note = (words: string): string => text(said ? `\n\n${words}` : words);
  const end = (
    reason: (typeof STOP_REASONS)[number],
    usage: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ): string =>
    endText() +
    frame({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage, ...more }) +
    frame({ type: 'message_stop' });

  const completed = (response: ChatResponse): string => {
    const ended = endText();
    const uses = toolUsesOf(response)
      .map(
        ({ input, ...use }) =>
          begin({ ...use, input: {} }) +
          delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }) +
          close(),
      )
      .join('');
    const whole = said || uses !== '' ? '' : begin({ type: 'text', text: '', citations: null }) + close();
    const extension = { pentarch: extensionOf(response) };
    return (
      ended + uses + whole + end(stopOf(response.finish_reason), messageUsageOf(response.usage), extension)
    );
  };

  return {
    open,
    take(event) {
      if (isDelta(event)) return text(event.text);
      switch (event.event) {
        case 'run.started':
          return frame({
            type: 'message_start',
            message: {
              id: messageId(options.runId),
              type: 'message',
              role: 'assistant',
              model: options.model,
              content: [],
              stop_reason: null,
              stop_sequence: null,
              usage: NOTHING_USED,
            },
          });
        case 'proposal.created':
          open.add(idOf(event.data));
          return '';
        case 'proposal.decided':
          open.delete(idOf(event.data));
          return '';
        case 'message.completed':
          return completed(event.data as ChatResponse);
        case 'error': {
          const error = errorOf(event.data);
          // In a stream the run has begun: a refusal before that is an HTTP error.
          if (error.code === 'COST_EXCEEDED') return note(costNote(error)) + end('max_tokens', NOTHING_USED);
          return messageErrorFrame(anthropicError(error, options.requestId));
        }
        default:
          return '';
      }
    },
    waiting: () => note(waitingNote([...open])) + end('end_turn', NOTHING_USED),
  };
};

export const messageErrorFrame = (body: Record<string, unknown>): string =>
  `event: error\ndata: ${JSON.stringify(body)}\n\n`;
