import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { IncomingMessage, type ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { bearerToken, repeatsAuthorization } from '../../../http/context.ts';
import { MAX_DRAINED_BYTES } from '../../../http/error-body.ts';
import { addressGroup } from '../../../kernel/address.ts';
import type { Caller } from '../../../kernel/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { AppError } from '../../../kernel/errors.ts';
import { OIDC_PATHS, type OidcEngine } from '../../../kernel/oidc.ts';
import { isStorable } from '../../../kernel/storable.ts';
import type { Clients } from '../clients/service.ts';
import { readClaims, readHeader } from '../jwt-form.ts';
import type { Assertions } from '../machine-keys/assertions.ts';
import type { MachineKeys } from '../machine-keys/service.ts';
import { originOf } from '../origin.ts';
import { SIGNATURE_ALGORITHMS } from '../public-keys.ts';
import { API_RESOURCE } from '../sessions/families.ts';
import { authenticateClient, CHALLENGE, parseForm } from './form.ts';
import { type InteractionOptions, mountInteraction } from './interaction.ts';
import { type LinkPagesOptions, mountLinkPages } from './link-pages.ts';
import { mountMachineKeys } from './machine-key-routes.ts';
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts';
import { contentSecurityPolicy, errorPage } from './pages.ts';
import { type CountAddress, createSharedThrottle, createThrottle } from './throttle.ts';
import type { TokenState } from './token-state.ts';

/** The identity provider's own surface: `/oauth/v2`, `/oidc/v1`, `/management/v1` and the discovery documents. */

export type Engine = OidcEngine<IncomingMessage, ServerResponse>;

export interface ProviderPluginOptions {
  engine: Engine;
  clock: Clock;
  clients: Clients;
  tokenState: TokenState;
  assertions: Assertions;
  machineKeys: MachineKeys;
  interaction: Omit<InteractionOptions, 'engine'>;
  linkPages: LinkPagesOptions;
  /** Null for a token that is not accepted. */
  authenticate(token: string): Caller | Promise<Caller>;
  throttle: boolean;
  /** With several nodes, which count together; null: this process by itself. */
  countAddress: CountAddress | null;
  /** The service's own address. */
  issuer(): string;
}

const FORM = 'application/x-www-form-urlencoded';
const FORM_ONLY = `this takes a form: send Content-Type: ${FORM}`;
const FORM_LIMIT_BYTES = 64 * 1024;
const REQUESTS_PER_MINUTE = 600;
/** User codes that one address, or one browser, may try at the device page (RFC 8628, 5.1); whoever lets a device in sends two. */
const DEVICE_CODES_PER_MINUTE = 20;
/** Where machines send forms. */
const FORM_PATHS: ReadonlySet<string> = new Set([
  OIDC_PATHS.token,
  OIDC_PATHS.introspection,
  OIDC_PATHS.revocation,
  OIDC_PATHS.deviceAuthorization,
]);
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const byAppCode: Partial<Record<AppError['code'], OAuthErrorCode>> = {
  UNAUTHORIZED: 'invalid_token',
  FORBIDDEN: 'insufficient_scope',
  NOT_FOUND: 'not_found',
  CONFLICT: 'conflict',
  RATE_LIMITED: 'temporarily_unavailable',
  INTERNAL_ERROR: 'server_error',
};

const asOAuthError = (error: unknown): OAuthError => {
  if (error instanceof OAuthError) return error;
  if (error instanceof AppError) {
    const headers: Record<string, string> = {};
    if (error.retryAfterS !== undefined) headers['retry-after'] = String(error.retryAfterS);
    if (error.code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer error="invalid_token"';
    return new OAuthError(byAppCode[error.code] ?? 'invalid_request', error.message, headers);
  }
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  if (status === 413) {
    return new OAuthError('invalid_request', 'the form is larger than this endpoint takes', {}, 413);
  }
  if (status === 415) return new OAuthError('invalid_request', FORM_ONLY, {}, 415);
  if (typeof status === 'number' && status < 500) {
    return new OAuthError('invalid_request', 'the request could not be read');
  }
  return new OAuthError('server_error', 'something went wrong inside; the request id names it in the logs');
};

const wantsPage = (request: FastifyRequest): boolean =>
  /text\/html/.test(request.headers.accept ?? '') && !/application\/json/.test(request.headers.accept ?? '');

const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  if (error instanceof AppError) request.context.fault = error;
  const fault = asOAuthError(error);
  if (fault.status >= 500) request.log.error({ err: error }, 'the identity provider failed');
  if (fault.status === 413 && Number(request.headers['content-length']) <= MAX_DRAINED_BYTES) {
    reply.removeHeader('connection');
  }
  reply.code(fault.status).headers(fault.headers).header('cache-control', 'no-store');
  if (wantsPage(request)) {
    return reply
      .header('content-security-policy', contentSecurityPolicy([]))
      .type('text/html; charset=utf-8')
      .send(errorPage({ error: fault.code, description: fault.message }));
  }
  return reply
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: fault.code, error_description: fault.message, request_id: request.id }));
};

/** The request again, with a body that has been read already: the library reads it from the stream itself. */
const withBody = (raw: IncomingMessage, body: unknown): IncomingMessage => {
  if (typeof body !== 'string') return raw;
  const again = new IncomingMessage(raw.socket);
  again.method = raw.method;
  again.url = raw.url;
  again.httpVersion = raw.httpVersion;
  again.httpVersionMajor = raw.httpVersionMajor;
  again.httpVersionMinor = raw.httpVersionMinor;
  again.headers = raw.headers;
  const bytes = Buffer.from(body);
  again.headers['content-length'] = String(bytes.length);
  // Else the end of reading would count as an abort and close the connection.
  again.complete = true;
  again.push(bytes);
  again.push(null);
  return again;
};

/**
 * Clients name the API by the address of what they call (RFC 8707; the MCP endpoint's protected resource metadata): to the
 * library it is one resource with one name.
 */
const withOwnResource = (parameters: string, isOwn: (resource: string) => boolean): string => {
  if (!parameters.includes('resource=')) return parameters;
  const all = new URLSearchParams(parameters);
  const resources = all.getAll('resource');
  if (!resources.some(isOwn)) return parameters;
  all.delete('resource');
  for (const resource of new Set(resources.map((each) => (isOwn(each) ? API_RESOURCE : each))))
    all.append('resource', resource);
  return all.toString();
};

/** Hands a request to the library. Headers that hooks have set go along; the policy of each page is the page's own. */
const delegate = async (
  engine: Engine,
  request: FastifyRequest,
  reply: FastifyReply,
  isOwn: (resource: string) => boolean,
): Promise<void> => {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined && name !== 'content-security-policy') reply.raw.setHeader(name, value);
  }
  request.raw.headers['x-forwarded-for'] = request.ip;
  request.raw.headers['x-request-id'] = request.id;
  const { url = '/' } = request.raw;
  const query = url.indexOf('?');
  if (query >= 0) request.raw.url = `${url.slice(0, query)}?${withOwnResource(url.slice(query + 1), isOwn)}`;
  const body = typeof request.body === 'string' ? withOwnResource(request.body, isOwn) : request.body;
  await engine.handle(withBody(request.raw, body), reply.raw);
};

/** RFC 7521, 4.2: what cannot be a client's assertion is `invalid_client`, where the library says `invalid_request`. */
const assertClientAssertion = (body: unknown): void => {
  const form = new URLSearchParams(typeof body === 'string' ? body : '');
  const assertion = form.get('client_assertion');
  if (assertion === null) return;
  const known = readHeader(assertion, SIGNATURE_ALGORITHMS) !== null && readClaims(assertion) !== null;
  if (!known || form.get('client_assertion_type') !== ASSERTION_TYPE) {
    throw new OAuthError('invalid_client', 'the client assertion is not valid');
  }
};

/** What stands for a device code inside (`store.ts`) is none. */
const assertDeviceCode = (body: unknown): void => {
  const codes = new URLSearchParams(typeof body === 'string' ? body : '').getAll('device_code');
  if (codes.some((code) => !/^[\w-]*$/.test(code)))
    throw new OAuthError('invalid_grant', 'the device code is not known');
};

/**
 * No record has a NUL in what it is found by; RFC 6749, appendix A allows none in any parameter. A token that is asked about
 * (RFC 7662, RFC 7009) may be anything: what is none is inactive.
 */
const assertText = (parameters: string): void => {
  if (!parameters.includes('%00') && !parameters.includes('\u0000')) return;
  for (const [name, value] of new URLSearchParams(parameters)) {
    if (name !== 'token' && (!isStorable(name) || !isStorable(value)))
      throw new OAuthError('invalid_request', 'parameters must be text without NUL');
  }
};

const bearer = (request: FastifyRequest): string => {
  const token = bearerToken(request);
  if (token === null) {
    throw new OAuthError('invalid_token', 'this needs a token: send Authorization: Bearer <token>', {
      'www-authenticate': 'Bearer',
    });
  }
  return token;
};

/** A token for forms that only the page of the same interaction can know. */
export const createCsrf = (key: string) => {
  const tokenOf = (subject: string): string =>
    createHmac('sha256', key).update(`csrf:${subject}`).digest('base64url');
  return {
    tokenOf,
    check(subject: string, given: string | undefined): void {
      const right = Buffer.from(tokenOf(subject));
      const got = Buffer.from(given ?? '');
      if (right.length !== got.length || !timingSafeEqual(right, got)) {
        throw new OAuthError('invalid_request', 'this form is out of date; go back and start again');
      }
    },
  };
};

export const providerPlugin =
  (options: ProviderPluginOptions) =>
  (scope: FastifyInstance): void => {
    const { engine, clients, tokenState, assertions } = options;
    const isOwn = (resource: string): boolean =>
      ['', '/', '/mcp'].some((tail) => resource === `${options.issuer()}${tail}`);
    const throttleOf = (perMinute: number) =>
      options.countAddress === null
        ? createThrottle(options.clock, perMinute, options.throttle)
        : createSharedThrottle(options.countAddress, perMinute, options.throttle);
    const throttle = throttleOf(REQUESTS_PER_MINUTE);
    const deviceCodes = throttleOf(DEVICE_CODES_PER_MINUTE);

    scope.addContentTypeParser(
      FORM,
      { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler(sendError);
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public', surface: 'root' };
      // `consumes`: these routes read forms, which the API's own check of bodies does not know.
      route.schema = { ...route.schema, hide: true, consumes: [FORM] };
    });
    scope.addHook('onRequest', async (request) => {
      await throttle.count(request.ip);
      // Where a bearer token is meant, `bearer` refuses it.
      if (FORM_PATHS.has(request.routeOptions.url ?? '') && repeatsAuthorization(request)) {
        throw new OAuthError('invalid_client', 'the Authorization header must not be given twice', CHALLENGE);
      }
    });
    scope.addHook('preParsing', async (request) => {
      const type = request.headers['content-type'];
      const isForm = type === undefined || type.split(';', 1)[0]?.trim().toLowerCase() === FORM;
      if (request.method === 'POST' && !isForm && FORM_PATHS.has(request.routeOptions.url ?? '')) {
        throw new OAuthError('invalid_request', FORM_ONLY, {}, 415);
      }
    });
    scope.addHook('preHandler', async (request) => {
      const { url = '' } = request.raw;
      const at = url.indexOf('?');
      assertText(at < 0 ? '' : url.slice(at + 1));
      if (typeof request.body !== 'string') return;
      assertText(request.body);
      if (request.routeOptions.url !== OIDC_PATHS.device) return;
      const form = new URLSearchParams(request.body);
      if (!form.has('user_code')) return;
      await deviceCodes.count(`device:${addressGroup(request.ip)}`);
      // Of the same browser from other addresses: its session gave it this.
      await deviceCodes.count(`device-form:${hash('sha256', form.get('xsrf') ?? '', 'base64url')}`);
    });
    scope.addHook('onSend', async (_request, reply) => {
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    });

    /** Other methods of a known path: 405 with `Allow`. */
    const only = (path: string, allowed: HTTPMethods[]): void => {
      const others = METHODS.filter((method) => !allowed.includes(method));
      scope.route({
        method: others,
        url: path,
        handler: () => {
          throw new OAuthError('method_not_allowed', `this path takes ${allowed.join(', ')}`, {
            allow: allowed.join(', '),
          });
        },
      });
    };

    const native = (path: string, methods: HTTPMethods[]): void => {
      scope.route({
        method: methods,
        url: path,
        handler: (request, reply) => delegate(engine, request, reply, isOwn),
      });
      only(path, methods);
    };

    native(OIDC_PATHS.authorization, ['GET']);
    native(`${OIDC_PATHS.authorization}/:uid`, ['GET']);
    native(OIDC_PATHS.device, ['GET', 'POST']);
    native(`${OIDC_PATHS.device}/:uid`, ['GET']);
    native(OIDC_PATHS.deviceAuthorization, ['POST', 'OPTIONS']);
    native(OIDC_PATHS.jwks, ['GET', 'OPTIONS']);
    native('/.well-known/openid-configuration', ['GET', 'OPTIONS']);
    native('/.well-known/oauth-authorization-server', ['GET', 'OPTIONS']);
    native(OIDC_PATHS.endSession, ['GET']);
    native(`${OIDC_PATHS.endSession}/confirm`, ['POST']);
    native(`${OIDC_PATHS.endSession}/success`, ['GET']);

    // The preflight of browser clients; their origins are those of their redirect addresses.
    scope.options(OIDC_PATHS.token, (request, reply) => delegate(engine, request, reply, isOwn));
    scope.post(OIDC_PATHS.token, async (request, reply) => {
      const grantTypes = new URLSearchParams(typeof request.body === 'string' ? request.body : '').getAll(
        'grant_type',
      );
      if (!grantTypes.includes(JWT_BEARER)) {
        assertClientAssertion(request.body);
        assertDeviceCode(request.body);
        return delegate(engine, request, reply, isOwn);
      }
      const form = parseForm(request.body);
      const assertion = form.get('assertion');
      if (assertion === undefined) throw new OAuthError('invalid_request', 'assertion is missing');
      const answer = await assertions.exchange(
        assertion,
        form.get('scope') ?? '',
        originOf(request, request.id),
      );
      return reply.header('cache-control', 'no-store').send(answer);
    });
    only(OIDC_PATHS.token, ['POST', 'OPTIONS']);

    const tokenField = (form: Map<string, string>): string => {
      const token = form.get('token');
      if (token === undefined || token === '') throw new OAuthError('invalid_request', 'token is missing');
      return token;
    };

    scope.post(OIDC_PATHS.introspection, async (request) => {
      const form = parseForm(request.body);
      const client = await authenticateClient(clients, request.headers.authorization, form);
      return tokenState.introspect(client, tokenField(form));
    });
    only(OIDC_PATHS.introspection, ['POST']);

    scope.post(OIDC_PATHS.revocation, async (request, reply) => {
      const form = parseForm(request.body);
      const client = await authenticateClient(clients, request.headers.authorization, form);
      await tokenState.revoke(client, tokenField(form), originOf(request, request.id));
      return reply.code(200).send();
    });
    only(OIDC_PATHS.revocation, ['POST']);

    const userinfo = async (request: FastifyRequest) => {
      const caller = await options.authenticate(bearer(request));
      return {
        sub: caller.userId,
        email: caller.email,
        preferred_username: caller.email,
        name: caller.name,
        roles: caller.roles,
        groups: caller.roles,
        org_id: caller.tenantId,
        permissions: [...caller.permissions].sort(),
      };
    };
    scope.route({ method: ['GET', 'POST'], url: OIDC_PATHS.userinfo, handler: userinfo });
    only(OIDC_PATHS.userinfo, ['GET', 'POST']);

    // In a scope of its own, which answers faults with pages.
    scope.register(async (pages) => mountInteraction(pages, { ...options.interaction, engine }));
    mountLinkPages(scope, options.linkPages);
    mountMachineKeys(scope, options.machineKeys, async (request) => options.authenticate(bearer(request)));
  };
