import type { FastifyReply } from 'fastify';
import { openAiError } from '../../http/error-body.ts';
import type { SignedInInput } from '../../http/route.ts';
import { MAX_MESSAGE_CHARACTERS } from '../../kernel/message-limits.ts';
import { type ChatResponse, isDelta } from '../chat/index.ts';
import { costNote, createdS, extensionOf, usageOf, waitingNote, withNote } from './answer.ts';
import type { CompletionOptions } from './completion.ts';
import type { DoorWire, FrameWriter } from './door.ts';
import { refusal } from './refusal.rules.ts';
import { type ReadCompletion, readCompletion, samplingIn } from './request.rules.ts';
import { errorOf, idOf } from './run-event.rules.ts';
import type { TextCompletion, TextCompletionRequest } from './text-completion.schema.ts';

/** `POST /v1/completions`: a prompt without turns is the message of a person. */

const textCompletionId = (runId: string): string => `cmpl-${runId}`;
const DONE = 'data: [DONE]\n\n';

/** Without tools of a client there is nothing to hand over: what was cut is `length`. */
const finishOf = (reason: ChatResponse['finish_reason']): 'stop' | 'length' =>
  reason === 'stop' || reason === 'awaiting_approval' ? 'stop' : 'length';

const promptOf = ({ prompt }: TextCompletionRequest): string => {
  const [text, ...more] = typeof prompt === 'string' ? [prompt] : prompt;
  if (typeof text !== 'string')
    throw refusal(
      'prompt',
      'prompt must be text: token numbers belong to another tokenizer',
      'unsupported_value',
    );
  if (more.length > 0)
    throw refusal('prompt', 'prompt must hold one text: send a request for each', 'array_above_max_length');
  if (text.trim() === '') throw refusal('prompt', 'prompt must not be empty', 'invalid_value');
  if ([...text].length > MAX_MESSAGE_CHARACTERS)
    throw refusal(
      'prompt',
      `prompt must have at most ${MAX_MESSAGE_CHARACTERS} characters`,
      'string_above_max_length',
    );
  return text;
};

/** Throws VALIDATION_ERROR, which leaves as 400. */
const readPrompt = (body: TextCompletionRequest): ReadCompletion => {
  if (body.echo === true) throw refusal('echo', 'echo is not supported: the prompt is not said again');
  if ((body.suffix ?? '') !== '') throw refusal('suffix', 'suffix is not supported');
  if ((body.best_of ?? 1) > 1)
    throw refusal('best_of', 'best_of must be 1: an agent gives one answer', 'invalid_value');
  if ((body.logprobs ?? 0) > 0) throw refusal('logprobs', 'logprobs are not supported');
  const messages = [{ role: 'user', content: promptOf(body) }];
  return readCompletion({ messages, n: body.n, user: body.user }, null);
};

const completionOf = (response: ChatResponse, model: string): TextCompletion => ({
  id: textCompletionId(response.run_id),
  object: 'text_completion',
  created: createdS(response.run_id),
  model,
  choices: [
    {
      index: 0,
      text:
        response.finish_reason === 'awaiting_approval'
          ? withNote(response.content, waitingNote(response.proposals))
          : response.content,
      logprobs: null,
      finish_reason: finishOf(response.finish_reason),
      native_finish_reason: response.finish_reason,
    },
  ],
  usage: usageOf(response.usage),
  pentarch: extensionOf(response),
});

interface ChunkOptions {
  runId: string;
  model: string;
  includeUsage: boolean;
  requestId: string;
}

interface End {
  finish_reason: 'stop' | 'length';
  native_finish_reason: string;
}

/** The events of a run as chunks of a text completion. */
const createTextChunks = (options: ChunkOptions): FrameWriter => {
  const open = new Set<string>();
  let said = false;
  const base = {
    id: textCompletionId(options.runId),
    object: 'text_completion',
    created: createdS(options.runId),
    model: options.model,
  };
  const send = (value: object): string => `data: ${JSON.stringify({ ...base, ...value })}\n\n`;
  const usageField = options.includeUsage ? { usage: null } : {};
  const frame = (text: string, end: End | { finish_reason: null } = { finish_reason: null }, more = {}) =>
    send({ choices: [{ index: 0, text, logprobs: null, ...end }], ...usageField, ...more });
  const note = (words: string, end: End): string =>
    frame(said ? `\n\n${words}` : words) + frame('', end) + DONE;

  return {
    open,
    take(event) {
      if (isDelta(event)) {
        said ||= event.text !== '';
        return frame(event.text);
      }
      switch (event.event) {
        case 'proposal.created':
          open.add(idOf(event.data));
          return '';
        case 'proposal.decided':
          open.delete(idOf(event.data));
          return '';
        case 'message.completed': {
          const response = event.data as ChatResponse;
          const reason = response.finish_reason;
          const extension = { pentarch: extensionOf(response) };
          const end = { finish_reason: finishOf(reason), native_finish_reason: reason };
          const usage = options.includeUsage
            ? send({ choices: [], usage: usageOf(response.usage), ...extension })
            : '';
          return frame('', end, extension) + usage + DONE;
        }
        case 'error': {
          const error = errorOf(event.data);
          // In a stream the run has begun: a refusal before that is an HTTP error.
          if (error.code === 'COST_EXCEEDED')
            return note(costNote(error), { finish_reason: 'length', native_finish_reason: 'cost_exceeded' });
          return `data: ${JSON.stringify(openAiError(error, options.requestId))}\n\n`;
        }
        default:
          return '';
      }
    },
    waiting: () =>
      note(waitingNote([...open]), { finish_reason: 'stop', native_finish_reason: 'awaiting_approval' }),
  };
};

export const createTextCompletion =
  ({ serve }: CompletionOptions) =>
  (input: SignedInInput<TextCompletionRequest, unknown, unknown>): Promise<TextCompletion | FastifyReply> => {
    const { body, requestId } = input;
    const wire: DoorWire = {
      name: 'v1/completions',
      request: () => ({
        model: body.model,
        read: readPrompt(body),
        maxOutputTokens: body.max_tokens ?? null,
        sampling: samplingIn(body),
        store: body.store ?? null,
      }),
      answer: (response) => completionOf(response, body.model),
      frames: (runId) =>
        createTextChunks({
          runId,
          model: body.model,
          includeUsage: body.stream_options?.include_usage === true,
          requestId,
        }),
      farewell: (fault) => `data: ${JSON.stringify(openAiError(fault, requestId))}\n\n`,
    };
    // Both are what the wire has written.
    return serve(input, wire, body.stream === true) as Promise<TextCompletion | FastifyReply>;
  };
