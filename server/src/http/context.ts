import type { FastifyRequest } from 'fastify';
import type { Caller } from '../kernel/caller.ts';
import type { AppError } from '../kernel/errors.ts';
import type { LogWork } from '../kernel/log-fields.ts';
import { OIDC_PATHS } from '../kernel/oidc.ts';
import type { ErrorShape } from './error-body.ts';
import type { Access } from './route.ts';

/** What the hooks settle about a request before its handler runs. */
export interface RequestContext {
  shape: ErrorShape;
  /** Which rate table counts; null on system endpoints, which show the count and add nothing. */
  table: 'reference' | 'overview' | null;
  caller: Caller | null;
  /** The row of the route's `audit` has gone along with the change. */
  noted?: boolean;
  /** The error that the request was answered with, for those who look at its end. */
  fault?: AppError;
  /** What lines of the log say of the request. */
  log?: LogWork;
}

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext;
  }
  interface FastifyContextConfig {
    access?: Access;
    /** Template for metrics and the rate table, without the request's own values. */
    surface?: 'v1' | 'v2' | 'root';
    acrossTenants?: boolean;
  }
}

const V1 = '/api/v1';
const V2 = '/v2';
/** The OpenAI-compatible door. */
const OPENAI = '/v1';
/** What of it speaks the wire of the Messages API. */
const MESSAGES = '/v1/messages';
/** The door of the agent-to-agent protocol. */
const A2A = '/a2a';
/** What a company's directory creates and removes people by (RFC 7644). */
const SCIM = '/scim';
const OAUTH_PREFIXES = ['/oauth', '/oidc', '/management', '/.well-known'];

const under = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) &&
  (path.length === prefix.length || path[prefix.length] === '/' || path[prefix.length] === '?');

/** `/api/v2/…` is `/v2/…` under another name. */
/** Absolute-form targets (RFC 9112, section 3.2.2) name the path behind the authority. */
const pathOfTarget = (target: string): string => {
  const match = /^https?:\/\/[^/?#]*/i.exec(target);
  if (match === null) return target;
  const rest = target.slice(match[0].length);
  return rest.startsWith('/') ? rest : `/${rest}`;
};

export const rewriteUrl = (target: string): string => {
  const url = target.startsWith('/') ? target : pathOfTarget(target);
  return under(url, '/api/v2') ? url.slice(4) : url;
};

/** By the path alone, so that unknown paths under a prefix answer in its shape too. */
export const contextOf = (path: string): RequestContext => {
  if (under(path, V1)) return { shape: 'A', table: 'reference', caller: null };
  if (under(path, V2)) return { shape: 'B', table: 'overview', caller: null };
  if (under(path, MESSAGES)) return { shape: 'anthropic', table: 'reference', caller: null };
  if (under(path, OPENAI)) return { shape: 'openai', table: 'reference', caller: null };
  if (under(path, A2A)) return { shape: 'jsonrpc', table: 'reference', caller: null };
  if (under(path, SCIM)) return { shape: 'scim', table: 'reference', caller: null };
  const oauth = OAUTH_PREFIXES.some((prefix) => under(path, prefix));
  return { shape: oauth ? 'oauth' : 'A', table: null, caller: null };
};

const TOKEN_PARAMETER = /[?&](access_token|token|api_key|apikey|bearer|authorization|jwt)=/i;

/** Outside of the API only this one: other names are parameters of the identity provider's and the console's own pages. */
const ACCESS_TOKEN_PARAMETER = /[?&]access_token=/i;
/** They take their parameters by the rules of OAuth, which has no token in an address either. */
const PROTOCOL_PATHS: ReadonlySet<string> = new Set([
  OIDC_PATHS.authorization,
  OIDC_PATHS.token,
  OIDC_PATHS.introspection,
  OIDC_PATHS.revocation,
  OIDC_PATHS.endSession,
]);

export const hasTokenInRootUrl = (url: string, path: string): boolean =>
  url.length > path.length &&
  ACCESS_TOKEN_PARAMETER.test(url.slice(path.length)) &&
  !PROTOCOL_PATHS.has(path);

export const hasTokenInUrl = (url: string): boolean => {
  const query = url.indexOf('?');
  return query >= 0 && TOKEN_PARAMETER.test(url.slice(query));
};

const AUTHORIZATION = 'authorization';

/** More than one `Authorization` header (RFC 9110, 5.3). Node keeps the first and drops the others without a word. */
export const repeatsAuthorization = (request: FastifyRequest): boolean => {
  const { rawHeaders } = request.raw;
  let seen = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i];
    if (name?.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    if (seen) return true;
    seen = true;
  }
  return false;
};

/** Clients of the Messages API may send their key under a name of its own, which goes before the other one. */
const keyOfMessages = (request: FastifyRequest): string | null => {
  const key = request.headers['x-api-key'];
  if (request.context.shape !== 'anthropic' || key === undefined) return null;
  return typeof key === 'string' && /^[^\s,]+$/.test(key) ? key : '';
};

/**
 * The bearer token of the request, or null; '' (which no token is) for a header of another form or more than one. RFC 6750
 * section 2.1; the scheme's name is case-insensitive.
 */
export const bearerToken = (request: FastifyRequest): string | null => {
  const header = request.headers.authorization;
  const key = keyOfMessages(request);
  if (key !== null) return key;
  if (header === undefined) return null;
  if (repeatsAuthorization(request)) return '';
  // As nearly all write it: no expression over a thousand characters.
  if (header.startsWith('Bearer ') && header.length > 7 && !header.includes(' ', 7) && !header.includes('\t'))
    return header.slice(7);
  const match = /^bearer +([^\s]+) *$/i.exec(header);
  return match?.[1] ?? '';
};

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** The client's id where it is well formed, else null. */
export const clientRequestId = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' && REQUEST_ID.test(header) ? header : null;
