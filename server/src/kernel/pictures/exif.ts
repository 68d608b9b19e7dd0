import type { Orientation } from './size.ts';

/** The one field of EXIF data that is kept: how the picture has to be turned. */

const ORIENTATION = 0x0112;
const SHORT = 3;
const MAX_FIELDS = 512;

/** Of TIFF data; 1 where it says nothing that can be read. */
export const orientationOf = (tiff: Buffer): Orientation => {
  if (tiff.length < 14) return 1;
  const order = tiff.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return 1;
  const little = order === 'II';
  const short = (at: number): number => (little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const long = (at: number): number => (little ? tiff.readUInt32LE(at) : tiff.readUInt32BE(at));
  if (short(2) !== 42) return 1;
  const directory = long(4);
  if (directory + 2 > tiff.length) return 1;
  const fields = Math.min(short(directory), MAX_FIELDS);
  for (let i = 0; i < fields; i++) {
    const at = directory + 2 + i * 12;
    if (at + 12 > tiff.length) return 1;
    if (short(at) !== ORIENTATION) continue;
    const value = short(at + 2) === SHORT ? short(at + 8) : 1;
    return value >= 1 && value <= 8 ? (value as Orientation) : 1;
  }
  return 1;
};

/** TIFF data that says nothing else. */
export const orientationAlone = (orientation: Orientation): Buffer => {
  const tiff = Buffer.alloc(26);
  tiff.write('MM', 0, 'latin1');
  tiff.writeUInt16BE(42, 2);
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(ORIENTATION, 10);
  tiff.writeUInt16BE(SHORT, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return tiff;
};
