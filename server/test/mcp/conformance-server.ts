import { setTimeout as sleep } from 'node:timers/promises';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/** The tools that the official conformance suite calls by name, as a stdio server behind the gateway. */

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' } as const;
const embedded = {
  type: 'resource',
  resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'An embedded resource.' },
} as const;
const text = (words: string) => ({ type: 'text', text: words }) as const;

const server = new McpServer({ name: 'conformance', version: '1.0.0' });
const nothing = fromJsonSchema({ type: 'object', properties: {} });
const readOnly = { readOnlyHint: true };
const register = (name: string, content: Parameters<typeof text>[0] | object[]): void => {
  server.registerTool(
    name,
    { description: `Of the suite: ${name}`, inputSchema: nothing, annotations: readOnly },
    async () => ({ content: typeof content === 'string' ? [text(content)] : (content as never) }),
  );
};

register('test_simple_text', 'This is a simple text response for testing.');
register('test_image_content', [image]);
register('test_audio_content', [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }]);
register('test_embedded_resource', [embedded]);
register('test_multiple_content_types', [text('Multiple content types test:'), image, embedded]);
server.registerTool(
  'test_error_handling',
  { description: 'Of the suite: fails', inputSchema: nothing, annotations: readOnly },
  async () => ({ content: [text('This tool intentionally returns an error for testing')], isError: true }),
);
server.registerTool(
  'test_tool_with_progress',
  { description: 'Of the suite: tells of progress', inputSchema: nothing, annotations: readOnly },
  async (_args, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    if (progressToken !== undefined)
      for (const progress of [0, 50, 100]) {
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
        // As in the suite's own server: work takes time, and what comes with the result is no progress any more.
        await sleep(50);
      }
    return { content: [text('done')] };
  },
);
await server.connect(new StdioServerTransport());
