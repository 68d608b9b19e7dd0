import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** Archives of the same bytes for the same files: fixed times, the order given, no owners. */

export type Files = ReadonlyMap<string, Buffer>;

/** 1 January 1980, the first day that a zip can name. */
const DOS_DATE = 0x21;
const UTF8_NAMES = 0x800;
const DEFLATED = 8;
/** Made on Unix, version 2.0: external attributes hold the mode of the file. */
const MADE_BY = 0x314;
const VERSION = 20;
const MODE = 0o100644 * 0x1_0000;

/** What the local and the central header of an entry have in common (APPNOTE.TXT, 4.3.7 and 4.3.12). */
const entryFields = (name: Buffer, data: Buffer, packed: Buffer): Buffer => {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(VERSION, 0);
  fields.writeUInt16LE(UTF8_NAMES, 2);
  fields.writeUInt16LE(DEFLATED, 4);
  fields.writeUInt16LE(DOS_DATE, 8);
  fields.writeUInt32LE(crc32(data), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(data.length, 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
};

const centralHeader = (fields: Buffer, name: Buffer, at: number): Buffer => {
  const head = Buffer.alloc(6);
  head.write('PK\u0001\u0002', 'latin1');
  head.writeUInt16LE(MADE_BY, 4);
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(MODE, 6);
  tail.writeUInt32LE(at, 10);
  return Buffer.concat([head, fields, tail, name]);
};

/** A zip of small files; none needs the 64-bit form. */
export const zipOf = (files: Files): Buffer => {
  const parts: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  for (const [path, data] of files) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(data, { level: 9 });
    const fields = entryFields(name, data, packed);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), fields, name, packed]);
    central.push(centralHeader(fields, name, at));
    parts.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, directory, end]);
};

const BLOCK = 512;
/** The time that npm gives every file of a package. */
const NPM_TIME_S = 499_162_500;

const tarHeader = (name: string, size: number): Buffer => {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is too long a name for a tar`);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(size, 12), 124);
  header.write(octal(NPM_TIME_S, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
};

/** A gzipped tar (POSIX ustar). */
export const tarballOf = (files: Files): Buffer => {
  const parts = [...files].flatMap(([name, data]) => [
    tarHeader(name, data.length),
    data,
    Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK),
  ]);
  const packed = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  // The system that it was made on: of no meaning here, and not the same everywhere.
  packed[9] = 255;
  return packed;
};
