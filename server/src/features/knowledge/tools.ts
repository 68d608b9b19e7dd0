import { fileNamesIn, noSuchFile } from 'pentarch-prose';
import { ownScope } from '../../kernel/caller.ts';
import { isUuid } from '../../kernel/ids.ts';
import {
  type AgentTool,
  type ToolAnnotations,
  type ToolOutcome,
  type ToolSource,
  taintOfPassages,
} from '../../kernel/tools.ts';
import type { KnowledgeDocument } from './ports.ts';
import type { SearchService } from './search.service.ts';
import type { KnowledgeStore } from './store.ts';

/**
 * What agents may do with documents. They see the caller's own and the tenant's shared ones, for an admin too: private
 * documents of colleagues do not flow into anybody's answers.
 */

const READS: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const MAX_CHARACTERS = 12_000;

const failed = (content: string): ToolOutcome => ({ content, isError: true, taint: [] });

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const whole = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);

const pagesOf = ({ pageCount, unreadPages }: KnowledgeDocument): string => {
  if (pageCount === null) return '';
  return `${pageCount} pages, ${unreadPages.length === 0 ? '' : `${unreadPages.length} of them without text, `}`;
};

const line = (document: KnowledgeDocument): string =>
  `- ${document.title} (document_id ${document.id}, ${document.contentType}, ${pagesOf(document)}${new Date(document.createdAt).toISOString().slice(0, 10)})`;

const searchDocuments = (search: SearchService): AgentTool => ({
  server: 'pentarch',
  name: 'search_documents',
  description:
    'Finds the passages of the user’s documents that fit best: numbered, with title, page and document_id.',
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        minLength: 1,
        maxLength: 4096,
        description: 'In plain words',
      },
      limit: { type: 'integer', minimum: 1, maximum: 20, description: 'Default 6' },
      document_id: { type: 'string', maxLength: 64, description: 'In this one only' },
      tags: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 200 },
        minItems: 1,
        maxItems: 20,
        description: 'Only in documents with one of these tags',
      },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: READS,
  permission: 'knowledge:read',
  async call(args, { caller, paying }) {
    const id = text(args.document_id);
    const tags = Array.isArray(args.tags) ? args.tags.map(text).filter((tag) => tag !== '') : [];
    const passages = await search.toolPassages(
      { ...ownScope(caller), run: paying },
      text(args.query),
      whole(args.limit, 6),
      id === '' && tags.length === 0
        ? null
        : { ...(id === '' ? {} : { documentIds: [id] }), ...(tags.length === 0 ? {} : { tags }) },
    );
    if (passages.length === 0) {
      const [file] = fileNamesIn(text(args.query));
      const content = file === undefined ? 'No passage was found.' : noSuchFile(file);
      return { content, isError: false, passages, taint: [] };
    }
    const parts = passages.map(
      (p, i) =>
        `[${i + 1}] ${p.title}${p.page === null ? '' : `, page ${p.page}`} (document_id ${p.documentId})\n${p.text}`,
    );
    const content = parts.join('\n\n').slice(0, MAX_CHARACTERS);
    return { content, isError: false, passages, taint: taintOfPassages(passages) };
  },
});

const readDocument = (store: KnowledgeStore): AgentTool => ({
  server: 'pentarch',
  name: 'read_document',
  description: `Read the text of a document, up to ${MAX_CHARACTERS} characters from an offset.`,
  inputSchema: {
    type: 'object',
    properties: {
      document_id: { type: 'string', maxLength: 64 },
      offset: { type: 'integer', minimum: 0, description: 'Where to begin, default 0' },
    },
    required: ['document_id'],
    additionalProperties: false,
  },
  annotations: READS,
  permission: 'knowledge:read',
  async call(args, { caller }) {
    const id = text(args.document_id);
    const scope = ownScope(caller);
    const document = isUuid(id) ? await store.textToRead(scope, id) : null;
    if (document === null) return failed('There is no such document.');
    const { text: content, title } = document;
    const offset = whole(args.offset, 0);
    const part = content.slice(offset, offset + MAX_CHARACTERS);
    const end = offset + part.length;
    const more =
      end < content.length ? `\n\n[${content.length - end} more characters; go on with offset ${end}]` : '';
    return { content: `${title}\n\n${part}${more}`, isError: false, taint: taintOfPassages([document]) };
  },
});

const listDocuments = (store: KnowledgeStore): AgentTool => ({
  server: 'pentarch',
  name: 'list_documents',
  description: 'List the documents that the user may read, newest first.',
  inputSchema: {
    type: 'object',
    properties: {
      q: { type: 'string', minLength: 1, maxLength: 200, description: 'Part of the title or file name' },
      limit: { type: 'integer', minimum: 1, maximum: 100, description: 'Default 20' },
    },
    additionalProperties: false,
  },
  annotations: READS,
  permission: 'knowledge:read',
  async call(args, { caller }) {
    const limit = whole(args.limit, 20);
    const q = text(args.q);
    const found = await store.list(ownScope(caller), { page: 1, limit, after: null }, q === '' ? {} : { q });
    if (found.total === 0) return { content: 'There are no documents.', isError: false, taint: [] };
    const shown = found.documents.slice(0, limit);
    const content = `${found.total} documents\n${shown.map(line).join('\n')}`;
    return { content, isError: false, taint: taintOfPassages(shown) };
  },
});

export const knowledgeTools = (deps: {
  search: SearchService;
  store: KnowledgeStore;
  extra: readonly AgentTool[];
}): ToolSource => {
  const { search, store } = deps;
  const tools = [searchDocuments(search), readDocument(store), listDocuments(store), ...deps.extra];
  return { fixed: true, list: (caller) => tools.filter((tool) => caller.permissions.has(tool.permission)) };
};
