import { type Static, type TSchema, Type } from 'typebox';
import { AnyObject, AnyValue, Nullable, StringEnum } from '../../kernel/schema.ts';
import { CompletionUsage, Extension } from './schema.ts';

/** Wire types of `/v1/completions`, the API of OpenAI before chat completions. */

const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));
const ignored = (schema: TSchema) => Maybe(Type.Unsafe<unknown>({ ...schema, description: 'Has no effect' }));
const StopText = Type.String({ minLength: 1, maxLength: 256 });

export const TextCompletionRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'pentarch finds the agent by itself; pentarch/athena addresses one',
    }),
    prompt: Type.Union([Type.String(), Type.Array(AnyValue(), { minItems: 1 })], {
      description: 'A text, or a list of one text; lists of token numbers are refused',
    }),
    stream: Maybe(Type.Boolean()),
    stream_options: Maybe(
      Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, { additionalProperties: true }),
    ),
    max_tokens: Maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    temperature: Maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
    seed: Maybe(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
    stop: Maybe(
      Type.Union([StopText, Type.Array(StopText, { maxItems: 4 })], {
        description: 'The answer ends before the first of them, where the provider has it',
      }),
    ),
    n: Maybe(Type.Integer({ minimum: 1, maximum: 128, description: '1' })),
    best_of: Maybe(Type.Integer({ minimum: 0, maximum: 20, description: '1' })),
    echo: Maybe(Type.Boolean({ description: 'Not supported: the prompt is not said again' })),
    suffix: Maybe(Type.String({ description: 'Not supported: text is not filled in before another' })),
    logprobs: Maybe(Type.Integer({ minimum: 0, maximum: 5, description: 'Not supported, but 0' })),
    user: Maybe(
      Type.String({ maxLength: 512, description: 'Kept with the conversation; no rights come from it' }),
    ),
    store: Maybe(
      Type.Boolean({
        description:
          'true: the call’s conversation is listed among the caller’s. false: nothing of it is stored but its costs. Absent: stored, and not listed',
      }),
    ),
    frequency_penalty: ignored(Type.Number()),
    presence_penalty: ignored(Type.Number()),
    logit_bias: ignored(AnyObject()),
  },
  { additionalProperties: true },
);
export type TextCompletionRequest = Static<typeof TextCompletionRequest>;

export const TextCompletion = Type.Object({
  id: Type.String(),
  object: StringEnum(['text_completion']),
  created: Type.Integer({ description: 'Epoch seconds' }),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      text: Type.String(),
      logprobs: Nullable(AnyObject()),
      finish_reason: StringEnum(['stop', 'length']),
      native_finish_reason: Type.String({
        description: 'stop, length, cancelled, awaiting_approval or cost_exceeded',
      }),
    }),
  ),
  usage: CompletionUsage,
  pentarch: Extension,
});
export type TextCompletion = Static<typeof TextCompletion>;
