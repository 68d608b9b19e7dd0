import type { FastifyReply, FastifyRequest } from 'fastify';
import { MAX_DRAINED_BYTES } from '../../../http/error-body.ts';
import { AppError } from '../../../kernel/errors.ts';
import { FORM_ONLY } from './form-only.ts';
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts';
import { sendPage } from './page.ts';
import { errorPage } from './pages.ts';

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

/** Faults as OAuth clients read them, or as a page for a browser. */
export const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  if (error instanceof AppError) request.context.fault = error;
  const fault = asOAuthError(error);
  if (fault.status >= 500) request.log.error({ err: error }, 'the identity provider failed');
  if (fault.status === 413 && Number(request.headers['content-length']) <= MAX_DRAINED_BYTES) {
    reply.removeHeader('connection');
  }
  reply.headers(fault.headers).header('cache-control', 'no-store');
  if (wantsPage(request))
    return sendPage(reply, fault.status, errorPage({ error: fault.code, description: fault.message }));
  return reply
    .code(fault.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ error: fault.code, error_description: fault.message, request_id: request.id }));
};
