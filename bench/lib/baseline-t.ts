/**
 * Baseline T: Fastify and an undici Pool, parsing the provider's JSON and SSE and sending its own events. No
 * authentication, no limits, no storage: the least that a proxy which understands its answers can cost. Handlers are
 * given to the pool directly, since its body streams cost a quarter more.
 * Deltas that arrive in one read leave as one event, as in the platform itself.
 */
import Fastify from 'fastify';
import { type Dispatcher, Pool } from 'undici';
import { announce, messageOf, portOf, providerUrl } from './serve.ts';

interface Completion {
  choices: { message: { content: string }; finish_reason: string }[];
  usage: { prompt_tokens: number; completion_tokens: number };
}

interface Chunk {
  choices: { delta: { content?: string }; finish_reason: string | null }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

const provider = new URL(providerUrl());
const path = `${provider.pathname}/chat/completions`;
const pool = new Pool(provider.origin, { connections: 1024 });
const headers = { 'content-type': 'application/json', authorization: 'Bearer test' };

const request = (message: string, stream: boolean): Dispatcher.DispatchOptions => ({
  method: 'POST',
  path,
  headers,
  body: JSON.stringify({
    model: 'test',
    messages: [{ role: 'user', content: message }],
    ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
  }),
});

const app = Fastify({ keepAliveTimeout: 60_000 });

app.post('/chat', async ({ body }) => {
  const text = await new Promise<string>((done, fail) => {
    const decoder = new TextDecoder();
    let whole = '';
    pool.dispatch(request(messageOf(body), false), {
      onRequestStart: () => {},
      onResponseStart: () => {},
      onResponseData: (_controller, bytes) => {
        whole += decoder.decode(bytes, { stream: true });
      },
      onResponseEnd: () => done(whole),
      onResponseError: (_controller, error) => fail(error),
    });
  });
  const completion = JSON.parse(text) as Completion;
  const choice = completion.choices[0];
  return {
    content: choice?.message.content,
    finish_reason: choice?.finish_reason,
    usage: {
      input_tokens: completion.usage.prompt_tokens,
      output_tokens: completion.usage.completion_tokens,
    },
  };
});

app.post('/chat/stream', ({ body }, reply) => {
  const options = request(messageOf(body), true);
  reply.hijack();
  const out = reply.raw;
  out.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const decoder = new TextDecoder();
  let rest = '';
  let whole = '';
  let usage: Chunk['usage'];
  let finish: string | null = null;
  pool.dispatch(options, {
    onRequestStart: (controller) => {
      out.once('close', () => {
        if (!out.writableFinished) controller.abort(new Error('the client left'));
      });
    },
    onResponseStart: () => {},
    onResponseData: (controller, bytes) => {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      let content = '';
      for (const line of lines) {
        if (!line.startsWith('data: ') || line === 'data: [DONE]') continue;
        const chunk = JSON.parse(line.slice(6)) as Chunk;
        const choice = chunk.choices[0];
        content += choice?.delta.content ?? '';
        finish = choice?.finish_reason ?? finish;
        usage = chunk.usage ?? usage;
      }
      if (content === '') return;
      whole += content;
      if (!out.write(`event: message.delta\ndata: ${JSON.stringify({ content })}\n\n`)) {
        controller.pause();
        out.once('drain', () => controller.resume());
      }
    },
    onResponseEnd: () => {
      const done = {
        content: whole,
        finish_reason: finish,
        usage: { input_tokens: usage?.prompt_tokens, output_tokens: usage?.completion_tokens },
      };
      out.end(`event: message.completed\ndata: ${JSON.stringify(done)}\n\n`);
    },
    onResponseError: () => out.destroy(),
  });
});

await app.listen({ host: '127.0.0.1', port: 0 });
announce(portOf(app.server.address()), () => app.server.close());
