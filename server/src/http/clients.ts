import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * The packages of the clients at /sdk/, for whoever has only the server's address: files that `sdk/build.ts` made, a page that lists
 * them, and the same as an index of Python packages. Only files that stood there at start are served.
 */
export interface ClientsOptions {
  /** Where the build is; without one the page says how to make it. */
  folder: string;
  /** The address that clients are told. */
  publicUrl(): string;
}

export interface Clients {
  mount(app: FastifyInstance): void;
}

interface Listed {
  readonly language: string;
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly size: number;
  readonly sha256: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.whl': 'application/zip',
  '.zip': 'application/zip',
  '.tgz': 'application/gzip',
  '.info': 'application/json; charset=utf-8',
};
const TEXT = 'text/plain; charset=utf-8';
const HTML = 'text/html; charset=utf-8';
const INDEX = 'packages.json';
/** Of the build, not of the packages. */
const STAMP = 'sources.sha256';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The line that installs a package from here alone. */
const installLine = ({ language, name, version, file }: Listed, base: string): string => {
  switch (language) {
    case 'python':
      return `pip install ${base}/sdk/${file}`;
    case 'typescript':
      return `npm install ${base}/sdk/${file}`;
    default:
      return `GOPROXY=${base}/sdk/go GONOSUMDB=${name} go get ${name}@${version}`;
  }
};

const pageOf = (listed: readonly (Listed & { install: string })[]): string => {
  const rows = listed.map(
    ({ language, name, version, file, sha256, install }) =>
      `<h2>${escaped(language)}: ${escaped(name)} ${escaped(version)}</h2>\n<pre>${escaped(install)}</pre>\n` +
      `<p><a href="/sdk/${escaped(file)}">${escaped(file)}</a>, SHA-256 <code>${escaped(sha256)}</code></p>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pentarch: clients</title>
<h1>Clients of this server</h1>
${rows.join('\n')}
<p>As JSON: <a href="/sdk/packages.json">/sdk/packages.json</a>. The API: <a href="/docs">/docs</a>.</p></html>
`;
};

/** PEP 503: pip finds the file and its checksum by the name of the package. */
const simpleOf = ({ file, sha256 }: Listed): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>pentarch</title>
<a href="/sdk/${escaped(file)}#sha256=${escaped(sha256)}">${escaped(file)}</a></html>
`;

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pentarch</title>
<h1>The clients are not built</h1><p>Run <code>npm run build</code> and start again.</p></html>
`;

const etagOf = (bytes: Buffer | string): string =>
  `"${createHash('sha256').update(bytes).digest('base64url')}"`;

/** Asked about again each time: the same version may be built anew, and an unchanged file is 304. */
const answer = (
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, type, etag }: { bytes: Buffer | string; type: string; etag: string },
): FastifyReply => {
  reply.header('etag', etag).header('cache-control', 'no-cache');
  const known = (request.headers['if-none-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*') ? reply.code(304).send() : reply.type(type).send(bytes);
};

export const createClients = ({ folder, publicUrl }: ClientsOptions): Clients => {
  const built = existsSync(path.join(folder, INDEX));
  const names = built
    ? globSync('**/*', { cwd: folder, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== STAMP && entry.name !== INDEX)
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    : [];
  const read = (name: string): Buffer => readFileSync(path.join(folder, name));
  const packages = built ? (JSON.parse(read(INDEX).toString()) as { packages: Listed[] }).packages : [];
  const listed = () =>
    packages.map((one) => ({ ...one, install: installLine(one, publicUrl().replace(/\/$/, '')) }));

  return {
    mount(app) {
      const config = { access: 'public', surface: 'root' } as const;
      const schema = { hide: true };
      for (const name of names) {
        const bytes = read(name);
        const file = { bytes, type: TYPES[path.extname(name)] ?? TEXT, etag: etagOf(bytes) };
        app.get(`/sdk/${name}`, { config, schema }, (request, reply) => answer(request, reply, file));
      }
      const made = (url: string, type: string, make: () => string): void => {
        app.get(url, { config, schema }, (request, reply) => {
          const bytes = make();
          return answer(request, reply, { bytes, type, etag: etagOf(bytes) });
        });
      };
      for (const url of ['/sdk', '/sdk/']) {
        if (built) made(url, HTML, () => pageOf(listed()));
        else
          app.get(url, { config, schema }, (_request, reply) =>
            reply.code(503).header('cache-control', 'no-store').type(HTML).send(NOT_BUILT),
          );
      }
      if (!built) return;
      made(`/sdk/${INDEX}`, 'application/json; charset=utf-8', () => JSON.stringify({ packages: listed() }));
      const wheel = packages.find(({ language }) => language === 'python');
      if (wheel === undefined) return;
      for (const url of ['/sdk/simple/pentarch', '/sdk/simple/pentarch/'])
        made(url, HTML, () => simpleOf(wheel));
    },
  };
};
