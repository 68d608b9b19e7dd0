import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createFetcher,
  NoSpace,
  type Progress,
  type PullOptions,
  pull,
  pulledModels,
  removeModel,
  sourceOf,
  WrongFile,
} from './index.ts';

/** Pulls from a server on this machine that can cut, change, redirect and lie. */

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const blobId = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/** What begins like a model and is large enough to be cut: what a client has in its hand when the connection ends is lost. */
const modelBytes = (fill: number): Buffer => {
  const bytes = Buffer.alloc(4_000_000, fill);
  bytes.write('GGUF');
  bytes.writeUInt32LE(3, 4);
  bytes.fill(0, 8, 24);
  return bytes;
};

interface Served {
  content: Buffer;
  etag: string | null;
  ranges: boolean;
  /** Bytes after which the next answers are cut off, one each. */
  cuts: number[];
}

let folder: string;
let server: Server;
let base: string;
const files = new Map<string, Served>();
const redirects = new Map<string, string>();
const pages = new Map<string, string>();
const seen: { url: string; range: string | undefined; ifRange: string | undefined }[] = [];

const serve = (request: IncomingMessage, response: ServerResponse): void => {
  const url = request.url ?? '';
  seen.push({
    url,
    range: request.headers.range,
    ifRange: request.headers['if-range'] as string | undefined,
  });
  const to = redirects.get(url);
  if (to !== undefined) return void response.writeHead(302, { location: to }).end();
  const page = pages.get(url);
  if (page !== undefined) return void response.end(page);
  const file = files.get(url);
  if (file === undefined) return void response.writeHead(404).end();
  const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const same = request.headers['if-range'] === undefined || request.headers['if-range'] === file.etag;
  const partly = file.ranges && from > 0 && same;
  const body = partly ? file.content.subarray(from) : file.content;
  response.writeHead(partly ? 206 : 200, {
    'content-length': body.length,
    ...(file.etag === null ? {} : { etag: file.etag }),
    ...(partly ? { 'content-range': `bytes ${from}-${file.content.length - 1}/${file.content.length}` } : {}),
  });
  const cut = file.cuts.shift();
  if (cut === undefined) return void response.end(body);
  response.write(body.subarray(0, cut), () => request.socket.end());
};

const offer = (url: string, content: Buffer, more: Partial<Served> = {}): Served => {
  const file = { content, etag: '"one"', ranges: true, cuts: [], ...more };
  files.set(url, file);
  return file;
};

const listing = (repo: string, rows: readonly unknown[], more: object = {}): void => {
  pages.set(
    `/api/models/${repo}?blobs=true`,
    JSON.stringify({ sha: 'a'.repeat(40), cardData: { license: 'mit' }, siblings: rows, ...more }),
  );
};

const lfs = (name: string, content: Buffer, sum = sha256(content)): unknown => ({
  rfilename: name,
  size: content.length,
  blobId: 'b'.repeat(40),
  lfs: { sha256: sum, size: content.length, pointerSize: 134 },
});

const fetchers: { close(): Promise<void> }[] = [];
const options = (more: Partial<PullOptions> = {}, proxy?: string): PullOptions => {
  const fetcher = createFetcher({ http: proxy, https: undefined, none: undefined });
  fetchers.push(fetcher);
  return {
    folder,
    hub: new URL(base),
    fetcher,
    name: null,
    again: false,
    now: () => 0,
    sleep: () => Promise.resolve(),
    onProgress: () => {},
    ...more,
  };
};

const content = (name: string): Buffer => readFileSync(path.join(folder, name, 'model.gguf'));

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-pull-'));
  server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  for (const fetcher of fetchers.splice(0)) await fetcher.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
  for (const map of [files, redirects, pages]) map.clear();
  seen.length = 0;
});

describe('what can be named', () => {
  it('is a model of the list, a file at the hub or an address, and nothing that leads elsewhere', () => {
    expect(sourceOf('qwen3-4b')).toMatchObject({ from: 'catalogue' });
    expect(sourceOf('hf:a/b/c.gguf')).toEqual({ from: 'hub', repo: 'a/b', file: 'c.gguf' });
    expect(sourceOf('https://x.example/m.gguf?signature=1')).toMatchObject({ from: 'address' });
    for (const wrong of [
      'no-such-model',
      'hf:a',
      'hf:a/b/c.bin',
      'hf:a/../c.gguf',
      'hf:a/b/../c.gguf',
      'http://x.example/m.gguf',
      'https://me:secret@x.example/m.gguf',
      'https://x.example/m.zip',
      'file:///etc/m.gguf',
    ])
      expect(() => sourceOf(wrong), wrong).toThrow();
  });
});

describe('a pull', () => {
  it('takes a file of the hub at its commit, compares its checksum, and tells bytes', async () => {
    const bytes = modelBytes(1);
    listing('a/b', [lfs('m.gguf', bytes)]);
    offer(`/a/b/resolve/${'a'.repeat(40)}/m.gguf`, bytes);
    const told: Progress[] = [];
    const { model } = await pull(sourceOf('hf:a/b/m.gguf'), options({ onProgress: (one) => told.push(one) }));
    expect(model).toMatchObject({ name: 'm', kind: 'gguf', licence: 'mit', checked: 'hub' });
    expect(content('m').equals(bytes)).toBe(true);
    expect(told.at(-1)).toEqual({ name: 'model.gguf', doneBytes: bytes.length, totalBytes: bytes.length });
    expect(pulledModels(folder)).toEqual([model]);
    expect((await pull(sourceOf('hf:a/b/m.gguf'), options())).already).toBe(true);
    expect(await removeModel(folder, 'm')).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes an embedding model with its tokenizer; small files are compared by the hash of Git', async () => {
    const onnx = Buffer.from('weights');
    const small = new Map(
      ['tokenizer.json', 'tokenizer_config.json', 'config.json'].map((name) => [
        name,
        Buffer.from(`{"${name}":1}`),
      ]),
    );
    const rows = [...small].map(([rfilename, bytes]) => ({
      rfilename,
      size: bytes.length,
      blobId: blobId(bytes),
    }));
    listing('a/e', [...rows, lfs('onnx/model_quantized.onnx', onnx)]);
    const at = `/a/e/resolve/${'a'.repeat(40)}`;
    for (const [name, bytes] of small) offer(`${at}/${name}`, bytes);
    offer(`${at}/onnx/model_quantized.onnx`, onnx);
    const { model } = await pull(sourceOf('hf:a/e'), options());
    expect(model).toMatchObject({ name: 'e', kind: 'onnx', checked: 'hub' });
    expect(model.files.map(({ name }) => name)).toEqual([...small.keys(), 'model.onnx']);
    await removeModel(folder, 'e');
    offer(`${at}/config.json`, Buffer.from('{"config.json":2}'));
    await expect(pull(sourceOf('hf:a/e'), options())).rejects.toThrow(WrongFile);
    listing('a/e', rows.slice(1));
    await expect(pull(sourceOf('hf:a/e'), options())).rejects.toThrow('has none of');
  });

  it('goes on where it was cut off, in the same run and in a later one', async () => {
    const bytes = modelBytes(2);
    const file = offer('/m.gguf', bytes, { cuts: [1_000_000, 1_000_000] });
    await pull(sourceOf(`${base}/m.gguf`), options());
    expect(content('m').equals(bytes)).toBe(true);
    expect(seen.length).toBe(3);
    expect(Number(seen[2]?.range?.slice('bytes='.length, -1))).toBeGreaterThan(1_000_000);
    expect(seen[2]?.ifRange).toBe('"one"');

    seen.length = 0;
    file.cuts = [2_000_000, 0, 0, 0, 0];
    const cut = options({ name: 'later' });
    await expect(pull(sourceOf(`${base}/m.gguf`), cut)).rejects.toThrow();
    expect(existsSync(path.join(folder, 'later'))).toBe(false);
    await pull(sourceOf(`${base}/m.gguf`), options({ name: 'later' }));
    expect(content('later').equals(bytes)).toBe(true);
    expect(seen.at(-1)?.range).toBeDefined();
  });

  it('begins anew where the server knows no ranges, or has another file by now', async () => {
    const bytes = modelBytes(3);
    const file = offer('/m.gguf', bytes, { ranges: false, cuts: [1_000_000] });
    await pull(sourceOf(`${base}/m.gguf`), options());
    expect(content('m').equals(bytes)).toBe(true);

    await removeModel(folder, 'm');
    const newer = modelBytes(4);
    file.ranges = true;
    file.cuts = [1_000_000, 0, 0, 0, 0];
    await expect(pull(sourceOf(`${base}/m.gguf`), options())).rejects.toThrow();
    offer('/m.gguf', newer, { etag: '"two"' });
    const { model } = await pull(sourceOf(`${base}/m.gguf`), options());
    expect(content('m').equals(newer)).toBe(true);
    expect(model.files[0]?.sha256).toBe(sha256(newer));
  });

  it('deletes what has the wrong checksum or length, and what is no model', async () => {
    const bytes = modelBytes(5);
    listing('a/b', [lfs('m.gguf', bytes, 'c'.repeat(64))]);
    offer(`/a/b/resolve/${'a'.repeat(40)}/m.gguf`, bytes);
    await expect(pull(sourceOf('hf:a/b/m.gguf'), options())).rejects.toThrow(/has the checksum .* deleted/);
    listing('a/b', [lfs('m.gguf', bytes.subarray(1))]);
    await expect(pull(sourceOf('hf:a/b/m.gguf'), options())).rejects.toThrow('bytes and should have');
    offer('/page.gguf', Buffer.from('<!doctype html><title>Sign in to go on</title>'));
    await expect(pull(sourceOf(`${base}/page.gguf`), options())).rejects.toThrow('no GGUF file');
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([]);
    const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(left.filter((name) => name.endsWith('.gguf'))).toEqual([]);
  });

  it('keeps the checksum of an address and refuses other bytes at a later time', async () => {
    const bytes = modelBytes(6);
    offer('/m.gguf', bytes);
    const { model } = await pull(sourceOf(`${base}/m.gguf?signature=abc`), options()).catch(() => ({
      model: null,
    }));
    expect(model).toBeNull();
    offer('/m.gguf?signature=abc', bytes);
    const first = await pull(sourceOf(`${base}/m.gguf?signature=abc`), options());
    expect(first.model).toMatchObject({ checked: 'first use', source: `${base}/m.gguf` });
    expect(readFileSync(path.join(folder, 'm', 'pulled.json'), 'utf8')).not.toContain('signature');
    offer('/m.gguf', modelBytes(7));
    const again = pull(sourceOf(`${base}/m.gguf`), options({ again: true }));
    await expect(again).rejects.toThrow(/was [0-9a-f]{64} and is [0-9a-f]{64} now/);
    expect(content('m').equals(bytes)).toBe(true);
  });

  it('follows redirects on this machine, and none to an address without TLS', async () => {
    const bytes = modelBytes(8);
    offer('/there.gguf', bytes);
    redirects.set('/m.gguf', '/there.gguf');
    redirects.set('/away.gguf', 'http://models.example.com/m.gguf');
    redirects.set('/round.gguf', '/round.gguf');
    await pull(sourceOf(`${base}/m.gguf`), options());
    expect(content('m').equals(bytes)).toBe(true);
    await expect(pull(sourceOf(`${base}/away.gguf`), options())).rejects.toThrow('is not safe');
    await expect(pull(sourceOf(`${base}/round.gguf`), options())).rejects.toThrow('too often');
  });

  it('looks at the disk before it writes', async () => {
    offer('/m.gguf', modelBytes(9));
    const full = options({ freeBytes: () => Promise.resolve(1_000_000) });
    await expect(pull(sourceOf(`${base}/m.gguf`), full)).rejects.toThrow(NoSpace);
    expect(existsSync(path.join(folder, 'm'))).toBe(false);
  });

  it('says what a server refuses, without trying again', async () => {
    await expect(pull(sourceOf(`${base}/none.gguf`), options())).rejects.toThrow('there is nothing at');
    expect(seen).toHaveLength(1);
    listing('a/b', [], { gated: 'manual' });
    await expect(pull(sourceOf('hf:a/b/m.gguf'), options())).rejects.toThrow('accepted its conditions');
    await expect(pull(sourceOf('hf:a/none/m.gguf'), options())).rejects.toThrow('there is nothing at');
  });

  it('goes through the proxy of the environment', async () => {
    const bytes = modelBytes(10);
    offer('/m.gguf', bytes);
    const asked: string[] = [];
    const proxy = createServer((request, response) => {
      // A plain request in its absolute form.
      asked.push(request.url ?? '');
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    });
    proxy.on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      const { port } = server.address() as AddressInfo;
      const through = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        through.pipe(socket).pipe(through);
      });
      for (const end of [through, socket]) end.on('error', () => {});
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      await pull(sourceOf(`${base}/m.gguf`), options({}, address));
      expect(asked).toHaveLength(1);
      expect(content('m').equals(bytes)).toBe(true);
      const direct = createFetcher({ http: address, https: undefined, none: '127.0.0.1' });
      fetchers.push(direct);
      await pull(sourceOf(`${base}/m.gguf`), options({ name: 'direct', fetcher: direct }));
      expect(asked).toHaveLength(1);
    } finally {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    }
  });
});
