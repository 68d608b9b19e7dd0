import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  type BuiltinEmbedder,
  createBuiltinEmbedder,
  createThreadedEmbedder,
} from '../server/src/adapters/embeddings/builtin.ts';
import { readOnnxFolder } from '../server/src/adapters/embeddings/onnx-folder.ts';
import { openKnowledge } from '../server/test/support/knowledge.ts';
import { pgvectorBinaries } from '../server/test/support/pgvector.ts';
import { startPostgres } from '../server/test/support/postgres.ts';
import { unmetered } from '../server/test/support/unmetered.ts';

/**
 * Quality of search on a judged collection, through the real upload and search API over HTTP:
 *
 *   node bench/retrieval.ts --data DIR [--data DIR …] [--clients 4] [--keep FOLDER] [--postgres] [--onnx FOLDER]
 *
 * `--onnx` takes a folder with another embedding model, as EMBEDDING_MODEL=onnx/… does; the floors are not for those. Where
 * bench/data/cross-lingual has questions of a collection in other languages, they are asked as well, beside the same in English.
 *
 * `--postgres` takes a throw-away PostgreSQL with pgvector (server/test/support/pgvector.ts) in place of SQLite.
 *
 * DIR holds corpus.jsonl {id, title, text}, queries.jsonl {id, text} and qrels.tsv (query, document, gain). A document
 * counts at the place of its first passage. Prints nDCG@10, Recall@100, upload rate and search times; exits with 1 when
 * a known collection misses its floor.
 */

const FLOORS: Readonly<Record<string, { ndcg: number; recall: number }>> = {
  cranfield: { ndcg: 0.41, recall: 0.78 },
  cisi: { ndcg: 0.435, recall: 0.49 },
};

const { values } = parseArgs({
  options: {
    data: { type: 'string', multiple: true },
    clients: { type: 'string', default: '4' },
    keep: { type: 'string' },
    postgres: { type: 'boolean', default: false },
    onnx: { type: 'string' },
  },
});

interface Row {
  id: string;
  title?: string;
  text: string;
}

const jsonLines = (file: string): Row[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);

const judgements = (file: string): Map<string, Map<string, number>> => {
  const all = new Map<string, Map<string, number>>();
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const [query = '', document = '', gain = '0'] = line.split('\t');
    const row = all.get(query) ?? new Map<string, number>();
    row.set(document, Number(gain));
    all.set(query, row);
  }
  return all;
};

/** `clients` at a time, in order of the list. */
const each = async <T>(items: readonly T[], clients: number, work: (item: T) => Promise<void>) => {
  const queue = [...items];
  const client = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: clients }, client));
};

/** Järvelin and Kekäläinen 2002, with the gain as it stands. */
const dcg = (gains: readonly number[]): number =>
  gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0);

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, n) => sum + n, 0) / Math.max(1, numbers.length);

const percentile = (numbers: readonly number[], share: number): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * share)] ?? 0;

const chosenEmbedder = (): BuiltinEmbedder =>
  values.onnx === undefined
    ? createBuiltinEmbedder()
    : createThreadedEmbedder({
        id: `onnx/${path.basename(values.onnx)}`,
        ...readOnnxFolder(path.resolve(values.onnx), { query: null, document: null }),
      });

/** Questions of a collection: its own, and those of the same ids in other languages. */
const questionSets = (dir: string, name: string): { language: string | null; queries: Row[] }[] => {
  const own = jsonLines(path.join(dir, 'queries.jsonl'));
  const sets: { language: string | null; queries: Row[] }[] = [{ language: null, queries: own }];
  for (const language of ['de', 'fr', 'es']) {
    const file = path.join(import.meta.dirname, 'data', 'cross-lingual', `${name}.${language}.jsonl`);
    if (!existsSync(file)) continue;
    const queries = jsonLines(file);
    const ids = new Set(queries.map(({ id }) => id));
    if (sets.length === 1) sets.push({ language: 'en', queries: own.filter(({ id }) => ids.has(id)) });
    sets.push({ language, queries });
  }
  return sets;
};

const measure = async (dir: string, clients: number, postgresUrl: string | undefined): Promise<boolean> => {
  const name = path.basename(dir);
  const folder = values.keep === undefined ? undefined : path.join(values.keep, name);
  const scratch = folder ?? mkdtempSync(path.join(tmpdir(), 'pentarch-retrieval-'));
  const embedder = chosenEmbedder();
  const house = await openKnowledge({ folder: scratch, embedder: unmetered(embedder), postgresUrl });
  try {
    await house.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = house.app.server.address() as AddressInfo;
    const post = async (route: string, body: unknown): Promise<Record<string, unknown>> => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/knowledge/${route}`, {
        method: 'POST',
        headers: { authorization: 'Bearer ann', 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const json = (await answer.json()) as Record<string, unknown>;
      if (!answer.ok) throw new Error(`${route}: ${answer.status} ${JSON.stringify(json)}`);
      return json;
    };

    // The collections have a few records without a text; there is nothing to upload of those.
    const corpus = jsonLines(path.join(dir, 'corpus.jsonl')).filter(
      (d) => `${d.title ?? ''}${d.text}`.trim() !== '',
    );
    const names = new Map<string, string>();
    let chunks = 0;
    const uploadStart = performance.now();
    await each(corpus, clients, async (document) => {
      const created = await post('documents', {
        title: document.title?.slice(0, 500) || document.id,
        // The id makes texts that stand twice in the collection two documents.
        content: `${document.title ?? ''}\n\n${document.text}`.trim(),
        content_type: 'text/plain',
        metadata: { record: document.id },
      });
      names.set(String(created.id), document.id);
      chunks += Number(created.chunk_count);
    });
    const uploadS = (performance.now() - uploadStart) / 1000;

    const judged = judgements(path.join(dir, 'qrels.tsv'));
    const ask = async (queries: readonly Row[]) => {
      const ndcg: number[] = [];
      const recall: number[] = [];
      const times: number[] = [];
      await each(queries, clients, async (query) => {
        const startedAt = performance.now();
        const answer = await post('search', { query: query.text.slice(0, 4096), limit: 100 });
        times.push(performance.now() - startedAt);
        const results = answer.results as { document_id: string }[];
        const ranked = [...new Set(results.map((result) => names.get(result.document_id) ?? ''))];
        const gains = judged.get(query.id) ?? new Map<string, number>();
        const ideal = dcg([...gains.values()].sort((a, b) => b - a).slice(0, 10));
        const relevant = [...gains].filter(([, gain]) => gain > 0).map(([id]) => id);
        if (ideal === 0) return;
        ndcg.push(dcg(ranked.slice(0, 10).map((id) => gains.get(id) ?? 0)) / ideal);
        recall.push(relevant.filter((id) => ranked.slice(0, 100).includes(id)).length / relevant.length);
      });
      return { ndcg: mean(ndcg), recall: mean(recall), times };
    };
    let passed = true;
    for (const { language, queries } of questionSets(dir, name)) {
      const result = await ask(queries.filter((query) => judged.has(query.id)));
      const floor = language === null && values.onnx === undefined ? FLOORS[name] : undefined;
      const ok = floor === undefined || (result.ndcg >= floor.ndcg && result.recall >= floor.recall);
      passed &&= ok;
      console.log(
        [
          `${name}${language === null ? '' : `, ${queries.length} in ${language}`}`.padEnd(18),
          `nDCG@10 ${result.ndcg.toFixed(4)}${floor ? ` (floor ${floor.ndcg})` : ''}`,
          `Recall@100 ${result.recall.toFixed(4)}${floor ? ` (floor ${floor.recall})` : ''}`,
          `${corpus.length} documents, ${chunks} chunks, ${(corpus.length / uploadS).toFixed(1)} documents/s`,
          `search p50 ${percentile(result.times, 0.5).toFixed(1)} ms, p95 ${percentile(result.times, 0.95).toFixed(1)} ms`,
          ok ? 'ok' : 'BELOW THE FLOOR',
        ].join('  '),
      );
    }
    console.log(`${name}: ${Math.round(process.memoryUsage().rss / 1024 / 1024)} MiB of memory at the end`);
    return passed;
  } finally {
    await house.close();
    await embedder.close();
    if (folder === undefined) rmSync(scratch, { recursive: true, force: true });
  }
};

if (values.data === undefined) {
  console.error(
    'usage: node bench/retrieval.ts --data DIR [--data DIR …] [--clients 4] [--keep FOLDER] [--postgres] [--onnx FOLDER]',
  );
  process.exit(2);
}
const bin = values.postgres ? pgvectorBinaries() : null;
if (values.postgres && bin === null) throw new Error('there is no PostgreSQL with pgvector here');
const postgres = bin === null ? null : await startPostgres(bin);
let passed = true;
try {
  for (const dir of values.data) {
    const url = await postgres?.freshUrl();
    passed = (await measure(dir, Number(values.clients), url)) && passed;
  }
} finally {
  await postgres?.stop();
}
process.exitCode = passed ? 0 : 1;
