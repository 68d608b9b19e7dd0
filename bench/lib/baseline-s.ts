/**
 * Baseline S: Fastify with `generateText` and `streamText` of the AI SDK, nothing else: what most TypeScript
 * services of this kind are made of.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import Fastify from 'fastify';
import { announce, messageOf, portOf, providerUrl } from './serve.ts';

const provider = createOpenAICompatible({
  name: 'test',
  baseURL: providerUrl(),
  apiKey: 'test',
  includeUsage: true,
});
const model = provider.chatModel('test');
const app = Fastify({ keepAliveTimeout: 60_000 });

app.post('/chat', async (request) => {
  const { text, finishReason, usage } = await generateText({ model, prompt: messageOf(request.body) });
  return {
    content: text,
    finish_reason: finishReason,
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
  };
});

app.post('/chat/stream', async (request, reply) => {
  const stop = new AbortController();
  const result = streamText({
    model,
    prompt: messageOf(request.body),
    abortSignal: stop.signal,
    onError: () => reply.raw.destroy(),
  });
  reply.hijack();
  const out = reply.raw;
  out.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  out.once('close', () => {
    if (!out.writableFinished) stop.abort();
  });
  let whole = '';
  for await (const content of result.textStream) {
    whole += content;
    out.write(`event: message.delta\ndata: ${JSON.stringify({ content })}\n\n`);
  }
  const usage = await result.usage;
  const done = {
    content: whole,
    finish_reason: await result.finishReason,
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
  };
  out.end(`event: message.completed\ndata: ${JSON.stringify(done)}\n\n`);
});

await app.listen({ host: '127.0.0.1', port: 0 });
announce(portOf(app.server.address()), () => app.server.close());
