import type { Session } from './session.ts';

/** What stands in the database, read from itself: a table that a later release adds is carried without a change here. */
export interface TableShape {
  name: string;
  /** In the order of the alphabet. */
  columns: string[];
  /** Columns that hold bytes, and those that hold text; all others hold numbers. */
  binary: ReadonlySet<string>;
  texts: ReadonlySet<string>;
  key: string[];
  /** Rows that a row refers to: they go first. */
  parents: { column: string; table: string; parentColumn: string }[];
}

/**
 * Tables of the engines, of the migrator, indexes that are made anew from what they index, sums that the database
 * keeps itself, and documents' bytes, which archives hold as files.
 */
const DERIVED =
  /^(sqlite_|kysely_|chunk_terms|vectors_\d+|log_filler|cost_sums|run_sums|message_segments|message_grams|blobs$)/;

const sqliteShapes = async (session: Session): Promise<TableShape[]> => {
  const names = await session.all(`select name from sqlite_master where type = 'table' order by name`);
  const shapes: TableShape[] = [];
  for (const { name: given } of names) {
    const name = String(given);
    if (DERIVED.test(name)) continue;
    const columns = await session.all('select name, type, pk from pragma_table_info(?1)', [name]);
    const parents = await session.all('select "from", "table", "to" from pragma_foreign_key_list(?1)', [
      name,
    ]);
    shapes.push({
      name,
      columns: columns.map((c) => String(c.name)).sort(),
      binary: new Set(columns.filter((c) => /blob/i.test(String(c.type))).map((c) => String(c.name))),
      texts: new Set(columns.filter((c) => /text/i.test(String(c.type))).map((c) => String(c.name))),
      key: columns
        .filter((c) => Number(c.pk) > 0)
        .sort((a, b) => Number(a.pk) - Number(b.pk))
        .map((c) => String(c.name)),
      parents: parents.map((p) => ({
        column: String(p.from),
        table: String(p.table),
        parentColumn: p.to === null ? 'id' : String(p.to),
      })),
    });
  }
  return shapes;
};

const postgresShapes = async (session: Session): Promise<TableShape[]> => {
  const columns = await session.all(
    `select c.relname as table, a.attname as name, t.typname as type,
       coalesce(array_position(i.indkey::int2[], a.attnum), -1) as place
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     join pg_type t on t.oid = a.atttypid
     left join pg_index i on i.indrelid = c.oid and i.indisprimary
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
     order by c.relname, a.attname`,
  );
  const links = await session.all(
    `select c.relname as table, a.attname as column, p.relname as parent, pa.attname as parent_column
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
     join pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
     join pg_attribute pa on pa.attrelid = k.confrelid and pa.attnum = k.confkey[1]
     where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace`,
  );
  const shapes = new Map<
    string,
    TableShape & { places: Map<number, string>; bytes: Set<string>; words: Set<string> }
  >();
  for (const column of columns) {
    const table = String(column.table);
    if (DERIVED.test(table)) continue;
    let shape = shapes.get(table);
    if (shape === undefined) {
      const bytes = new Set<string>();
      const words = new Set<string>();
      const sets = { binary: bytes, bytes, texts: words, words };
      shape = { name: table, columns: [], ...sets, key: [], parents: [], places: new Map() };
      shapes.set(table, shape);
    }
    const name = String(column.name);
    shape.columns.push(name);
    if (column.type === 'bytea') shape.bytes.add(name);
    if (column.type === 'text' || column.type === 'varchar') shape.words.add(name);
    if (Number(column.place) >= 0) shape.places.set(Number(column.place), name);
  }
  return [...shapes.values()].map(({ places, bytes: _bytes, words: _words, ...shape }) => ({
    ...shape,
    columns: shape.columns.sort(),
    key: [...places].sort(([a], [b]) => a - b).map(([, name]) => name),
    parents: links
      .filter((link) => link.table === shape.name)
      .map((link) => ({
        column: String(link.column),
        table: String(link.parent),
        parentColumn: String(link.parent_column),
      })),
  }));
};

/** All tables with records, those that others refer to first. */
export const readShapes = async (session: Session): Promise<TableShape[]> => {
  const shapes = await (session.dialect === 'sqlite' ? sqliteShapes(session) : postgresShapes(session));
  const left = new Map(shapes.map((shape) => [shape.name, shape]));
  const sorted: TableShape[] = [];
  while (left.size > 0) {
    const free = [...left.values()].filter((shape) =>
      shape.parents.every((parent) => parent.table === shape.name || !left.has(parent.table)),
    );
    if (free.length === 0) throw new Error('tables refer to each other in a circle');
    for (const shape of free) {
      sorted.push(shape);
      left.delete(shape.name);
    }
  }
  return sorted;
};

/** Names of the schema's steps that have run, oldest first; none in an empty database. */
export const readSteps = async (session: Session): Promise<string[]> => {
  const found =
    session.dialect === 'sqlite'
      ? await session.all(`select name from sqlite_master where name = 'kysely_migration'`)
      : await session.all(
          `select relname as name from pg_class where relname = 'kysely_migration' and relnamespace = current_schema()::regnamespace`,
        );
  if (found.length === 0) return [];
  const rows = await session.all('select name from kysely_migration order by name');
  return rows.map((row) => String(row.name));
};
