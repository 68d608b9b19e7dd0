import { type ChatResponse, isDelta } from '../chat/index.ts';
import { costNote, errorOf, type FrameWriter, idOf, waitingNote } from '../openai/index.ts';
import {
  callItemsOf,
  emptyResponse,
  endedResponse,
  failedResponse,
  INCOMPLETE,
  isWhole,
  messageItemId,
  textItem,
  textPart,
} from './answer.ts';
import type { ResponseAnswer, ResponseRequest } from './schema.ts';

/** The events of a run as those of a streamed response. */
export const createResponseFrames = (options: { runId: string; body: ResponseRequest }): FrameWriter => {
  const { runId } = options;
  const open = new Set<string>();
  const empty = emptyResponse(options.body, runId);
  let sequence = 0;
  /** Number of the item that is being written or comes next. */
  let output = 0;
  let said = '';

  const frame = (type: string, more: Record<string, unknown>): string => {
    const event = { type, sequence_number: sequence, ...more };
    sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  };
  const inItem = () => ({ item_id: messageItemId(runId), output_index: output, content_index: 0 });
  const beginText = (): string =>
    frame('response.output_item.added', { output_index: output, item: textItem(runId, '', 'in_progress') }) +
    frame('response.content_part.added', { ...inItem(), part: textPart('') });
  const text = (words: string): string => {
    if (words === '') return '';
    const head = said === '' ? beginText() : '';
    said += words;
    return head + frame('response.output_text.delta', { ...inItem(), delta: words, logprobs: [] });
  };
  const endText = (): string => {
    const written =
      frame('response.output_text.done', { ...inItem(), text: said, logprobs: [] }) +
      frame('response.content_part.done', { ...inItem(), part: textPart(said) }) +
      frame('response.output_item.done', { output_index: output, item: textItem(runId, said) });
    output += 1;
    return written;
  };
  const calls = (response: ChatResponse): string =>
    callItemsOf(response)
      .map((item) => {
        const { id, arguments: args, name } = item;
        const at = { item_id: id, output_index: output };
        const written =
          frame('response.output_item.added', {
            output_index: output,
            item: { ...item, status: 'in_progress', arguments: '' },
          }) +
          frame('response.function_call_arguments.delta', { ...at, delta: args }) +
          frame('response.function_call_arguments.done', { ...at, name, arguments: args }) +
          frame('response.output_item.done', { output_index: output, item });
        output += 1;
        return written;
      })
      .join('');
  const note = (words: string): string => text(said === '' ? words : `\n\n${words}`);
  const end = (type: string, response: ResponseAnswer): string => frame(type, { response });
  /** The end of a stream whose run goes on or was cut off: what it has used by then is not told. */
  const noted = (words: string, type: string, more: Partial<ResponseAnswer>): string => {
    const written = note(words) + endText();
    return written + end(type, { ...empty, output: [textItem(runId, said)], ...more });
  };

  const completed = (response: ChatResponse): string => {
    const handed = response.finish_reason === 'tool_calls';
    const words = said !== '' ? endText() : handed ? '' : beginText() + endText();
    const type = isWhole(response) ? 'response.completed' : 'response.incomplete';
    return words + calls(response) + end(type, endedResponse(empty, response, said));
  };

  return {
    open,
    take(event) {
      if (isDelta(event)) return text(event.text);
      switch (event.event) {
        case 'run.started':
          return (
            frame('response.created', { response: empty }) +
            frame('response.in_progress', { response: empty })
          );
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
          if (error.code === 'COST_EXCEEDED')
            return noted(costNote(error), 'response.incomplete', {
              status: 'incomplete',
              incomplete_details: INCOMPLETE,
            });
          return end('response.failed', failedResponse(empty, error));
        }
        default:
          return '';
      }
    },
    waiting: () => noted(waitingNote([...open]), 'response.completed', { status: 'completed' }),
  };
};

/** Of a reader who has lost the right to read. */
export const responseErrorFrame = (message: string): string =>
  `event: error\ndata: ${JSON.stringify({ type: 'error', code: 'server_error', message, param: null, sequence_number: 0 })}\n\n`;
