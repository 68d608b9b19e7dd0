import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A small S3-compatible store for tests: one bucket in memory, pages of two objects, and it can be away. It takes requests that
 * are signed (SigV4) by its own access key alone; the signature itself is the client library's affair.
 */
export interface TestObjectStore {
  readonly url: string;
  /** Settings of a server that keeps its documents here. */
  readonly env: Record<string, string>;
  /** Bytes by name. */
  readonly objects: Map<string, Buffer>;
  /** Puts an empty object there, as a crash leaves a mark. */
  stage(name: string): void;
  /** While it is away every request is answered with 503. */
  away(is: boolean): void;
  close(): Promise<void>;
}

export const BUCKET = 'documents';
const ACCESS_KEY = 'test-access-key';
const PAGE = 2;

const xml = (name: string, inner: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${name}>`;
const fault = (code: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;

export const startObjectStore = async (): Promise<TestObjectStore> => {
  const objects = new Map<string, Buffer>();
  const times = new Map<string, Date>();
  let away = false;

  const list = (query: URLSearchParams): string => {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const names = [...objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const page = names.slice(0, PAGE);
    const more = names.length > PAGE;
    const contents = page.map(
      (name) =>
        `<Contents><Key>${name}</Key><LastModified>${times.get(name)?.toISOString()}</LastModified><Size>${objects.get(name)?.byteLength}</Size></Contents>`,
    );
    const token = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    return xml(
      'ListBucketResult',
      `<Name>${BUCKET}</Name><Prefix>${prefix}</Prefix><KeyCount>${page.length}</KeyCount><IsTruncated>${more}</IsTruncated>${token}${contents.join('')}`,
    );
  };

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const answer = (status: number, body: string | Buffer = ''): void => {
        const head = request.method === 'HEAD';
        response.writeHead(status, {
          'content-length': Buffer.byteLength(body),
          'content-type': typeof body === 'string' ? 'application/xml' : 'application/octet-stream',
        });
        response.end(head ? undefined : body);
      };
      if (away) return answer(503, fault('ServiceUnavailable'));
      const { authorization } = request.headers;
      const signed = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/`;
      if (authorization?.startsWith(signed) !== true) return answer(403, fault('AccessDenied'));
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://store');
      const [, bucket = '', ...rest] = decodeURIComponent(pathname).split('/');
      const name = rest.join('/');
      if (bucket !== BUCKET) return answer(404, fault('NoSuchBucket'));
      if (name === '') return answer(200, request.method === 'GET' ? list(searchParams) : '');
      if (request.method === 'PUT') {
        objects.set(name, Buffer.concat(parts));
        times.set(name, new Date());
        return answer(200);
      }
      if (request.method === 'DELETE') {
        objects.delete(name);
        return answer(204);
      }
      const bytes = objects.get(name);
      return bytes === undefined ? answer(404, fault('NoSuchKey')) : answer(200, bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    env: {
      S3_BUCKET: BUCKET,
      S3_PREFIX: 'house/',
      S3_ENDPOINT: url,
      S3_ACCESS_KEY_ID: ACCESS_KEY,
      S3_SECRET_ACCESS_KEY: 'test-secret-of-the-store',
    },
    objects,
    stage: (name) => {
      objects.set(name, Buffer.alloc(0));
      times.set(name, new Date());
    },
    away: (is) => {
      away = is;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
