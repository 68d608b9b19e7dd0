import type { ParsedDocument, ParseFault } from '../../kernel/parser.ts';
import type { OcrSettings } from './ocr-engine.ts';
import type { PdfRun } from './pdf-run.ts';
import type { RemoteAnswer } from './remote-parser.ts';
import type { ParseHints, TypeName } from './types.ts';

/** What the parser and its child process say to each other (structured clone, `serialization: 'advanced'`). */
export type ToChild =
  | {
      kind: 'parse';
      bytes: Uint8Array;
      hints: ParseHints;
      /** What is to be done with pages whose text is a picture; null: they are named and not read. */
      recognition: Recognition | null;
    }
  /** Of what type the bytes are. */
  | { kind: 'sniff'; bytes: Uint8Array; hints: ParseHints }
  /** What another program has made of a file of this type. */
  | { kind: 'import'; answer: RemoteAnswer; type: TypeName }
  | { kind: 'recognize'; bytes: Uint8Array; page: number; settings: OcrSettings };

export interface PageFault {
  fault: ParseFault;
  message: string;
}

export interface Recognition {
  /** Pages that have text as well, since it may be a bad one. */
  force: boolean;
  /** Words of the pages that were recognised so far; null: say first which pages are wanted. */
  pages: ReadonlyMap<number, readonly PdfRun[]> | null;
  /** Why pages of a picture could not be read at all. */
  faults?: ReadonlyMap<number, PageFault>;
}

export type FromChild =
  /** Sent once, when the child can take work. */
  | { type: 'ready'; dataKib: number | null }
  /** On the way, any number of times. */
  | { type: 'pages'; done: number; of: number }
  | { type: 'parsed'; document: ParsedDocument }
  /** Nothing was read yet: these pages are to be recognised first. */
  | { type: 'wanted'; pages: number[] }
  | { type: 'recognized'; runs: PdfRun[] }
  | { type: 'sniffed'; name: TypeName }
  | { type: 'fault'; fault: ParseFault; message: string };
