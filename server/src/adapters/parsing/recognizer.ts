import { createHash } from 'node:crypto';
import { createFairTurns } from '../../kernel/fair-turns.ts';
import { type PageMemory, ParseError } from '../../kernel/parser.ts';
import { type LimitedChild, startLimitedChild } from './limited-child.ts';
import type { PageFault } from './messages.ts';
import type { OcrSettings } from './ocr-engine.ts';
import type { PdfRun } from './pdf-run.ts';

export interface Recognized {
  pages: Map<number, readonly PdfRun[]>;
  /** Of pages that are damaged or of a kind that cannot be read. */
  faults: Map<number, PageFault>;
}

/** Text recognition page by page in a limited process of its own; what is done is kept, so that nothing is done twice. */
export interface Recognizer {
  /** Pages that have text as well. */
  readonly force: boolean;
  recognize(
    bytes: Uint8Array,
    pages: readonly number[],
    options: {
      tenantId: string;
      signal?: AbortSignal;
      onPages?(done: number, of: number): void;
    },
  ): Promise<Recognized>;
  close(): void;
}

export interface RecognizerOptions {
  settings: OcrSettings;
  force: boolean;
  memory: PageMemory;
  /** For one page (default 90,000). */
  timeoutMs?: number;
  /** For one page, above the process at rest (default 1,024). */
  memoryMib?: number;
  idleMs?: number;
}

/** The language data and what grows beside it stay; a new process begins without. */
const PAGES_PER_PROCESS = 100;

export function createRecognizer(options: RecognizerOptions): Recognizer {
  const { settings, memory, timeoutMs = 90_000, memoryMib = 1_024, idleMs = 30_000 } = options;
  // It takes a core as long as it runs.
  const turns = createFairTurns({ atOnce: 1 });
  let slot: { child: LimitedChild; pages: number } | null = null;
  let idleTimer: NodeJS.Timeout | null = null;
  let closed = false;

  function retire(): void {
    slot?.child.kill();
    slot = null;
  }

  async function childOf(): Promise<LimitedChild> {
    if (idleTimer) clearTimeout(idleTimer);
    if (slot && (!slot.child.alive || slot.pages >= PAGES_PER_PROCESS)) retire();
    slot ??= { child: await startLimitedChild({ timeoutMs, memoryMib }), pages: 0 };
    if (closed) retire();
    if (slot === null) throw new Error('the recogniser is closed');
    slot.pages++;
    return slot.child;
  }

  /** A page that cannot be recognised is one without words; what stands in its way is not in the others'. */
  async function recognizeOne(bytes: Uint8Array, page: number): Promise<readonly PdfRun[] | PageFault> {
    const child = await childOf();
    try {
      const answer = await child.ask({ kind: 'recognize', bytes, page, settings });
      return answer.type === 'recognized' ? answer.runs : [];
    } catch (error) {
      retire();
      if (closed || !(error instanceof ParseError)) throw error;
      const { fault, message } = error;
      return fault === 'broken' || fault === 'unsupported_type' ? { fault, message } : [];
    } finally {
      idleTimer = setTimeout(retire, idleMs).unref();
    }
  }

  return {
    force: options.force,
    async recognize(bytes, pages, { tenantId, signal, onPages }) {
      const found = new Map<number, readonly PdfRun[]>();
      const faults = new Map<number, PageFault>();
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      for (const page of pages) {
        signal?.throwIfAborted();
        onPages?.(found.size + faults.size, pages.length);
        const key = { tenantId, sha256, settings: settings.languages.join('+'), page };
        const kept = await memory.get(key);
        if (kept !== null) found.set(page, JSON.parse(kept) as PdfRun[]);
        else {
          const endTurn = await turns.take(tenantId);
          try {
            if (closed) throw new Error('the recogniser is closed');
            const read = await recognizeOne(bytes, page);
            if ('fault' in read) faults.set(page, read);
            else {
              await memory.put(key, JSON.stringify(read));
              found.set(page, read);
            }
          } finally {
            endTurn();
          }
        }
      }
      return { pages: found, faults };
    },
    close() {
      closed = true;
      if (idleTimer) clearTimeout(idleTimer);
      retire();
    },
  };
}
