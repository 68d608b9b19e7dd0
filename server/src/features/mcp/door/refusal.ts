import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../kernel/errors.ts';

/** JSON-RPC error codes of what happens before a message is understood. */
const RPC_CODE: Readonly<Record<number, number>> = { 400: -32600, 404: -32001, 422: -32700 };

/** Answers a refusal in the protocol's form; `metadataUrl`: where a client learns how to sign in. */
export const createRefusal =
  (metadataUrl: (request: FastifyRequest) => string) =>
  (reply: FastifyReply, error: AppError): FastifyReply => {
    const status = error.code === 'VALIDATION_ERROR' ? 400 : error.status;
    reply.request.context.fault = error;
    if (error.code === 'UNAUTHORIZED') {
      const fault = error.details.reason === 'TOKEN_MISSING' ? '' : ', error="invalid_token"';
      reply.header('www-authenticate', `Bearer resource_metadata="${metadataUrl(reply.request)}"${fault}`);
    }
    if (error.retryAfterS !== undefined) reply.header('retry-after', String(error.retryAfterS));
    return reply
      .code(status)
      .type('application/json; charset=utf-8')
      .send({
        jsonrpc: '2.0',
        id: null,
        error: {
          code: RPC_CODE[error.status] ?? -32000,
          message: error.message,
          data: { code: error.code, request_id: reply.request.id },
        },
      });
  };

/** A fault before or while a message is served. */
export const refusalOf = (error: unknown): AppError | null => {
  if (error instanceof AppError) return error;
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return new AppError('PAYLOAD_TOO_LARGE', 'the message is too large');
  return status === 415 ? new AppError('UNSUPPORTED_MEDIA_TYPE', 'send application/json') : null;
};
