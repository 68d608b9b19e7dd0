import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

/** The page loads scripts and styles of its own, which the policy of an API forbids. */
const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'";

const PATHS = ['/docs', '/docs/', '/docs/js/scalar.js'];
const PASSED_HEADERS = ['content-type', 'location'];

/**
 * The reference page, in an application of its own that comes into being when somebody asks for it: the package holds its
 * scripts as text, twenty megabytes that no server needs at rest.
 */
const buildPage = async (): Promise<FastifyInstance> => {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const inner = Fastify();
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: { url: '/openapi.json', withDefaultFonts: false, telemetry: false },
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
      .header('content-security-policy', POLICY)
      .send(rawPayload.length === 0 ? undefined : rawPayload);
  };
  for (const url of PATHS)
    app.get(url, { config: { access: 'public', surface: 'root' }, schema: { hide: true } }, answer);
};
