import { ParseError, type ParseFault } from '../../kernel/parser.ts';

export const fail = (fault: ParseFault, message: string): never => {
  throw new ParseError(fault, message);
};

/** Bounds of one document, in the parsing process. */
export const LIMITS = {
  /** All inflated parts of an office file together. */
  unzippedBytes: 96 * 1024 * 1024,
  /** One inflated part, since its text and tree stand in memory several times. */
  partBytes: 64 * 1024 * 1024,
  /** Characters of text that come out. */
  textUnits: 16 * 1024 * 1024,
  /** Nesting of elements, JSON values and messages. */
  depth: 200,
  /** Open tags of HTML: beyond, building the tree itself takes quadratic time. */
  openTags: 1_000,
  /** Cells of one row of separated values; as many as a spreadsheet has columns. */
  columns: 16_384,
} as const;
