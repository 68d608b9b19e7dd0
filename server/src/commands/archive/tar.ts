import type { Readable } from 'node:stream';

/**
 * Tape archives in the ustar form (POSIX.1-1988), written and read as streams: what any `tar` lists and unpacks. Only
 * plain files; names have up to 100 bytes behind a folder of up to 155.
 */
const BLOCK = 512;

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;

/** Throws for names that the form has no room for. */
export const tarHeader = (name: string, sizeBytes: number, mtimeMs: number): Buffer => {
  let prefix = '';
  let rest = name;
  if (Buffer.byteLength(name) > 100) {
    const cut = name.lastIndexOf('/');
    prefix = name.slice(0, Math.max(0, cut));
    rest = name.slice(cut + 1);
  }
  if (Buffer.byteLength(rest) > 100 || Buffer.byteLength(prefix) > 155 || sizeBytes >= 8 ** 11) {
    throw new Error(`the archive has no room for a file of this name or size: ${name}`);
  }
  const block = Buffer.alloc(BLOCK);
  block.write(rest, 0);
  block.write(octal(0o600, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(sizeBytes, 12), 124);
  block.write(octal(Math.floor(mtimeMs / 1000), 12), 136);
  block.write('        0', 148);
  block.write('ustar\x0000', 257);
  block.write(prefix, 345);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
};

export const tarPadding = (sizeBytes: number): Buffer => Buffer.alloc((BLOCK - (sizeBytes % BLOCK)) % BLOCK);

/** Two empty blocks. */
export const TAR_END = Buffer.alloc(2 * BLOCK);

export interface TarEntry {
  name: string;
  sizeBytes: number;
  /** The parts of the file, once; what is not read of it is skipped. */
  parts(): AsyncGenerator<Buffer>;
}

const field = (block: Buffer, from: number, length: number): string => {
  const bytes = block.subarray(from, from + length);
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? length : end);
};

const readHeader = (block: Buffer): { name: string; sizeBytes: number } => {
  let sum = 0;
  for (const [i, byte] of block.entries()) sum += i >= 148 && i < 156 ? 32 : byte;
  if (Number.parseInt(field(block, 148, 8), 8) !== sum)
    throw new Error('the archive is damaged: a header does not add up');
  const prefix = field(block, 345, 155);
  const rest = field(block, 0, 100);
  const name = prefix === '' ? rest : `${prefix}/${rest}`;
  const kind = field(block, 156, 1);
  if (kind !== '' && kind !== '0') throw new Error(`the archive holds more than plain files: ${name}`);
  const sizeBytes = Number.parseInt(field(block, 124, 12), 8);
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
    throw new Error(`the archive is damaged: ${name} has no size`);
  return { name, sizeBytes };
};

/** Files in order. Throws when the end is missing: a cut archive is not a shorter one. */
export async function* readTar(stream: Readable): AsyncGenerator<TarEntry> {
  const source = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  const more = async (): Promise<boolean> => {
    const next: IteratorResult<unknown> = await source.next();
    if (next.done === true || !Buffer.isBuffer(next.value)) return false;
    held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    return true;
  };
  const take = async (count: number): Promise<Buffer> => {
    while (held.length < count) if (!(await more())) throw new Error('the archive is cut off');
    const bytes = held.subarray(0, count);
    held = held.subarray(count);
    return bytes;
  };
  for (;;) {
    const block = await take(BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const { name, sizeBytes } = readHeader(block);
    let left = sizeBytes;
    async function* parts(): AsyncGenerator<Buffer> {
      while (left > 0) {
        if (held.length === 0 && !(await more())) throw new Error('the archive is cut off');
        const bytes = held.subarray(0, Math.min(left, held.length));
        held = held.subarray(bytes.length);
        left -= bytes.length;
        yield bytes;
      }
    }
    yield { name, sizeBytes, parts };
    // What the reader left of it.
    for await (const _ of parts());
    await take((BLOCK - (sizeBytes % BLOCK)) % BLOCK);
  }
  // To the end, so that the layers below check theirs.
  held = Buffer.alloc(0);
  while (await more()) held = Buffer.alloc(0);
}

/** The bytes of a file that is held in memory whole; throws when it has more than `maxBytes`. */
export const bytesOf = async (entry: TarEntry, maxBytes = 2 ** 31): Promise<Buffer> => {
  if (entry.sizeBytes > maxBytes) throw new Error(`${entry.name} in the archive is too large`);
  const all: Buffer[] = [];
  for await (const part of entry.parts()) all.push(part);
  return Buffer.concat(all);
};

/** Far above any row: the text of the largest document that can be uploaded, as JSON. */
const MAX_LINE_BYTES = 512 * 1024 * 1024;

/** Lines of text files, without the line ends. */
export async function* linesOf(entry: TarEntry): AsyncGenerator<string> {
  // In pieces, so that a long line is put together once.
  let held: Buffer[] = [];
  let heldBytes = 0;
  for await (const part of entry.parts()) {
    let bytes = part;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10)) {
      held.push(bytes.subarray(0, end));
      yield (held.length === 1 ? bytes.subarray(0, end) : Buffer.concat(held)).toString('utf8');
      held = [];
      heldBytes = 0;
      bytes = bytes.subarray(end + 1);
    }
    if (bytes.length === 0) continue;
    heldBytes += bytes.length;
    if (heldBytes > MAX_LINE_BYTES) throw new Error(`${entry.name} in the archive has too long a line`);
    held.push(bytes);
  }
  if (held.length > 0) throw new Error(`${entry.name} in the archive ends within a line`);
}
