import type { Row, Session } from './session.ts';
import type { Reach } from './view.ts';

/**
 * Vectors of chunks as archives hold them: computing them anew costs about 7 ms of CPU each, or money. The full-text index
 * is made anew from the chunks.
 */
export const VECTOR_TABLE = 'chunk_vectors';
export const VECTOR_COLUMNS = ['chunk_id', 'embedding'];

interface Model {
  n: number;
  key: string;
}

const modelsOf = async (session: Session): Promise<Model[]> => {
  const rows = await session.all('select n, id, dimensions from embedding_models');
  return rows
    .map((row) => ({ n: Number(row.n), key: `${String(row.id)}#${String(row.dimensions)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
};

const hasTable = async (session: Session, name: string): Promise<boolean> =>
  (session.dialect === 'sqlite'
    ? await session.all('select name from sqlite_master where name = ?1', [name])
    : await session.all('select 1 as yes where to_regclass(?1) is not null', [name])
  ).length > 0;

const littleEndian = (numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(numbers.length * 4);
  for (const [i, number] of numbers.entries()) bytes.writeFloatLE(number, i * 4);
  return bytes;
};

const bytesOf = (value: unknown): Uint8Array | null => {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return littleEndian(value.map(Number));
  throw new Error('a vector has a form that is not known');
};

/** One row for each chunk of `reach`, by model and chunk id; `embedding` (float32, little-endian) is null where none is kept. */
export async function* vectorRows(session: Session, reach: Reach): AsyncGenerator<Row> {
  const sqlite = session.dialect === 'sqlite';
  for (const { n } of await modelsOf(session)) {
    const table = `vectors_${n}`;
    const known = await hasTable(session, table);
    const vector = !known ? 'null' : sqlite ? 'v.embedding' : '(v.embedding::vector)::real[]';
    const join = !known ? '' : `left join ${table} v on v.${sqlite ? 'rowid' : 'seq'} = c.seq`;
    const narrowed = reach === null ? '' : 'and d.tenant_id = ?2';
    const rows = session.stream(
      `select c.id as chunk_id, ${vector} as embedding from documents d join chunks c on c.document_id = d.id ${join}
       where d.model_n = ?1 ${narrowed} order by ${sqlite ? 'c.id' : 'c.id collate "C"'}`,
      reach === null ? [n] : [n, reach.tenantId],
    );
    for await (const row of rows) yield { chunk_id: row.chunk_id, embedding: bytesOf(row.embedding) };
  }
}
