import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createBuiltinEmbedder } from '../server/src/adapters/embeddings/builtin.ts';
import type { Client } from '../server/test/support/client.ts';
import { startTestProvider } from '../server/test/support/provider.ts';
import { startServer } from '../server/test/support/server.ts';
import { cpuSeconds } from './lib/cpu.ts';
import { percentile } from './lib/measure.ts';

/**
 * How fast documents are taken in, beside the embedding model alone, and what chats feel of it:
 *
 *   node bench/ingest.ts [--passages 600] [--chats 40] [--json]
 *
 * The same passages are embedded twice, with the model at work already: by a server that takes in a text file, and by the model in this process on one thread. Rates are
 * passages a second; `wall` compares the clock, `cpu` what both used of it, which says more on a machine that is not quiet. First tokens of
 * chats with a provider that answers at once, alone and beside the upload of such a file.
 */
const { values } = parseArgs({
  options: {
    passages: { type: 'string', default: '600' },
    chats: { type: 'string', default: '40' },
    json: { type: 'boolean', default: false },
  },
});
const PASSAGES = Number(values.passages);
const CHATS = Number(values.chats);
const DOCUMENTS = '/api/v1/knowledge/documents';

const WORDS =
  'pier lamp keeper harbour signal storm vessel tide rope chart beacon sailor engine repair notice cargo berth crane gauge pilot'.split(
    ' ',
  );
const paragraph = (n: number): string =>
  Array.from({ length: 190 }, (_, i) => WORDS[(n * 31 + i * i * 7 + i) % WORDS.length]).join(' ');
/** Headings cut it into passages of one size. */
const book = (name: string, parts = PASSAGES): string =>
  Array.from({ length: parts }, (_, n) => `# ${name} ${n}\n\n${paragraph(n)}.`).join('\n\n');

interface Shown {
  id: string;
  status: string;
  chunk_count: number;
}

const begin = async (client: Client, name: string, parts = PASSAGES): Promise<string> => {
  const answer = await client.post(
    DOCUMENTS,
    { title: name, content: book(name, parts), content_type: 'markdown' },
    { headers: { prefer: 'respond-async' } },
  );
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json<Shown>().id;
};

const ended = async (client: Client, id: string): Promise<Shown> => {
  for (;;) {
    const shown = (await client.get(`${DOCUMENTS}/${id}`)).json<Shown>();
    if (shown.status === 'failed') throw new Error('the file could not be read');
    if (shown.status === 'indexed') return shown;
    // Each look is work of the server.
    await delay(500);
  }
};

const passagesOf = async (client: Client, id: string): Promise<string[]> => {
  const texts: string[] = [];
  for (let page = 1; ; page++) {
    const answer = await client.get(`${DOCUMENTS}/${id}/chunks?limit=100&page=${page}`);
    const { items, has_more: more } = answer.json<{
      items: { content: string; heading_path: string[] }[];
      has_more: boolean;
    }>();
    texts.push(...items.map((one) => `${one.heading_path.join(' › ')}\n${one.content}`));
    if (!more) return texts;
  }
};

const firstToken = async (client: Client): Promise<number> => {
  const startMs = performance.now();
  const stream = await client.stream('/api/v1/chat/stream', {
    message: 'Say hello',
    context: { agent_id: 'morpheus' },
  });
  await stream.until('message.delta');
  const ms = performance.now() - startMs;
  stream.close();
  return ms;
};

const chatsP95 = async (client: Client, going: () => boolean): Promise<number> => {
  const times: number[] = [];
  while (times.length < CHATS && going()) times.push(await firstToken(client));
  return percentile(times, 0.95) ?? Number.NaN;
};

const provider = await startTestProvider();
const server = await startServer({
  env: {
    MODEL: 'compatible/test-model',
    COMPATIBLE_BASE_URL: provider.url,
    LOG_LEVEL: 'info',
    MAX_UPLOAD_BYTES: '100000000',
  },
});
try {
  const client = await server.signIn();
  await firstToken(client);
  const alone = await chatsP95(client, () => true);

  // The model is loaded and compiled once for all files, as it is on the other side.
  await ended(client, await begin(client, 'warm', 100));

  const cpuBefore = cpuSeconds(server.pid);
  const startMs = performance.now();
  const id = await begin(client, 'first');
  const { chunk_count: passages } = await ended(client, id);
  const ingest = {
    wallS: (performance.now() - startMs) / 1000,
    cpuS: cpuSeconds(server.pid) - cpuBefore,
  };

  const texts = await passagesOf(client, id);
  const embedder = createBuiltinEmbedder({ cores: 1 });
  await embedder.embed(texts.slice(0, 100));
  const ownBefore = process.cpuUsage();
  const bareMs = performance.now();
  await embedder.embed(texts);
  const own = process.cpuUsage(ownBefore);
  const bare = {
    wallS: (performance.now() - bareMs) / 1000,
    cpuS: (own.user + own.system) / 1e6,
  };
  await embedder.close();

  let going = true;
  const second = begin(client, 'second').then((next) => ended(client, next));
  void second.finally(() => {
    going = false;
  });
  const beside = await chatsP95(client, () => going);
  await second;

  const figures = {
    cores: availableParallelism(),
    load: loadavg()[0]?.toFixed(1),
    passages,
    ingestPerS: passages / ingest.wallS,
    barePerS: passages / bare.wallS,
    wall: bare.wallS / ingest.wallS,
    cpu: bare.cpuS / ingest.cpuS,
    chatAloneMs: alone,
    chatBesideMs: beside,
    chat: beside / alone,
  };
  if (values.json) console.log(JSON.stringify(figures));
  else {
    console.log(
      `${passages} passages: ${figures.ingestPerS.toFixed(1)}/s taken in, ${figures.barePerS.toFixed(1)}/s by the model alone on one thread`,
    );
    console.log(`ratio by the clock ${figures.wall.toFixed(2)}, by CPU ${figures.cpu.toFixed(2)}`);
    console.log(
      `first token p95: ${alone.toFixed(0)} ms alone, ${beside.toFixed(0)} ms beside (${figures.chat.toFixed(2)} ×); load ${figures.load}`,
    );
  }
} finally {
  await server.close();
  await provider.close();
}
