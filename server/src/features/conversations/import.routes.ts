import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type Idempotency, idempotencyKey, replayOwner } from '../../http/idempotency.ts';
import { replayAnswer } from '../../http/mount.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { AppError, invalid } from '../../kernel/errors.ts';
import { AnyObject, AnyValue, Strict } from '../../kernel/schema.ts';
import type { Importer } from './import.service.ts';
import { ImportReport } from './schema.ts';

export interface ImportRouteOptions {
  importer: Importer;
  idempotency: Idempotency;
  maxUploadBytes: number;
}

/** Read to its end before anything is refused, so that the answer reaches a client that still sends. */
const fileOf = async (request: FastifyRequest): Promise<Buffer> => {
  let file: { bytes: Buffer; truncated: boolean } | null = null;
  let stranger: string | null = null;
  try {
    for await (const part of request.parts()) {
      if (part.type !== 'file') stranger ??= part.fieldname;
      else {
        const pieces: Buffer[] = [];
        for await (const piece of part.file) pieces.push(piece);
        if (part.fieldname === 'file')
          file = { bytes: Buffer.concat(pieces), truncated: part.file.truncated };
        else stranger ??= part.fieldname;
      }
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('VALIDATION_ERROR', 'the form could not be read', {
      details: { fields: [{ field: '/', reason: 'must be a complete multipart/form-data body' }] },
      cause: error,
    });
  }
  if (file?.truncated) throw new AppError('PAYLOAD_TOO_LARGE', 'the file is larger than this server takes');
  if (stranger !== null) throw invalid({ field: `/${stranger}`, reason: 'is not a known field' });
  if (file === null) throw invalid({ field: '/file', reason: 'is required' });
  return file.bytes;
};

export const importRoutes = ({ importer, idempotency, maxUploadBytes }: ImportRouteOptions): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/conversations/import',
    operationId: 'importConversations',
    summary: 'Bring in conversations of ChatGPT, Open WebUI, LibreChat or another Pentarch',
    description:
      'multipart/form-data with `file`: the export as it is, a zip archive or JSON; or its JSON as the body: a list, one conversation, or {conversations: […]}. Trees come in whole, and the branch that was open is the active one. Each conversation comes in once for each person; what was imported before is skipped.',
    tag: 'Conversations',
    access: 'conversations:write',
    consumes: ['multipart/form-data', 'application/json'],
    uploads: {
      'multipart/form-data': Strict({ file: Type.String({ format: 'binary' }) }),
      'application/json': Type.Union([Type.Array(AnyValue()), AnyObject()]),
    },
    bodyLimitBytes: maxUploadBytes,
    idempotency: 'own',
    responses: { 200: ImportReport },
    handler: async ({ caller, request, reply }) => {
      const key = idempotencyKey(request.headers['idempotency-key']);
      const file = request.isMultipart() ? await fileOf(request) : null;
      const run = (): Promise<ImportReport> =>
        importer.run(caller, file === null ? importer.readBody(request.body) : importer.readFile(file));
      if (key === null) return run();
      const fingerprint = createHash('sha256')
        .update('conversations/import\n')
        .update(file ?? JSON.stringify(request.body ?? null))
        .digest('base64url');
      return idempotency.once<FastifyReply>(
        { callerId: replayOwner(caller), key, fingerprint },
        async () => {
          const report = await run();
          return {
            send: () => reply.send(report),
            answer: { status: 200, headers: {}, body: JSON.stringify(report) },
          };
        },
        (stored) => replayAnswer(reply, stored),
      );
    },
  }),
];
