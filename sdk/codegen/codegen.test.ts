import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { pascal, singularName } from '../../server/src/http/document/words.ts';
import { writeGo } from './go.ts';
import { buildApi } from './models.ts';
import { writePython } from './python.ts';
import { writeReference } from './reference.ts';
import { writeTypeScript } from './typescript.ts';
import { camel, goName, snake } from './words.ts';

const root = path.join(import.meta.dirname, '..', '..');
const document: unknown = JSON.parse(readFileSync(path.join(root, 'api', 'openapi.json'), 'utf8'));
const api = buildApi(document);

describe('names', () => {
  it.each([
    ['conversation_id', 'ConversationId', 'conversationId', 'conversation_id', 'ConversationID'],
    ['listMcpServers', 'ListMcpServers', 'listMcpServers', 'list_mcp_servers', 'ListMCPServers'],
    ['document_ids', 'DocumentIds', 'documentIds', 'document_ids', 'DocumentIDs'],
  ])('%s', (name, ...expected) => {
    expect([pascal(name), camel(name), snake(name), goName(name)]).toEqual(expected);
  });

  it.each([
    ['tool_calls', 'tool_call'],
    ['entities', 'entity'],
    ['latency_ms', 'latency_ms'],
    ['status', 'status'],
    ['searches', 'search'],
  ])('%s in the singular', (name, expected) => expect(singularName(name)).toBe(expected));
});

describe('the document', () => {
  it('has the models that the specification names', () => {
    const names = api.models.map(({ name }) => name);
    for (const name of [
      'ChatRequest',
      'ChatResponse',
      'SearchRequest',
      'AgentStatus',
      'Proposal',
      'Conversation',
    ]) {
      expect(names).toContain(name);
    }
    expect(new Set(names).size).toBe(names.length);
  });

  it('has each operation once, under /api/v1 where it stands there', () => {
    const all = [...api.resources.values()].flat().map(({ operation }) => operation);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.some(({ id }) => id.endsWith('V2'))).toBe(false);
    expect(all.find(({ id }) => id === 'chat')?.path).toBe('/api/v1/chat');
    expect(all.find(({ id }) => id === 'login')?.path).toBe('/v2/auth/login');
  });

  it('gives every list with pages an iterator, bare arrays too', () => {
    const paging = [...api.resources.values()].flat().filter((method) => method.paging !== null);
    const cursors = [...api.resources.values()]
      .flat()
      .filter(({ operation }) => operation.query.some(({ name }) => name === 'page'));
    expect(paging.map(({ operation }) => operation.id)).toEqual(cursors.map(({ operation }) => operation.id));
    expect(paging.filter((method) => method.paging?.bare).map(({ operation }) => operation.id)).toEqual([
      'listAgents',
      'listProposals',
    ]);
  });
});

describe('hostile documents', () => {
  const withText = (text: string) => ({
    components: {
      schemas: { Thing: { type: 'object', properties: { from: { type: 'string', description: text } } } },
    },
    paths: {
      '/api/v1/things': {
        get: {
          operationId: 'listThings',
          summary: text,
          tags: ['Things'],
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: { $ref: '#/components/schemas/Thing' },
                },
              },
            },
          },
        },
      },
    },
  });

  it('cannot end a comment', () => {
    const files = writeTypeScript(buildApi(withText('a */ b')));
    for (const text of files.values()) expect(text).not.toContain('a */ b');
  });

  it('has an underscore where Python reserves the name of an attribute', () => {
    const text = [...writePython(buildApi(withText('says "no"'))).values()].join('\n');
    expect(text).toContain('class Thing(Record):\n    __slots__ = ()\n    from_: str | None\n');
    expect(text).toContain('"""says "no\\""""');
  });

  it('is refused where Python reserves the name of a field that is sent', () => {
    const document = withText('x');
    const sent = {
      components: document.components,
      paths: {
        '/api/v1/things': {
          post: {
            ...document.paths['/api/v1/things'].get,
            requestBody: {
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
            },
            responses: { 204: {} },
          },
        },
      },
    };
    expect(() => writePython(buildApi(sent))).toThrow('a field is named from');
  });
});

describe('the reference pages', () => {
  const sources = new Map([...writeTypeScript(api), ...writePython(api), ...writeGo(api)]);
  const methods = [...api.resources.values()].flat();

  it.each([...writeReference(sources)])('%s has every operation and model', (_file, text) => {
    const lists = methods.filter(({ paging }) => paging !== null).length;
    expect(text).toContain(`\n${methods.length + lists} methods by resource`);
    for (const { operation } of methods) expect(text).toContain(operation.summary.slice(0, 30));
    expect(text).toContain('ChatResponse');
  });
});
