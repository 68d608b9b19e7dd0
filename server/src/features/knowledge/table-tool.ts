import { LRUCache } from 'lru-cache';
import { Type } from 'typebox';
import { ownScope, type Scope } from '../../kernel/caller.ts';
import { defineTool, READS, refused, said } from '../../kernel/define-tool.ts';
import { isUuid } from '../../kernel/ids.ts';
import type { DocumentParser } from '../../kernel/parser.ts';
import { Strict } from '../../kernel/schema.ts';
import {
  type DataTable,
  type TableAnswer,
  type TableEngine,
  TableQueryError,
} from '../../kernel/table-sql.ts';
import { type AgentTool, taintOfPassages } from '../../kernel/tools.ts';
import type { DocumentsService } from './documents.service.ts';
import type { KnowledgeDocument } from './ports.ts';
import type { KnowledgeStore } from './store.ts';
import { tablesOf } from './table.rules.ts';

/** SQL over a spreadsheet or CSV file of the documents, for Prometheus. */

export interface TableToolDeps {
  documents: DocumentsService;
  store: KnowledgeStore;
  parser: DocumentParser;
  engine: TableEngine;
}

const MAX_ROWS = 100;
const MAX_CHARACTERS = 12_000;
/** Parsed tables are kept for the next question about them; the largest count for many. */
const KEPT_CELLS = 2_000_000;

const TABLE_TYPES = /csv|spreadsheet|ms-excel|tab-separated/;

const columnText = ({ name, type, unit }: DataTable['columns'][number]): string =>
  `${name} ${type}${unit === undefined ? '' : ` in ${unit}`}`;

const schemaText = (tables: readonly DataTable[]): string =>
  tables
    .map(
      (table) =>
        `Table ${table.name} (${table.rows.length} rows): ${table.columns.map(columnText).join(', ')}`,
    )
    .join('\n');

const cell = (value: TableAnswer['rows'][number][number]): string =>
  value === null ? '' : String(value).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');

const answerText = (answer: TableAnswer): string =>
  [
    `| ${answer.columns.join(' | ')} |`,
    `|${answer.columns.map(() => '---').join('|')}|`,
    ...answer.rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
    ...(answer.truncated ? [`There are more than these ${answer.rows.length} rows.`] : []),
  ].join('\n');

const markOf = (document: KnowledgeDocument) => ({ taint: taintOfPassages([document]) });

const createTableReader = ({ documents, store, parser }: Omit<TableToolDeps, 'engine'>) => {
  const parsed = new LRUCache<string, DataTable[]>({
    maxSize: KEPT_CELLS,
    sizeCalculation: (tables) =>
      tables.reduce((sum, table) => sum + table.rows.length * table.columns.length, 1),
    ttl: 10 * 60_000,
  });

  /** By id, or the newest table whose title or file name has the words. */
  const documentOf = async (scope: Scope, name: string): Promise<KnowledgeDocument | null> => {
    if (isUuid(name)) return documents.read(scope, name).catch(() => null);
    const { documents: found } = await store.list(scope, { page: 1, limit: 50, after: null }, { q: name });
    return found.find((document) => TABLE_TYPES.test(document.contentType)) ?? null;
  };

  /** With the document whose bytes were read: they may have been replaced since it was found. */
  const read = async (
    scope: Scope,
    found: KnowledgeDocument,
  ): Promise<{ document: KnowledgeDocument; tables: DataTable[] }> => {
    const keyOf = ({ id, sha256 }: KnowledgeDocument): string => `${id}/${sha256}`;
    const known = parsed.get(keyOf(found));
    if (known !== undefined) return { document: found, tables: known };
    const { document, bytes } = await documents.bytes(scope, found.id);
    const { blocks } = await parser.parse(bytes, {
      tenantId: scope.tenantId,
      filename: document.filename,
      declaredType: document.contentType,
    });
    const tables = tablesOf(blocks);
    parsed.set(keyOf(document), tables);
    return { document, tables };
  };

  return { documentOf, read };
};

export const tableTool = (deps: TableToolDeps): AgentTool => {
  const { engine } = deps;
  const { documentOf, read } = createTableReader(deps);

  return defineTool({
    name: 'query_table',
    description: `Analyses a table (CSV or XLSX document) with one SELECT in ${engine.dialect} SQL. Without sql it gives the tables with their columns and the first rows: ask that first. Dates are dates, numbers are numbers in the unit of their column, percent values are in percent.`,
    input: Strict({
      document: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'document_id, or part of the title or file name',
      }),
      sql: Type.Optional(Type.String({ minLength: 1, maxLength: 8_000, pattern: '\\S' })),
    }),
    annotations: READS,
    permission: 'knowledge:read',
    async run(args, { caller, signal }) {
      const scope = ownScope(caller);
      const found = await documentOf(scope, args.document.trim());
      if (found === null) return refused('There is no such table among the documents that you may read.');
      if (!TABLE_TYPES.test(found.contentType))
        return { ...refused(`${found.title} is no table but ${found.contentType}.`), ...markOf(found) };
      const { document, tables } = await read(scope, found);
      const mark = markOf(document);
      const [first] = tables;
      if (first === undefined) return { ...refused(`${document.title} holds no table with rows.`), ...mark };
      const about = {
        document: { id: document.id, title: document.title },
        tables: tables.map(({ name, columns, rows }) => ({ name, columns, rows: rows.length })),
      };
      const sql = args.sql ?? `select * from "${first.name}" limit 5`;
      try {
        const answer = await engine.query(tables, sql, {
          tenantId: caller.tenantId,
          maxRows: MAX_ROWS,
          signal,
        });
        const text = answerText(answer).slice(0, MAX_CHARACTERS);
        const content =
          args.sql === undefined
            ? `${document.title}\n${schemaText(tables)}\n\nFirst rows of ${first.name}:\n${text}`
            : text;
        const asked = args.sql === undefined ? {} : { sql: args.sql };
        return { ...said(content, { ...about, ...asked, ...answer }), ...mark };
      } catch (error) {
        if (error instanceof TableQueryError)
          return { ...refused(`${error.message}\n${schemaText(tables)}`), ...mark };
        throw error;
      }
    },
  });
};
