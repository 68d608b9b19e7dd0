import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerToken, hasTokenInUrl } from '../../../http/context.ts';
import type { Authenticate } from '../../../http/route.ts';
import type { Caller } from '../../../kernel/caller.ts';
import { AppError, unauthorized } from '../../../kernel/errors.ts';
import { isSameOrigin } from '../../../kernel/loopback.ts';

export interface AdmitOptions {
  authenticate: Authenticate;
  publicUrl(): string;
  corsOrigins: readonly string[];
  draining(): boolean;
  limit(request: FastifyRequest, reply: FastifyReply): AppError | null | Promise<AppError | null>;
}

/** Protects against pages that a browser makes call a service on the user's network (DNS rebinding). */
const isForeignOrigin = (options: AdmitOptions, request: FastifyRequest): boolean => {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  return !isSameOrigin(origin, new URL(options.publicUrl()).origin) && !options.corsOrigins.includes(origin);
};

const signIn = async (authenticate: Authenticate, request: FastifyRequest): Promise<Caller> => {
  if (hasTokenInUrl(request.url)) {
    throw unauthorized('TOKEN_INVALID', 'a token in the address is not taken; send Authorization: Bearer');
  }
  const token = bearerToken(request);
  if (token === null)
    throw unauthorized('TOKEN_MISSING', 'this needs a token: send Authorization: Bearer <token>');
  return authenticate(token);
};

/** All refusals that need no body, in the contract's order. */
export const createAdmission =
  (options: AdmitOptions) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (isForeignOrigin(options, request)) {
      throw new AppError(
        'FORBIDDEN',
        'this origin may not call; the setting CORS_ORIGINS names those that may',
      );
    }
    request.context.caller = await signIn(options.authenticate, request);
    const limited = await options.limit(request, reply);
    if (limited !== null) throw limited;
    if (options.draining()) {
      throw new AppError('SERVICE_UNAVAILABLE', 'the server is shutting down; try again', { retryAfterS: 5 });
    }
  };
