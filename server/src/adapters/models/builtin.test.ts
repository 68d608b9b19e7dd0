import { expect, it } from 'vitest';
import type { ModelRequest } from '../../kernel/model.ts';
import { createBuiltinProvider } from './builtin.ts';

const provider = createBuiltinProvider();
const ask = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'builtin',
  messages: [{ role: 'user', content: 'hi' }],
  signal: new AbortController().signal,
  ...more,
});

it('costs nothing and says so', () => expect(provider).toMatchObject({ name: 'builtin', local: true }));

it('says as every provider why it gives no answer', async () => {
  const responseSchema = { name: 'vote', schema: { type: 'object' } };
  await expect(provider.generate(ask({ responseSchema }))).rejects.toMatchObject({
    name: 'ModelError',
    kind: 'refused',
    provider: 'builtin',
  });
  const stopped = new AbortController();
  const answer = provider.stream(ask({ signal: stopped.signal }), () => stopped.abort());
  await expect(answer).rejects.toMatchObject({
    name: 'ModelError',
    kind: 'aborted',
    partial: { content: expect.stringMatching(/\S/) },
  });
});
