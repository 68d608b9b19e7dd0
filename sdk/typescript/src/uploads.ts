import type { Document } from './generated/models.ts';
import type { CallOptions, Http, RawBody } from './http.ts';

/** Upload of a file as multipart/form-data (RFC 7578), with progress. */

export interface UploadOptions extends CallOptions {
  filename?: string;
  title?: string;
  metadata?: Readonly<Record<string, unknown>>;
  visibility?: 'private' | 'tenant' | 'role';
  /** Who may read it with the visibility role. */
  roles?: readonly string[];
  /** Name in its source: the same again replaces the content, as a new version. */
  externalId?: string;
  /** Told as bytes leave; `sentBytes` ends at `totalBytes`, and starts again when the upload is tried again. */
  onProgress?: (progress: { sentBytes: number; totalBytes: number }) => void;
}

/** As browsers write it (WHATWG HTML, multipart/form-data encoding). */
const quoted = (text: string): string =>
  text.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');

export interface Multipart {
  readonly contentType: string;
  readonly blob: Blob;
}

/** The fields, then the file: a server that reads in order knows the fields when the file comes. */
export const multipartOf = (
  file: Blob,
  filename: string,
  fields: Readonly<Record<string, string>>,
  boundary: string,
): Multipart => {
  const parts: (Blob | string)[] = [];
  for (const [name, value] of Object.entries(fields)) {
    parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`);
  }
  const type = file.type === '' ? 'application/octet-stream' : file.type;
  parts.push(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted(filename)}"\r\n` +
      `Content-Type: ${type}\r\n\r\n`,
    file,
    `\r\n--${boundary}--\r\n`,
  );
  return { contentType: `multipart/form-data; boundary=${boundary}`, blob: new Blob(parts) };
};

/** Small enough for a smooth bar: a text comes out of a Blob in one piece. */
const PIECE_BYTES = 65_536;

const counted = (blob: Blob, tell: (sentBytes: number) => void): ReadableStream<Uint8Array> => {
  let sentBytes = 0;
  return blob.stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        for (let at = 0; at < chunk.byteLength; at += PIECE_BYTES) {
          const piece = chunk.subarray(at, at + PIECE_BYTES);
          sentBytes += piece.byteLength;
          controller.enqueue(piece);
          tell(sentBytes);
        }
      },
    }),
  );
};

/** Browsers send a streamed body over HTTP/2 only and not all of them do: there the file goes as a whole (upload-transport.ts). */
const canStream = (): boolean => !('document' in globalThis || 'WorkerGlobalScope' in globalThis);

/** @throws ValidationError with the reason for a broken, encrypted or empty file. */
export const uploadDocument = (
  http: Http,
  file: Blob | Uint8Array<ArrayBuffer> | string,
  options: UploadOptions = {},
): Promise<Document> => {
  const { filename, title, metadata, visibility, roles, externalId, onProgress, ...call } = options;
  const blob = file instanceof Blob ? file : new Blob([file]);
  const name = filename ?? ('name' in blob && typeof blob.name === 'string' ? blob.name : 'document');
  const fields: Record<string, string> = {};
  if (title !== undefined) fields.title = title;
  if (metadata !== undefined) fields.metadata = JSON.stringify(metadata);
  if (visibility !== undefined) fields.visibility = visibility;
  if (roles !== undefined) fields.roles = roles.join(',');
  if (externalId !== undefined) fields.external_id = externalId;
  const whole = multipartOf(blob, name, fields, `pentarch-${crypto.randomUUID()}`);
  const totalBytes = whole.blob.size;
  const tell = (sentBytes: number): void => onProgress?.({ sentBytes, totalBytes });
  const body = (): RawBody => {
    if (onProgress === undefined) return whole.blob;
    tell(0);
    return canStream() ? counted(whole.blob, tell) : whole.blob;
  };
  return http
    .json<Document>(
      {
        method: 'POST',
        path: '/api/v1/knowledge/documents',
        raw: { contentType: whole.contentType, body, ...(onProgress && !canStream() && { onSent: tell }) },
        slow: true,
      },
      call,
    )
    .then((document) => {
      if (onProgress !== undefined && !canStream()) tell(totalBytes);
      return document;
    });
};
