import type { ParsedDocument, ParseFault } from '../../kernel/parser.ts';
import type { ParseHints } from './types.ts';

/** What the parser and its child process say to each other (structured clone, `serialization: 'advanced'`). */
export interface ToChild {
  bytes: Uint8Array;
  hints: ParseHints;
}

export type FromChild =
  /** Sent once, when the child can take work. */
  | { type: 'ready'; dataKib: number | null }
  | { type: 'parsed'; document: ParsedDocument }
  | { type: 'fault'; fault: ParseFault; message: string };
