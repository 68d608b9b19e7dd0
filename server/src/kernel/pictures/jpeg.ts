import { orientationAlone, orientationOf } from './exif.ts';
import { broken, type CleanPicture, type Orientation, shownSize } from './size.ts';

/** JPEG (ITU-T T.81, annex B): segments of a marker, a length and data; behind each scan's head its coded data. */

const SOI = 0xd8;
const EOI = 0xd9;
const SOS = 0xda;
const APP0 = 0xe0;
const APP1 = 0xe1;
const APP14 = 0xee;
const EXIF = Buffer.from('Exif\0\0', 'latin1');

/** Tables, restart interval and the number of lines. */
const TABLES = new Set([0xc4, 0xcc, 0xdb, 0xdc, 0xdd]);

const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

const segment = (marker: number, data: Buffer): Buffer => {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
};

/** Where the coded data of a scan ends: at the first marker that is neither a stuffed byte nor a restart. */
const endOfScan = (file: Buffer, from: number): number => {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1];
    if (next === undefined) break;
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
  throw broken('it ends within its pixels');
};

/** JFIF's own head without its thumbnail; how Adobe's colours are meant. Null: nothing of the segment is kept. */
const keptOf = (marker: number, data: Buffer): Buffer | null => {
  if (TABLES.has(marker) || isFrame(marker)) return segment(marker, data);
  if (marker === APP0 && data.length >= 14 && data.toString('latin1', 0, 5) === 'JFIF\0')
    return segment(marker, Buffer.concat([data.subarray(0, 12), Buffer.from([0, 0])]));
  if (marker === APP14 && data.length >= 12 && data.toString('latin1', 0, 5) === 'Adobe')
    return segment(marker, data.subarray(0, 12));
  return null;
};

/** Phones write previews and videos behind the end: what stands there is left out. */
export const cleanJpeg = (file: Buffer, checkSize: (width: number, height: number) => void): CleanPicture => {
  const parts: Buffer[] = [];
  let size: { width: number; height: number } | null = null;
  let orientation: Orientation = 1;
  let scans = 0;
  for (let at = 2; ; ) {
    while (file[at] === 0xff && file[at + 1] === 0xff) at += 1;
    const marker = file[at + 1];
    if (file[at] !== 0xff || marker === undefined) throw broken('a segment does not begin where it should');
    if (marker === EOI) break;
    if (marker === 0 || marker === SOI || at + 4 > file.length)
      throw broken('a segment has no kind that there is');
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end < at + 4 || end > file.length) throw broken('a segment is longer than the file');
    const data = file.subarray(at + 4, end);
    if (isFrame(marker)) {
      if (data.length < 6) throw broken('its header is too short');
      if (size !== null) throw broken('it has two headers');
      size = { width: data.readUInt16BE(3), height: data.readUInt16BE(1) };
      checkSize(size.width, size.height);
    }
    if (marker === APP1 && data.subarray(0, EXIF.length).equals(EXIF))
      orientation = orientationOf(data.subarray(EXIF.length));
    if (marker === SOS) {
      if (size === null) throw broken('its pixels come before its header');
      const stop = endOfScan(file, end);
      parts.push(file.subarray(at, stop));
      scans += 1;
      at = stop;
      continue;
    }
    const kept = keptOf(marker, data);
    if (kept !== null) parts.push(kept);
    at = end;
  }
  if (size === null || scans === 0) throw broken('it has no pixels');
  const turned =
    orientation === 1 ? [] : [segment(APP1, Buffer.concat([EXIF, orientationAlone(orientation)]))];
  const jfif = parts[0]?.[1] === APP0 ? parts.splice(0, 1) : [];
  const bytes = Buffer.concat([
    Buffer.from([0xff, SOI]),
    ...jfif,
    ...turned,
    ...parts,
    Buffer.from([0xff, EOI]),
  ]);
  return { ...shownSize(size.width, size.height, orientation), bytes };
};
