import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClients, buildFiles } from '../../../sdk/build.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The packages of the clients, which the server hands out itself. */

interface Listed {
  packages: { language: string; file: string; size: number; sha256: string; install: string }[];
}

let server: TestServer;
beforeAll(async () => {
  buildClients({ ifStale: true });
  server = await startServer();
});
afterAll(() => server?.close());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(`${server.url}${path}`, { method, headers });
const listed = async (): Promise<Listed> => (await get('/sdk/packages.json')).json() as Promise<Listed>;

describe('the packages of the clients', () => {
  it('are listed without a sign-in, each with the line that installs it', async () => {
    const page = await get('/sdk/');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const text = await page.text();
    const { packages } = await listed();
    expect(packages.map(({ language }) => language).sort()).toEqual(['go', 'python', 'typescript']);
    for (const { install, sha256 } of packages) {
      expect(install).toContain(`${server.url}/sdk/`);
      expect(text).toContain(install);
      expect(text).toContain(sha256);
    }
  });

  it('have their checksums, media types and entity tags', async () => {
    const types: Record<string, string> = {
      python: 'application/zip',
      go: 'application/zip',
      typescript: 'application/gzip',
    };
    for (const { language, file, size, sha256 } of (await listed()).packages) {
      const got = await get(`/sdk/${file}`);
      const bytes = Buffer.from(await got.arrayBuffer());
      expect([got.status, got.headers.get('content-type')]).toEqual([200, types[language]]);
      expect(bytes.length).toBe(size);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
      const etag = got.headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[\w-]+"$/);
      expect((await get(`/sdk/${file}`, { 'if-none-match': etag })).status).toBe(304);
      expect((await get(`/sdk/${file}`, { 'if-none-match': '"other"' })).status).toBe(200);
      const head = await get(`/sdk/${file}`, {}, 'HEAD');
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)]);
    }
  });

  it('stand in an index of Python packages and a Go module proxy too', async () => {
    const { packages } = await listed();
    const wheel = packages.find(({ language }) => language === 'python');
    const simple = await (await get('/sdk/simple/pentarch/')).text();
    expect(simple).toContain(`href="/sdk/${wheel?.file}#sha256=${wheel?.sha256}"`);
    const module = '/sdk/go/github.com/pentarch/pentarch/sdk/go/v2';
    const list = (await (await get(`${module}/@v/list`)).text()).trim();
    expect(list).toMatch(/^v\d+\.\d+\.\d+$/);
    const latest = await get(`${module}/@latest`);
    expect(await latest.json()).toMatchObject({ Version: list });
    expect(await (await get(`${module}/@v/${list}.mod`)).text()).toContain(
      'module github.com/pentarch/pentarch/sdk/go/v2',
    );
  });

  it.each([
    '/sdk/nothing',
    '/sdk/sources.sha256',
    '/sdk/go/github.com/pentarch/pentarch/@v/list',
    '/sdk/..%2f..%2fpackage.json',
  ])('%s is not there', async (path) => {
    const got = await get(path, { accept: 'text/html' });
    expect(got.status).toBe(404);
  });

  it('are the same bytes each time that they are built', async () => {
    const served = new Map((await listed()).packages.map(({ file, sha256 }) => [file, sha256]));
    const built = buildFiles();
    for (const [file, sha256] of served)
      expect(
        createHash('sha256')
          .update(built.get(file) ?? '')
          .digest('hex'),
      ).toBe(sha256);
  });

  it('are not handed out where the operator says so', async () => {
    const closed = await startServer({ env: { CLIENT_DOWNLOADS: 'false' } });
    try {
      for (const path of ['/sdk/', '/sdk/packages.json'])
        expect((await fetch(`${closed.url}${path}`)).status).toBe(404);
    } finally {
      await closed.close();
    }
  });
});
