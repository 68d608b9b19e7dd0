/** Files of Microsoft's compound format ([MS-CFB]): what they are, by the names of the streams in them. */

export type CompoundType = 'doc' | 'xls' | 'ppt' | 'msg';

const MAGIC = [0xd0, 0xcf, 0x11, 0xe0];
const DIRECTORY_ENTRY = 128;
const NAME_BYTES = 64;

const STREAMS: readonly [name: string, type: CompoundType | 'encrypted'][] = [
  ['EncryptedPackage', 'encrypted'],
  ['__properties_version1.0', 'msg'],
  ['WordDocument', 'doc'],
  ['PowerPoint Document', 'ppt'],
  ['Workbook', 'xls'],
  ['Book', 'xls'],
];

export const isCompound = (bytes: Uint8Array): boolean => MAGIC.every((byte, i) => bytes[i] === byte);

/** Null for one of another kind. Entries of the directory lie at multiples of their own size, each with its name in UTF-16. */
export function compoundType(bytes: Uint8Array): CompoundType | 'encrypted' | null {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = (name: string): boolean => {
    const wanted = Buffer.from(`${name}\u0000`, 'utf16le');
    for (let at = raw.indexOf(wanted); at >= 0; at = raw.indexOf(wanted, at + 1)) {
      const length = at + NAME_BYTES + 2 <= raw.length ? raw.readUInt16LE(at + NAME_BYTES) : 0;
      if (at % DIRECTORY_ENTRY === 0 && length === wanted.length) return true;
    }
    return false;
  };
  const known = STREAMS.find(([name]) => found(name))?.[1];
  // One that is cut off may have lost its directory's place.
  return known ?? (raw.includes(Buffer.from('EncryptedPackage', 'utf16le')) ? 'encrypted' : null);
}
