import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * The console: files that `console/build.ts` made, and its page for every other path that a browser opens (contract,
 * section 14). Only files that stood there at start are served, so no path leads elsewhere.
 */
export interface ConsoleOptions {
  /** Where the build is; without one the page says how to make it. */
  folder: string;
  /** Of an external identity provider; null: the embedded one, on this origin. */
  issuer: string | null;
  /** Public client with which people sign in. */
  clientId: string;
  /** The one of the command line, which reads here where to sign in too. */
  cliClientId: string;
  /** Scopes that both ask for, separated by spaces. */
  scopes: string;
  /** People may decide what they asked for themselves: the page then shows them the buttons. */
  selfApproval: boolean;
  /** Conversations may be shared by links that need no sign-in: the page then offers them. */
  shareLinks: boolean;
}

export interface Console {
  /** True for a request without route that the page answers. */
  answers(request: FastifyRequest): boolean;
  sendPage(request: FastifyRequest, reply: FastifyReply): FastifyReply;
  mount(app: FastifyInstance): void;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
};
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
const YEAR_S = 31_536_000;

/** Names with a hash in them never change; the rest is asked about again. */
const cacheControl = (name: string): string =>
  name.startsWith('/assets/') ? `public, max-age=${YEAR_S}, immutable` : 'no-cache';

/** Neither inline script nor inline style nor another host, but the identity provider's where that is elsewhere. */
const policy = (issuer: string | null): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src 'self' data: blob:",
    `connect-src 'self'${issuer === null ? '' : ` ${new URL(issuer).origin}`}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Pentarch</title>
<h1>The console is not built</h1><p>Run <code>npm run build</code> and start again. The API works: see <a href="/docs">/docs</a>.</p></html>`;

/** Whether the Accept-Encoding header takes an encoding (RFC 9110, 12.5.3). */
const takes = (header: string, encoding: string): boolean =>
  header.split(',').some((part) => {
    const [name = '', ...parameters] = part
      .toLowerCase()
      .split(';')
      .map((piece) => piece.trim());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

/** What programs talk to: an unknown path there is an error and no page of the console. */
const MACHINE_PREFIXES = [
  '/api',
  '/mcp',
  '/health',
  '/ready',
  '/metrics',
  '/docs',
  '/console',
  '/assets',
  '/sdk',
];
const OF_MACHINES = new RegExp(`^(?:${MACHINE_PREFIXES.join('|')})(?:[/?]|$)`, 'i');

const wantsPage = (request: FastifyRequest): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  (request.headers.accept ?? '').toLowerCase().includes('text/html');

export const createConsole = (options: ConsoleOptions): Console => {
  const { folder } = options;
  const names = existsSync(folder)
    ? globSync('**/*', { cwd: folder, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(
          (entry) =>
            `/${path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/')}`,
        )
    : [];
  const known = new Set(names);
  const cached = new Map<string, Buffer>();
  const read = (name: string): Buffer => {
    const bytes = cached.get(name) ?? readFileSync(path.join(folder, name));
    cached.set(name, bytes);
    return bytes;
  };
  const csp = policy(options.issuer);

  const send = (name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const accepted = request.headers['accept-encoding'];
    const header = Array.isArray(accepted) ? accepted.join(',') : (accepted ?? '');
    const encoding = ENCODINGS.find(([code, ending]) => known.has(name + ending) && takes(header, code));
    if (encoding !== undefined) reply.header('content-encoding', encoding[0]);
    return reply
      .header('content-security-policy', csp)
      .header('cache-control', cacheControl(name))
      .header('vary', 'accept-encoding')
      .type(TYPES[path.extname(name)] ?? 'application/octet-stream')
      .send(read(name + (encoding?.[1] ?? '')));
  };

  return {
    answers: (request) =>
      request.context.shape === 'A' &&
      request.context.table === null &&
      !OF_MACHINES.test(request.raw.url ?? '') &&
      wantsPage(request),
    sendPage(request, reply) {
      // Nothing of it is for search engines, a shared conversation least of all.
      reply.header('x-robots-tag', 'noindex, nofollow');
      if (known.has('/index.html')) return send('/index.html', request, reply);
      return reply
        .code(503)
        .header('cache-control', 'no-store')
        .type(TYPES['.html'] ?? '')
        .send(NOT_BUILT);
    },
    mount(app) {
      const config = { access: 'public', surface: 'root' } as const;
      const schema = { hide: true };
      app.get('/console/config.json', { config, schema }, (_request, reply) =>
        reply
          .header('cache-control', 'no-cache')
          .type('application/json; charset=utf-8')
          .send(
            JSON.stringify({
              issuer: options.issuer,
              client_id: options.clientId,
              cli_client_id: options.cliClientId,
              scopes: options.scopes,
              self_approval: options.selfApproval,
              share_links: options.shareLinks,
            }),
          ),
      );
      for (const name of names) {
        if (TYPES[path.extname(name)] === undefined || name === '/index.html') continue;
        app.get(name, { config, schema }, (request, reply) => send(name, request, reply));
      }
    },
  };
};
