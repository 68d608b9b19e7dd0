import type { ParsedDocument, ParseFault } from '../../kernel/parser.ts';
import type { OcrSettings } from './ocr-engine.ts';
import type { PdfRun } from './pdf-run.ts';
import type { ParseHints } from './types.ts';

/** What the parser and its child process say to each other (structured clone, `serialization: 'advanced'`). */
export type ToChild =
  | {
      kind: 'parse';
      bytes: Uint8Array;
      hints: ParseHints;
      /** What is to be done with pages whose text is a picture; null: they are named and not read. */
      recognition: Recognition | null;
    }
  | { kind: 'recognize'; bytes: Uint8Array; page: number; settings: OcrSettings };

export interface Recognition {
  /** Pages that have text as well, since it may be a bad one. */
  force: boolean;
  /** Words of the pages that were recognised so far; null: say first which pages are wanted. */
  pages: ReadonlyMap<number, readonly PdfRun[]> | null;
}

export type FromChild =
  /** Sent once, when the child can take work. */
  | { type: 'ready'; dataKib: number | null }
  | { type: 'parsed'; document: ParsedDocument }
  /** Nothing was read yet: these pages are to be recognised first. */
  | { type: 'wanted'; pages: number[] }
  | { type: 'recognized'; runs: PdfRun[] }
  | { type: 'fault'; fault: ParseFault; message: string };
