import { crc32 } from 'node:zlib';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;

/** An archive of the given parts, stored without compression. */
export function writeZip(parts: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const chunks: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [name, data] of parts) {
    const nameBytes = new TextEncoder().encode(name);
    const common = new DataView(new ArrayBuffer(26));
    common.setUint16(0, 20, true);
    common.setUint16(2, 0x0800, true);
    common.setUint32(10, crc32(data), true);
    common.setUint32(14, data.byteLength, true);
    common.setUint32(18, data.byteLength, true);
    common.setUint16(22, nameBytes.byteLength, true);
    const fields = new Uint8Array(common.buffer);
    chunks.push(uint32(LOCAL), fields, nameBytes, data);
    directory.push(
      uint32(CENTRAL),
      fields.slice(0, 2),
      fields,
      new Uint8Array(10),
      uint32(offset),
      nameBytes,
    );
    offset += 30 + nameBytes.byteLength + data.byteLength;
  }
  const directoryBytes = directory.reduce((sum, part) => sum + part.byteLength, 0);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, END, true);
  end.setUint16(8, parts.size, true);
  end.setUint16(10, parts.size, true);
  end.setUint32(12, directoryBytes, true);
  end.setUint32(16, offset, true);
  return Buffer.concat([...chunks, ...directory, new Uint8Array(end.buffer)]);
}

function uint32(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, value, true);
  return new Uint8Array(view.buffer);
}
