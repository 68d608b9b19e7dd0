import type { Client } from './client.ts';

/** A conversation of these questions, each answered the same, brought in with one request; gives its id. */
export const longConversation = async (
  client: Client,
  questions: readonly string[],
  answer = 'So it is.',
): Promise<string> => {
  const contents = questions.flatMap((question) => [question, answer]);
  const began = Date.now() - contents.length * 1_000;
  const messages = contents.map((content, n) => ({
    id: `m${n}`,
    parent_id: n === 0 ? null : `m${n - 1}`,
    role: n % 2 === 0 ? 'user' : 'assistant',
    content,
    created_at: new Date(began + n * 1_000).toISOString(),
    metadata: {},
  }));
  const made = await client.post('/v2/conversations/import', {
    id: crypto.randomUUID(),
    title: questions[0] ?? null,
    status: 'active',
    message_count: messages.length,
    active_message_id: messages.at(-1)?.id ?? null,
    messages,
  });
  const [id] = made.json<{ conversation_ids: string[] }>().conversation_ids;
  if (id === undefined) throw new Error(`nothing came in: ${made.text}`);
  return id;
};
