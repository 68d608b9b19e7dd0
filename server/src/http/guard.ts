import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Caller } from '../kernel/caller.ts';
import { AppError, forbidden, unauthorized } from '../kernel/errors.ts';
import { API_VERSION } from '../kernel/version.ts';
import type { Console } from './console.ts';
import { bearerToken, contextOf, hasTokenInRootUrl, hasTokenInUrl } from './context.ts';
import { applyRateLimit, type LimitOptions } from './limits-hook.ts';
import type { PathTable } from './path-table.ts';
import type { Access, Authenticate } from './route.ts';
import type { SecurityHeaders } from './security-headers.ts';

export interface GuardOptions {
  authenticate: Authenticate;
  limits: LimitOptions;
  paths: PathTable;
  draining(): boolean;
  stopping?(): boolean;
  console?: Console;
  /** The same for every response; computed once. */
  securityHeaders: SecurityHeaders;
}

const MAX_URL_CHARACTERS = 8_192;

const pathOf = (url: string): string => {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
};

/** What is wrong with the address, whoever asks for it. */
const addressFault = (
  request: FastifyRequest,
  url: string,
  path: string,
  onApi: boolean,
): AppError | null => {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
    return new AppError('BAD_REQUEST', 'the Host header is missing');
  if (url.length > MAX_URL_CHARACTERS) return new AppError('URI_TOO_LONG', 'the address is too long');
  return (onApi ? hasTokenInUrl(url) : hasTokenInRootUrl(url, path))
    ? unauthorized('TOKEN_INVALID', 'a token in the address is not taken; send Authorization: Bearer')
    : null;
};

const accessFault = (access: Access | undefined, caller: Caller | null): AppError | null =>
  access === undefined ||
  access === 'public' ||
  access === 'signed-in' ||
  caller?.permissions.has(access) === true
    ? null
    : forbidden(access);

/**
 * The first hook of every request, in the contract's order of refusals (section 14): 401, unknown path 404, 405, 429,
 * 403; what follows (413, 415, 422, 404 of a record, 409, 402) is settled by parsers, validation and services.
 */
export const createGuard = (options: GuardOptions) => {
  const { authenticate, limits, paths } = options;
  const version = { 'x-api-version': API_VERSION };
  const apiHeaders = { ...options.securityHeaders.api, ...version };
  const pageHeaders = { ...options.securityHeaders.page, ...version };

  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const url = request.raw.url ?? '/';
    const path = pathOf(url);
    request.context = contextOf(path);
    const onApi = request.context.table !== null;
    reply.headers(onApi ? apiHeaders : pageHeaders);
    reply.header('x-request-id', request.id);
    // By this name clients of the Messages API look for it.
    if (request.context.shape === 'anthropic') reply.header('request-id', request.id);
    // The next request of this client finds another node, or the next process.
    if (options.stopping?.() === true) reply.header('connection', 'close');

    /** Refuses with precedence over 429, after the headers have been set. */
    const refuse = (error: AppError): void => {
      limited(() => done(error));
    };
    /** Goes on with what the limits say; at once where they are this process's own. */
    const limited = (next: (refusal: AppError | null) => void): void => {
      const result = applyRateLimit(request, reply, limits, onApi);
      if (result instanceof Promise) {
        result.then(next, (error: unknown) =>
          done(error instanceof Error ? error : new Error('the limits failed', { cause: error })),
        );
      } else next(result);
    };
    const fault = addressFault(request, url, path, onApi);
    if (fault !== null) return refuse(fault);
    const found = request.is404 ? paths.find(path) : paths.shadowed(path, request.routeOptions.url);
    const unknown = request.is404 && found === null;
    const access = request.routeOptions.config.access;
    const open = request.is404 || found !== null ? (found?.public ?? true) : access === 'public';

    const proceed = (): void => {
      // A browser that opens an address of the console: its page is sent by the handler of unknown paths.
      if (unknown && options.console?.answers(request)) return done();
      if (unknown) return refuse(new AppError('NOT_FOUND', 'this path does not exist'));
      if (found !== null) {
        return refuse(
          new AppError('METHOD_NOT_ALLOWED', `this path takes ${found.allow}`, {
            headers: { allow: found.allow },
          }),
        );
      }
      limited(admitted);
    };

    const admitted = (refusal: AppError | null): void => {
      if (refusal !== null) return done(refusal);
      if (onApi && options.draining()) {
        return done(
          new AppError('SERVICE_UNAVAILABLE', 'the server is shutting down; try again', { retryAfterS: 5 }),
        );
      }
      done(accessFault(access, request.context.caller) ?? undefined);
    };

    const token = onApi ? bearerToken(request) : null;
    if (token === null) {
      if (open) return proceed();
      return refuse(unauthorized('TOKEN_MISSING', 'this needs a token: send Authorization: Bearer <token>'));
    }
    // Sign-in and the like do not look at a token: an expired one must not stand in the way of a new one.
    if (open && !unknown) return proceed();

    const signedIn = (caller: Caller): void => {
      request.context.caller = caller;
      proceed();
    };
    const failed = (error: unknown): void => {
      if (error instanceof AppError) return refuse(error);
      done(error instanceof Error ? error : new Error('authentication failed', { cause: error }));
    };
    try {
      const caller = authenticate(token);
      if (caller instanceof Promise) caller.then(signedIn, failed);
      else signedIn(caller);
    } catch (error) {
      failed(error);
    }
  };
};
