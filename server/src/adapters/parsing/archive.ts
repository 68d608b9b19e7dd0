import type { OpenArchive } from '../../kernel/parser.ts';
import { openZip } from './zip.ts';

/** Zip archives in this process: for those that hold data and not documents. Throws `ParseError`. */
export const createArchiveReader =
  (maxUnzippedBytes: number): OpenArchive =>
  (bytes) =>
    openZip(bytes, { partBytes: maxUnzippedBytes, unzippedBytes: maxUnzippedBytes });
