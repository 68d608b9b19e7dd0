/** Answers of providers that call tools, as each wire writes them: whole, and as a stream with the arguments in pieces. */

export interface MeantCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface Wire {
  /** Tools as the provider is told them: name, description and schema. */
  toolsOf(body: Readonly<Record<string, unknown>>): { name: string; description: string; schema: unknown }[];
  whole(calls: readonly MeantCall[]): string;
  streamed(calls: readonly MeantCall[]): string;
}

type Json = Readonly<Record<string, unknown>>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const record = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** Odd lengths, so that escapes and characters of two units are cut too. */
const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,7}/g) ?? [];

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

const openai: Wire = {
  toolsOf: ({ tools }) =>
    list(tools).map(({ function: fn }) => {
      const { name, description, parameters } = record(fn);
      return { name: String(name), description: String(description ?? ''), schema: parameters };
    }),
  whole: (calls) =>
    JSON.stringify({
      id: 'c',
      object: 'chat.completion',
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
          message: {
            role: 'assistant',
            content: calls.length > 0 ? null : 'No tool fits.',
            tool_calls: calls.map((call, i) => ({
              id: `call_${i}`,
              type: 'function',
              function: { name: call.name, arguments: JSON.stringify(call.arguments) },
            })),
          },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    }),
  streamed: (calls) => {
    const chunk = (delta: object, finish: string | null = null): string =>
      data({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] });
    const parts = calls.flatMap((call, index) => [
      chunk({
        tool_calls: [
          { index, id: `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } },
        ],
      }),
      ...piecesOf(JSON.stringify(call.arguments)).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]);
    const text = calls.length > 0 ? [] : [chunk({ content: 'No tool fits.' })];
    const end = chunk({}, calls.length > 0 ? 'tool_calls' : 'stop');
    return [...text, ...parts, end, 'data: [DONE]\n\n'].join('');
  },
};

const anthropicHead = {
  id: 'msg',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};
const anthropicBlocks = (calls: readonly MeantCall[]) =>
  calls.length === 0
    ? [{ type: 'text', text: 'No tool fits.' }]
    : calls.map((call, i) => ({
        type: 'tool_use',
        id: `toolu_${i}`,
        name: call.name,
        input: call.arguments,
      }));

const anthropic: Wire = {
  toolsOf: ({ tools }) =>
    list(tools).map(({ name, description, input_schema: schema }) => ({
      name: String(name),
      description: String(description ?? ''),
      schema,
    })),
  whole: (calls) =>
    JSON.stringify({
      ...anthropicHead,
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      content: anthropicBlocks(calls),
    }),
  streamed: (calls) => {
    const event = (value: { type: string } & Record<string, unknown>): string =>
      `event: ${value.type}\n${data(value)}`;
    const blocks = anthropicBlocks(calls).flatMap((block, index) => {
      const text = block.type === 'text';
      const empty = text ? { type: 'text', text: '' } : { ...block, input: {} };
      const deltas =
        'text' in block
          ? [{ type: 'text_delta', text: block.text }]
          : piecesOf(JSON.stringify(block.input)).map((piece) => ({
              type: 'input_json_delta',
              partial_json: piece,
            }));
      return [
        event({ type: 'content_block_start', index, content_block: empty }),
        ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
        event({ type: 'content_block_stop', index }),
      ];
    });
    const reason = calls.length > 0 ? 'tool_use' : 'end_turn';
    return [
      event({ type: 'message_start', message: { ...anthropicHead, content: [], stop_reason: null } }),
      ...blocks,
      event({
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 2 },
      }),
      event({ type: 'message_stop' }),
    ].join('');
  },
};

const googleAnswer = (calls: readonly MeantCall[]) => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts:
          calls.length === 0
            ? [{ text: 'No tool fits.' }]
            : calls.map((call) => ({ functionCall: { name: call.name, args: call.arguments } })),
      },
      finishReason: 'STOP',
    },
  ],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
});

const google: Wire = {
  toolsOf: ({ tools }) =>
    list(tools)
      .flatMap(({ functionDeclarations }) => list(functionDeclarations))
      .map(({ name, description, parameters, parametersJsonSchema }) => ({
        name: String(name),
        description: String(description ?? ''),
        schema: parametersJsonSchema ?? parameters,
      })),
  whole: (calls) => JSON.stringify(googleAnswer(calls)),
  // Gemini writes each call whole, several in one chunk or one after the other.
  streamed: (calls) =>
    calls.length === 0
      ? data(googleAnswer([]))
      : calls
          .map((call, i) => data(i + 1 < calls.length ? withoutEnd([call]) : googleAnswer([call])))
          .join(''),
};

const withoutEnd = (calls: readonly MeantCall[]) => ({
  candidates: googleAnswer(calls).candidates.map(({ content }) => ({ content })),
});

export const WIRES = { openai, anthropic, google } as const;
