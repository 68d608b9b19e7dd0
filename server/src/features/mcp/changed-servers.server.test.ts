import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Platform, serve, startPlatform, stdio } from '../../../test/mcp/harness.ts';

/** What a change of a registration may take along, and what a listing says to whom. */

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({ builtins: false });
});
afterAll(() => platform.close());

const change = (name: string, body: object) => platform.request('PATCH', `/mcp/servers/${name}`, { body });
const fields = (answer: { body: { error: { details: { fields: { field: string }[] } } } }) =>
  answer.body.error.details.fields.map(({ field }) => field);

/** An address that keeps what it is asked with. */
const listen = async () => {
  const seen: IncomingHttpHeaders[] = [];
  const server = await serve((request, response) => {
    seen.push(request.headers);
    response.writeHead(500).end();
  });
  return { seen, origin: `http://127.0.0.1:${server.port}`, close: server.close };
};

describe('secrets of a server that is changed', () => {
  it('do not go along to another address', async () => {
    const [home, other] = [await listen(), await listen()];
    await platform.request('POST', '/mcp/servers', {
      body: {
        name: 'moves',
        transport: 'http',
        url: `${home.origin}/mcp`,
        headers: { 'X-Api-Key': 'key-of-home' },
        oauth: { grant: 'client_credentials', client_id: 'robot', client_secret: 'secret-of-robot' },
      },
    });
    const refused = await change('moves', { url: `${other.origin}/mcp` });
    expect(refused.status).toBe(422);
    expect(fields(refused)).toEqual(['/headers', '/oauth']);
    expect(fields(await change('moves', { url: `${other.origin}/mcp`, headers: {} }))).toEqual(['/oauth']);
    expect(other.seen).toEqual([]);

    // Within the origin they stay.
    expect((await change('moves', { url: `${home.origin}/other` })).status).toBe(200);
    await vi.waitFor(() => expect(home.seen.at(-1)?.['x-api-key']).toBe('key-of-home'));

    const anew = { headers: { 'X-Api-Key': 'key-of-other' }, oauth: {} };
    expect((await change('moves', { url: `${other.origin}/mcp`, ...anew })).status).toBe(200);
    await vi.waitFor(() => expect(other.seen.length).toBeGreaterThan(0));
    expect(JSON.stringify(other.seen)).not.toMatch(/key-of-home|secret-of-robot|c2VjcmV0/);
    await home.close();
    await other.close();
  });

  it('do not go along to another command or other arguments', async () => {
    const made = stdio('program', {}, { env: { API_KEY: 'key-for-program' } });
    await platform.request('POST', '/mcp/servers', { body: made });
    const args = stdio('program', { extraTools: ['more'] }).args;
    const refused = await change('program', { args });
    expect(refused.status).toBe(422);
    expect(fields(refused)).toEqual(['/env']);
    // The same again is no change.
    expect((await change('program', { command: made.command, args: made.args })).status).toBe(200);
    expect((await change('program', { args, env: {} })).status).toBe(200);
    const environment = await platform.request('POST', '/mcp/program/call', {
      body: { tool: 'environment' },
    });
    expect(environment.status).toBe(200);
    expect(JSON.stringify(environment.body)).not.toContain('key-for-program');
  });
});

describe('a server of which a role is denied tools', () => {
  it('counts the tools that the caller may see', async () => {
    await platform.request('POST', '/mcp/servers', {
      body: stdio('part', {}, { access: { deny: [{ roles: ['user'], tools: ['e*'] }] } }),
    });
    const counts = async (as: string) => {
      const { items } = (await platform.request('GET', '/mcp/servers?limit=100', { as })).body;
      const counted = items.find((item: { name: string }) => item.name === 'part').tool_count;
      const listed = (await platform.request('GET', '/mcp/part/tools?limit=100', { as })).body.items.length;
      return { counted, listed };
    };
    const all = await counts('operator');
    expect(all.counted).toBe(all.listed);
    const some = await counts('user');
    expect(some.counted).toBe(some.listed);
    expect(some.counted).toBeLessThan(all.counted);
  });

  it('is not there for it, resources and prompts included, where that is all tools', async () => {
    await platform.request('POST', '/mcp/servers', {
      body: stdio('none', {}, { access: { deny: [{ roles: ['user'], tools: ['*'] }] } }),
    });
    for (const path of ['tools', 'resources', 'prompts']) {
      expect((await platform.request('GET', `/mcp/none/${path}`, { as: 'operator' })).status, path).toBe(200);
      expect((await platform.request('GET', `/mcp/none/${path}`, { as: 'user' })).status, path).toBe(404);
    }
  });
});

describe('the log of a server', () => {
  it('has the beginning of a line that does not end', async () => {
    const program = 'process.stderr.write("warning ".repeat(200_000)); setInterval(() => {}, 1_000)';
    const body = { name: 'loud', transport: 'stdio', command: process.execPath, args: ['-e', program] };
    const made = platform.request('POST', '/mcp/servers', { body });
    await vi.waitFor(
      async () => {
        const { items } = (await platform.request('GET', '/mcp/servers/loud/logs')).body;
        const lines = items.filter((line: { source: string }) => line.source === 'stderr');
        expect(lines).toHaveLength(1);
        expect(lines[0].text).toContain('warning warning');
      },
      { timeout: 15_000 },
    );
    await made;
  });
});
