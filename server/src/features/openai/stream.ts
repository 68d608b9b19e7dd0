import { openAiError } from '../../http/error-body.ts';
import { type ChatResponse, isDelta } from '../chat/index.ts';
import {
  completionId,
  costNote,
  createdS,
  extensionOf,
  finishOf,
  handedCallsOf,
  usageOf,
  waitingNote,
} from './answer.ts';
import type { FrameWriter } from './door.ts';
import { errorOf, idOf } from './run-event.rules.ts';

/** The events of a run as chunks of a chat completion. */
export interface StreamChunkOptions {
  runId: string;
  model: string;
  includeUsage: boolean;
  requestId: string;
}

const DONE = 'data: [DONE]\n\n';

export const createChunks = (options: StreamChunkOptions): FrameWriter => {
  const open = new Set<string>();
  let said = false;
  const base = {
    id: completionId(options.runId),
    object: 'chat.completion.chunk',
    created: createdS(options.runId),
    model: options.model,
  };
  // With include_usage every chunk has the field, and a last one without choices has the figures.
  const usageField = options.includeUsage ? { usage: null } : {};
  const frame = (delta: Record<string, unknown>, end: Record<string, unknown> = { finish_reason: null }) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs: null, ...end }], ...usageField })}\n\n`;
  const usageFrame = (usage: ChatResponse['usage'], more: Record<string, unknown>): string =>
    options.includeUsage
      ? `data: ${JSON.stringify({ ...base, choices: [], usage: usageOf(usage), ...more })}\n\n`
      : '';
  const note = (words: string): string => frame({ content: said ? `\n\n${words}` : words });

  return {
    open,
    take(event) {
      if (isDelta(event)) {
        said ||= event.text !== '';
        return frame({ content: event.text });
      }
      switch (event.event) {
        case 'run.started':
          return frame({ role: 'assistant', content: '', refusal: null });
        case 'proposal.created':
          open.add(idOf(event.data));
          return '';
        case 'proposal.decided':
          open.delete(idOf(event.data));
          return '';
        case 'message.completed': {
          const response = event.data as ChatResponse;
          const handed = response.finish_reason === 'tool_calls' ? handedCallsOf(response) : [];
          const calls = handed.map((call, index) => frame({ tool_calls: [{ index, ...call }] })).join('');
          const end = {
            finish_reason: finishOf(response.finish_reason),
            native_finish_reason: response.finish_reason,
          };
          const extension = { pentarch: extensionOf(response) };
          const last = `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta: {}, logprobs: null, ...end }], ...usageField, ...extension })}\n\n`;
          return calls + last + usageFrame(response.usage, extension) + DONE;
        }
        case 'error': {
          const error = errorOf(event.data);
          // In a stream the run has begun: a refusal before that is an HTTP error.
          if (error.code === 'COST_EXCEEDED') {
            const end = { finish_reason: 'length', native_finish_reason: 'cost_exceeded' };
            return note(costNote(error)) + frame({}, end) + DONE;
          }
          return `data: ${JSON.stringify(openAiError(error, options.requestId))}\n\n`;
        }
        default:
          return '';
      }
    },
    waiting() {
      const end = { finish_reason: 'stop', native_finish_reason: 'awaiting_approval' };
      return note(waitingNote([...open])) + frame({}, end) + DONE;
    },
  };
};
