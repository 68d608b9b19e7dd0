import { hash } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

/**
 * No script but the page's own file and the text in it that is named by its hash, and none made from text: what stands on
 * the origin of the console can be no weaker than the console. Styles are set on elements, which no hash can name.
 */
const policyOf = (inlineScripts: readonly string[]): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...inlineScripts.map((text) => `'sha256-${hash('sha256', text, 'base64')}'`)].join(
      ' ',
    ),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const PATHS = ['/docs', '/docs/', '/docs/js/scalar.js'];
const PASSED_HEADERS = ['content-type', 'location'];
/** Its validation library compiles functions from text unless it is told not to; this is the setting that it reads. */
const WITHOUT_EVAL = 'globalThis.__zod_globalConfig = { jitless: true };\n';

/** The texts of the scripts that stand in the page itself. */
const inlineScripts = (page: string): string[] =>
  page
    .split('<script')
    .slice(1)
    .flatMap((part) => {
      const head = part.slice(0, part.indexOf('>'));
      return head.includes(' src=') ? [] : [part.slice(head.length + 1, part.indexOf('</script>'))];
    });

/**
 * The reference page, in an application of its own that comes into being when somebody asks for it: the package holds its
 * scripts as text, twenty megabytes that no server needs at rest.
 */
const buildPage = async (): Promise<FastifyInstance> => {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const inner = Fastify();
  inner.addHook('onSend', async (_request, reply, payload) => {
    const type = String(reply.getHeader('content-type'));
    const text = typeof payload === 'string' ? payload : '';
    const inline = type.startsWith('text/html') ? inlineScripts(text) : [];
    reply.header('content-security-policy', policyOf(inline));
    return type.startsWith('application/javascript') ? WITHOUT_EVAL + text : payload;
  });
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Pentarch API reference',
      favicon: '/icon.svg',
      withDefaultFonts: false,
      telemetry: false,
      // What asks the maker's servers, which the policy keeps away anyway.
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
    },
  });
  await inner.ready();
  return inner;
};

export const mountReferencePage = (app: FastifyInstance): void => {
  let page: Promise<FastifyInstance> | null = null;
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    page ??= buildPage();
    const inner = await page;
    const { statusCode, headers, rawPayload } = await inner.inject({ method: 'GET', url: request.url });
    for (const name of PASSED_HEADERS) {
      const value = headers[name];
      if (value !== undefined) reply.header(name, value);
    }
    return reply
      .code(statusCode)
      .header('content-security-policy', headers['content-security-policy'])
      .send(rawPayload.length === 0 ? undefined : rawPayload);
  };
  for (const url of PATHS)
    app.get(url, { config: { access: 'public', surface: 'root' }, schema: { hide: true } }, answer);
};
