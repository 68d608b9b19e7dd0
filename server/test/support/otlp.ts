import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

/**
 * A collector for tests: takes OTLP traces by HTTP in protobuf and keeps their spans. It reads the fields of
 * opentelemetry/proto/trace/v1/trace.proto that tests ask for, by hand, so that the exporter is held to the wire and not to itself.
 */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentId: string | null;
  name: string;
  kind: number;
  attributes: Record<string, unknown>;
  /** Trace and span of what it follows from. */
  links: { traceId: string; spanId: string }[];
  /** 2 is an error. */
  status: number;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  readonly resources: readonly Record<string, unknown>[];
  readonly requests: readonly { path: string; type: string | undefined; authorization: string | undefined }[];
  close(): Promise<void>;
}

type Field = { no: number; bytes: Buffer; int: bigint };

const varint = (buffer: Buffer, from: number): [value: bigint, next: number] => {
  let value = 0n;
  for (let i = 0; ; i++) {
    const byte = buffer[from + i] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt(7 * i);
    if (byte < 0x80) return [value, from + i + 1];
  }
};

const EMPTY = Buffer.alloc(0);

const fieldsOf = (buffer: Buffer): Field[] => {
  const fields: Field[] = [];
  for (let at = 0; at < buffer.length; ) {
    const [tag, next] = varint(buffer, at);
    const no = Number(tag >> 3n);
    at = next;
    switch (Number(tag & 7n)) {
      case 0: {
        const [int, end] = varint(buffer, at);
        fields.push({ no, bytes: EMPTY, int });
        at = end;
        break;
      }
      case 1:
        fields.push({ no, bytes: buffer.subarray(at, at + 8), int: buffer.readBigUInt64LE(at) });
        at += 8;
        break;
      case 5:
        fields.push({ no, bytes: buffer.subarray(at, at + 4), int: BigInt(buffer.readUInt32LE(at)) });
        at += 4;
        break;
      default: {
        const [length, from] = varint(buffer, at);
        at = from + Number(length);
        fields.push({ no, bytes: buffer.subarray(from, at), int: 0n });
      }
    }
  }
  return fields;
};

const all = (fields: readonly Field[], no: number): Buffer[] =>
  fields.filter((field) => field.no === no).map((field) => field.bytes);
const one = (fields: readonly Field[], no: number): Buffer => all(fields, no)[0] ?? EMPTY;

const decoded = (buffer: Buffer): unknown => {
  const [field] = fieldsOf(buffer);
  switch (field?.no) {
    case 1:
      return field.bytes.toString();
    case 2:
      return field.int === 1n;
    case 3:
      return Number(BigInt.asIntN(64, field.int));
    case 4:
      return field.bytes.readDoubleLE();
    case 5:
      return all(fieldsOf(field.bytes), 1).map(decoded);
    default:
      return null;
  }
};

const attributesOf = (fields: readonly Field[], no: number): Record<string, unknown> =>
  Object.fromEntries(
    all(fields, no).map((pair) => {
      const parts = fieldsOf(pair);
      return [one(parts, 1).toString(), decoded(one(parts, 2))];
    }),
  );

const spanOf = (buffer: Buffer): ReceivedSpan => {
  const fields = fieldsOf(buffer);
  const parent = one(fields, 4).toString('hex');
  const status = fieldsOf(one(fields, 15)).find((field) => field.no === 3);
  return {
    traceId: one(fields, 1).toString('hex'),
    spanId: one(fields, 2).toString('hex'),
    parentId: parent === '' ? null : parent,
    name: one(fields, 5).toString(),
    kind: Number(fields.find((field) => field.no === 6)?.int ?? 0n),
    attributes: attributesOf(fields, 9),
    links: all(fields, 13).map((link) => {
      const parts = fieldsOf(link);
      return { traceId: one(parts, 1).toString('hex'), spanId: one(parts, 2).toString('hex') };
    }),
    status: Number(status?.int ?? 0n),
  };
};

export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const spans: ReceivedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const requests: { path: string; type: string | undefined; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers } = request;
      requests.push({
        path: request.url ?? '',
        type: headers['content-type'],
        authorization: headers.authorization,
      });
      const body = Buffer.concat(chunks);
      const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      for (const group of all(fieldsOf(plain), 1)) {
        const parts = fieldsOf(group);
        resources.push(attributesOf(fieldsOf(one(parts, 1)), 1));
        for (const scope of all(parts, 2)) spans.push(...all(fieldsOf(scope), 2).map(spanOf));
      }
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    resources,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};

/** The spans of a trace as lines, each below the one that it is part of. */
export const treeOf = (spans: readonly ReceivedSpan[], traceId: string): string[] => {
  const own = spans.filter((span) => span.traceId === traceId);
  const known = new Set(own.map((span) => span.spanId));
  const below = (parent: string | null, depth: number): string[] =>
    own
      .filter((span) =>
        parent === null ? span.parentId === null || !known.has(span.parentId) : span.parentId === parent,
      )
      .flatMap((span) => [`${'  '.repeat(depth)}${span.name}`, ...below(span.spanId, depth + 1)]);
  return below(null, 0);
};
