import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Along, Queryable } from '../db/db.ts';
import type { Caller } from '../kernel/caller.ts';
import type { Permission } from '../kernel/permissions.ts';
import type { ModelNames } from './document/models.ts';

/**
 * How a feature declares an endpoint: one object is validation, response filter, OpenAPI, permission and binding. The
 * feature's `routes.ts` returns a list of these; `http/mount.ts` puts them on the prefixes.
 */

/** What a route asks of the caller. There is no default: a route that says nothing does not compile. */
export type Access =
  /** No token needed. */
  | 'public'
  /** Any valid token. */
  | 'signed-in'
  | Permission;

/** Where a route is served (contract, section 1). */
export type Surface =
  /** `/api/v1`, `/v2` and `/api/v2`. */
  | 'all'
  /** `/api/v1` alone. */
  | 'v1'
  /** `/v2` and `/api/v2`. */
  | 'v2'
  /** The path as it stands, without a prefix: system pages, the identity provider. */
  | 'root';

export interface RouteInput<B, Q, P> {
  body: B;
  query: Q;
  params: P;
  request: FastifyRequest;
  reply: FastifyReply;
  requestId: string;
}

export interface SignedInInput<B, Q, P> extends RouteInput<B, Q, P> {
  caller: Caller;
  /** The row of the route's `audit`, for the transaction of what it records. */
  note: Along;
  /** The same of one record among many, for a route whose `audit` is of each. */
  noteOn: NoteTarget;
}

/** Writes a row of the audit chain about a record, in the transaction of its change. */
export type NoteTarget = (tx: Queryable, targetId: string) => Promise<void>;

interface RouteBase<B extends TSchema, Q extends TSchema, P extends TSchema> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In Fastify's form: `/conversations/:id`. */
  path: string;
  surface?: Surface;
  /** Unique, camelCase, verb first: the SDKs' method names are made from it. */
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  body?: B;
  /** Of a protocol of others: fields that the body's schema does not name are dropped and told in a header. */
  unknownFields?: 'ignored';
  query?: Q;
  params?: P;
  /** Content type of the request when it is not JSON (`multipart/form-data`); such routes read the request themselves. */
  consumes?: readonly string[];
  /** Not in the OpenAPI document: a protocol with a description of its own (RFC 7643). */
  undocumented?: true;
  /** For the document: what those types hold, where it can be said. A string stands for the bytes. */
  uploads?: Readonly<Record<string, TSchema>>;
  /** Status of success and the schema of its body; null for none. More than one where the outcome differs. */
  responses: Record<number, TSchema | null>;
  /** For the document: names of the bodies, where that of the operation says less. */
  modelNames?: ModelNames;
  /** Content type of the answer when it is not JSON. */
  produces?: string | readonly string[];
  bodyLimitBytes?: number;
  /**
   * Asked by a platform administrator it reaches other tenants' rows too; of everybody else a request is bound to their own
   * tenant (db/scope.ts). The handler decides what they may do.
   */
  acrossTenants?: true;
  /** Answers with `Deprecation` and `Sunset` (dates as ISO 8601). */
  deprecated?: { since: string; sunset: string };
  /**
   * `Idempotency-Key` on POST is handled by the HTTP layer; `own` where the feature does it (streams, uploads).
   */
  idempotency?: 'own';
  /**
   * A success is a row of the audit chain: in the transaction of the change, where the handler hands `note` on to it, else
   * (what is read or has several transactions) before the answer leaves. Needs a signed-in caller.
   */
  audit?: RouteAudit;
}

export interface RouteAudit {
  /** `document.deleted`; where a query parameter of this name is true, the second one. */
  action: string | { plain: string; query: string; asked: string };
  targetType: string;
  /** The path parameter that names what was acted on. */
  target?: string;
  /** A row for each record, which the handler writes by `noteOn`; no other. */
  each?: true;
  /** For a route that does this only where it answers with this content type. */
  onlyAs?: string;
}

export interface PublicRoute<B extends TSchema, Q extends TSchema, P extends TSchema>
  extends RouteBase<B, Q, P> {
  access: 'public';
  /** The body of the success status; or `reply` itself after it has been used to send or was hijacked. */
  handler(input: RouteInput<Static<B>, Static<Q>, Static<P>>): unknown;
}

export interface SignedInRoute<B extends TSchema, Q extends TSchema, P extends TSchema>
  extends RouteBase<B, Q, P> {
  access: 'signed-in' | Permission;
  handler(input: SignedInInput<Static<B>, Static<Q>, Static<P>>): unknown;
}

/** A route whose types have been checked where it was written; the HTTP layer handles all alike. */
export interface AnyRoute extends RouteBase<TSchema, TSchema, TSchema> {
  access: Access;
  handler(input: SignedInInput<never, never, never>): unknown;
}

/** Types the handler's input by the schemas beside it. */
export function route<B extends TSchema, Q extends TSchema, P extends TSchema>(
  definition: PublicRoute<B, Q, P>,
): AnyRoute;
export function route<B extends TSchema, Q extends TSchema, P extends TSchema>(
  definition: SignedInRoute<B, Q, P>,
): AnyRoute;
export function route(definition: AnyRoute): AnyRoute {
  return definition;
}

/**
 * What the HTTP layer needs of the identity feature: the caller behind a bearer token, at once when the token has been
 * verified before. Throws `unauthorized` with its reason, and FORBIDDEN for a suspended tenant.
 */
export type Authenticate = (token: string) => Caller | Promise<Caller>;
