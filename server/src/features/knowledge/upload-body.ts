import type { FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { parseJsonBody } from '../../http/json-body.ts';
import { createValidatorCompiler } from '../../http/validate.ts';
import { AppError, type FieldFault, invalid } from '../../kernel/errors.ts';
import { isStorable } from '../../kernel/storable.ts';
import type { FetchDocument } from './fetch-document.ts';
import type { UploadInput } from './ports.ts';
import { cleanFilename, contentTypeFault, fullContentType } from './rules.ts';
import { DocumentCreate, DocumentForm } from './schema.ts';
import { metadataFaults, sharingOf } from './wire.ts';

/** The two bodies of `POST knowledge/documents`: a form with a file, or JSON with the content as text. */

const compile = createValidatorCompiler();

/** Throws what the HTTP layer throws for bodies that it checks itself. */
const validator = <S extends TSchema>(schema: S) => {
  const validate = compile({ schema, method: 'POST', url: '', httpPart: 'body' });
  return (data: unknown): Static<S> => {
    const result: unknown = validate(data);
    if (typeof result === 'object' && result !== null && 'error' in result) throw result.error;
    // The compiled schema has just checked it.
    return data as Static<S>;
  };
};

const checkedJson = validator(DocumentCreate);
const checkedForm = validator(DocumentForm);

const refuse = (faults: readonly FieldFault[]): void => {
  if (faults.length > 0) throw invalid(...faults);
};

const fromJson = async (body: unknown, fetchDocument: FetchDocument): Promise<UploadInput> => {
  const { title, content, url, content_type, metadata, external_id, trusted, ...sharing } = checkedJson(
    body ?? {},
  );
  const typeFault = content_type === undefined ? null : contentTypeFault(content_type);
  refuse(metadataFaults(metadata));
  if (typeFault !== null) throw invalid({ field: '/content_type', reason: typeFault });
  const shared = {
    metadata: metadata ?? null,
    sharing: sharingOf(sharing) ?? null,
    externalId: external_id ?? null,
    trusted: trusted ?? null,
  };
  if (url !== undefined) {
    if (content !== undefined) throw invalid({ field: '/content', reason: 'must not stand beside url' });
    const found = await fetchDocument(url);
    return {
      ...shared,
      bytes: found.bytes,
      filename: found.filename,
      declaredType: content_type === undefined ? found.declaredType : fullContentType(content_type),
      title: title ?? null,
      metadata: { ...metadata, source_url: url },
      field: '/url',
    };
  }
  if (title === undefined) throw invalid({ field: '/title', reason: 'is required' });
  if (content === undefined) throw invalid({ field: '/content', reason: 'is required' });
  return {
    ...shared,
    bytes: new TextEncoder().encode(content),
    filename: null,
    declaredType: content_type === undefined ? 'text/plain' : fullContentType(content_type),
    title,
    field: '/content',
  };
};

interface FormFile {
  bytes: Buffer;
  filename: string | null;
  mimetype: string;
  truncated: boolean;
}

const readFile = async (part: {
  file: AsyncIterable<Buffer> & { truncated: boolean };
  filename: string | undefined;
  mimetype: string;
}): Promise<FormFile> => {
  const parts: Buffer[] = [];
  for await (const piece of part.file) parts.push(piece);
  return {
    bytes: Buffer.concat(parts),
    filename: cleanFilename(part.filename),
    mimetype: part.mimetype,
    truncated: part.file.truncated,
  };
};

const FIELDS = new Set(['title', 'metadata', 'visibility', 'roles', 'external_id', 'trusted']);

/** `roles` are separated by commas; `metadata` is JSON in a text field; some clients mark the part as JSON, and it arrives parsed. */
const fieldValue = (name: string, value: unknown): unknown => {
  if (name === 'roles' && typeof value === 'string') {
    return value.split(',').map((role) => role.trim());
  }
  if (name === 'trusted' && (value === 'true' || value === 'false')) return value === 'true';
  if (name !== 'metadata') {
    if (typeof value !== 'string' || !isStorable(value)) {
      throw invalid({ field: `/${name}`, reason: 'must be text without NUL' });
    }
    return value;
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  try {
    return parseJsonBody(Buffer.from(text));
  } catch {
    throw invalid({ field: '/metadata', reason: 'must be a JSON object' });
  }
};

const formFault = (error: unknown): unknown => {
  if (error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'FST_FILES_LIMIT') return invalid({ field: '/file', reason: 'must be one file' });
  if (code === 'FST_MP_PREMATURE_CLOSE' || code === 'FST_REQ_FILE_TOO_LARGE') return error;
  // Everything else that the form reader throws says that the form is not one.
  return new AppError('VALIDATION_ERROR', 'the form could not be read', {
    details: { fields: [{ field: '/', reason: 'must be a complete multipart/form-data body' }] },
    cause: error,
  });
};

const fromForm = async (request: FastifyRequest): Promise<UploadInput> => {
  const faults: FieldFault[] = [];
  const form: Record<string, unknown> = {};
  let file: FormFile | null = null;
  try {
    // All parts are read to the end before anything is refused, so that the answer reaches a client that still sends.
    for await (const part of request.parts()) {
      const name = part.fieldname;
      if (part.type === 'file') {
        const read = await readFile(part);
        if (name === 'file') file = read;
        else faults.push({ field: `/${name}`, reason: 'is not a known field' });
      } else if (name === 'file') faults.push({ field: '/file', reason: 'must be a file' });
      else if (!FIELDS.has(name)) faults.push({ field: `/${name}`, reason: 'is not a known field' });
      else if (Object.hasOwn(form, name)) faults.push({ field: `/${name}`, reason: 'must be given once' });
      else if (part.valueTruncated) faults.push({ field: `/${name}`, reason: 'is too long' });
      else form[name] = part.value;
    }
  } catch (error) {
    throw formFault(error);
  }
  if (file?.truncated) throw new AppError('PAYLOAD_TOO_LARGE', 'the file is larger than this server takes');
  if (file === null && !faults.some((f) => f.field === '/file')) {
    faults.push({ field: '/file', reason: 'is required' });
  }
  refuse(faults);
  for (const [name, value] of Object.entries(form)) form[name] = fieldValue(name, value);
  const { title, metadata, external_id, trusted, ...sharing } = checkedForm(form);
  refuse(metadataFaults(metadata));
  if (file === null) throw invalid({ field: '/file', reason: 'is required' });
  return {
    bytes: file.bytes,
    filename: file.filename,
    declaredType: file.mimetype === 'application/octet-stream' ? null : file.mimetype,
    title: title ?? null,
    metadata: metadata ?? null,
    sharing: sharingOf(sharing) ?? null,
    externalId: external_id ?? null,
    trusted: trusted ?? null,
    field: '/file',
  };
};

export const readUpload = (request: FastifyRequest, fetchDocument: FetchDocument): Promise<UploadInput> =>
  request.isMultipart() ? fromForm(request) : fromJson(request.body, fetchDocument);
