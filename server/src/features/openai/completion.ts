import type { FastifyReply } from 'fastify';
import { openAiError } from '../../http/error-body.ts';
import type { SignedInInput } from '../../http/route.ts';
import { completionOf } from './answer.ts';
import type { createDoor, DoorWire } from './door.ts';
import { readFormat } from './format.ts';
import { readCompletion, samplingIn } from './request.rules.ts';
import type { ChatCompletion, ChatCompletionRequest } from './schema.ts';
import { createChunks } from './stream.ts';

export interface CompletionOptions {
  serve: ReturnType<typeof createDoor>['serve'];
}

/** `POST /v1/chat/completions`: a run, answered in the form of the OpenAI API. */
export const createCompletion =
  ({ serve }: CompletionOptions) =>
  (input: SignedInInput<ChatCompletionRequest, unknown, unknown>): Promise<ChatCompletion | FastifyReply> => {
    const { body, requestId } = input;
    const wire: DoorWire = {
      name: 'v1/chat',
      request: () => ({
        model: body.model,
        read: readCompletion(body, readFormat(body.response_format)),
        maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
        sampling: samplingIn(body),
        store: body.store ?? null,
      }),
      answer: (response) => completionOf(response, body.model),
      frames: (runId) =>
        createChunks({
          runId,
          model: body.model,
          includeUsage: body.stream_options?.include_usage === true,
          requestId,
        }),
      farewell: (fault) => `data: ${JSON.stringify(openAiError(fault, requestId))}\n\n`,
    };
    // Both are what the wire has written.
    return serve(input, wire, body.stream === true) as Promise<ChatCompletion | FastifyReply>;
  };
