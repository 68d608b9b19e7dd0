import { createFairTurns } from '../../kernel/fair-turns.ts';
import { type DocumentParser, type ParsedDocument, ParseError } from '../../kernel/parser.ts';
import { compoundType, isCompound } from './compound.ts';
import { type LimitedChild, type OnPages, startLimitedChild } from './limited-child.ts';
import type { ToChild } from './messages.ts';
import type { OfficeConverter } from './office-convert.ts';
import type { Recognizer } from './recognizer.ts';
import type { RemoteParser } from './remote-parser.ts';
import { TYPES } from './types.ts';

export interface ParserOptions {
  /** Documents read at once (default 2). */
  processes?: number;
  /** For one document (default 30,000). */
  timeoutMs?: number;
  /** For one document, above the process at rest (default 256). */
  memoryMib?: number;
  /** An idle process ends after this (default 60,000), so that a quiet server holds no memory for it. */
  idleMs?: number;
  /** Reads doc, xls and ppt; without it they are refused. */
  office?: OfficeConverter | null;
  /** Reads the pictures of pages; without it such pages are named and not read. */
  recognizer?: Recognizer | null;
  /** Reads files of its types; where it does not, they are read here. */
  remote?: RemoteParser | null;
  /** Gets why it did not. */
  warn?(fault: unknown, message: string): void;
}

/** What grows in a process stays: it is replaced after this many documents. */
const DOCUMENTS_PER_PROCESS = 200;

interface Slot {
  child: LimitedChild;
  documents: number;
  idleTimer: NodeJS.Timeout | null;
}

type ParseJob = Extract<ToChild, { kind: 'parse' }>;
type DocumentHints = Parameters<DocumentParser['parse']>[1];
type Read = { document: ParsedDocument } | { wanted: number[] };

/** Refused at a glance, so the process is as it was. */
const isHarmless = (error: unknown): boolean =>
  error instanceof ParseError && ['empty', 'encrypted', 'no_text', 'unsupported_type'].includes(error.fault);

/**
 * The `DocumentParser` over a small pool of limited child processes, started when they are needed. A process that
 * read its document is used again; one that met a broken or greedy document is not.
 */
export function createDocumentParser(options: ParserOptions = {}): DocumentParser {
  const {
    processes = 2,
    timeoutMs = 30_000,
    memoryMib = 256,
    idleMs = 60_000,
    office = null,
    recognizer = null,
    remote = null,
  } = options;
  const idle: Slot[] = [];
  const all = new Set<Slot>();
  const turns = createFairTurns({ atOnce: processes });
  let closed = false;

  async function takeSlot(): Promise<Slot> {
    for (let slot = idle.pop(); slot; slot = idle.pop()) {
      if (slot.idleTimer) clearTimeout(slot.idleTimer);
      if (slot.child.alive) return slot;
      all.delete(slot);
    }
    const slot: Slot = {
      child: await startLimitedChild({ timeoutMs, memoryMib }),
      documents: 0,
      idleTimer: null,
    };
    all.add(slot);
    if (closed) {
      retire(slot);
      throw new Error('the parser is closed');
    }
    return slot;
  }

  function retire(slot: Slot): void {
    all.delete(slot);
    const at = idle.indexOf(slot);
    if (at >= 0) idle.splice(at, 1);
    slot.child.kill();
  }

  function giveBack(slot: Slot): void {
    slot.documents++;
    if (closed || !slot.child.alive || slot.documents >= DOCUMENTS_PER_PROCESS) {
      retire(slot);
      return;
    }
    slot.idleTimer = setTimeout(() => retire(slot), idleMs).unref();
    idle.push(slot);
  }

  async function inTurn<T>({ tenantId: owner, signal }: DocumentHints, work: () => Promise<T>): Promise<T> {
    const endTurn = await turns.take(owner);
    try {
      if (closed) throw new Error('the parser is closed');
      signal?.throwIfAborted();
      return await work();
    } finally {
      endTurn();
    }
  }

  async function read(job: ParseJob, onPages?: OnPages): Promise<Read> {
    const answer = await ask(job, onPages);
    if (answer.type === 'parsed') return { document: answer.document };
    if (answer.type === 'wanted') return { wanted: answer.pages };
    throw new Error('the parsing process answers another question');
  }

  /** Null where the file is of no type for the other program, or that does not read it. */
  async function readElsewhere({ bytes, hints }: ParseJob): Promise<ParsedDocument | null> {
    if (remote === null) return null;
    try {
      const old = isCompound(bytes) ? compoundType(bytes) : null;
      const sniffed = old === null || old === 'encrypted' ? await ask({ kind: 'sniff', bytes, hints }) : null;
      const type = sniffed?.type === 'sniffed' ? sniffed.name : old;
      if (type === null || type === 'encrypted' || !remote.types.has(type)) return null;
      const answer = await ask({ kind: 'import', type, answer: await remote.convert(bytes, type) });
      return answer.type === 'parsed' ? answer.document : null;
    } catch (error) {
      if (closed) throw error;
      options.warn?.(error, 'a document was not read by the parser of PARSER_URL, and is read here');
      return null;
    }
  }

  async function ask(job: ToChild, onPages?: OnPages): Promise<Awaited<ReturnType<LimitedChild['ask']>>> {
    const slot = await takeSlot();
    try {
      const answer = await slot.child.ask(job, onPages);
      giveBack(slot);
      return answer;
    } catch (error) {
      if (isHarmless(error)) giveBack(slot);
      else retire(slot);
      throw closed ? new Error('the parser is closed', { cause: error }) : error;
    }
  }

  /** Old office files are read as what LibreOffice makes of them; the document says what was uploaded. */
  async function readConverted(job: ParseJob, onPages?: OnPages): Promise<Read> {
    const type = office !== null && isCompound(job.bytes) ? compoundType(job.bytes) : null;
    if (office === null || (type !== 'doc' && type !== 'xls' && type !== 'ppt')) return read(job, onPages);
    const bytes = await office.convert(job.bytes, type);
    const made = await read({ ...job, bytes });
    return 'document' in made ? { document: { ...made.document, contentType: TYPES[type] } } : made;
  }

  /** Pages that are pictures are recognised one by one, outside of the turn; then the document is read with their words. */
  async function readWhole(job: ParseJob, hints: DocumentHints): Promise<ParsedDocument> {
    const elsewhere = remote === null ? null : await inTurn(hints, () => readElsewhere(job));
    if (elsewhere !== null) return elsewhere;
    const first = await inTurn(hints, () => readConverted(job, hints.onPages));
    if ('document' in first) return first.document;
    if (recognizer === null || job.recognition === null) throw new Error('nobody asked for pages');
    const recognized = await recognizer.recognize(job.bytes, first.wanted, hints);
    const recognition = { ...job.recognition, ...recognized };
    const last = await inTurn(hints, () => read({ ...job, recognition }));
    if (!('document' in last)) throw new Error('pages are wanted twice');
    return last.document;
  }

  return {
    async parse(bytes, hints) {
      // Costs no process.
      if (bytes.length === 0) throw new ParseError('empty', 'the file is empty');
      const { filename, declaredType } = hints;
      const recognition = recognizer === null ? null : { force: recognizer.force, pages: null };
      return readWhole({ kind: 'parse', bytes, hints: { filename, declaredType }, recognition }, hints);
    },
    async close() {
      closed = true;
      for (const slot of [...all]) retire(slot);
      office?.close();
      recognizer?.close();
      await remote?.close();
    },
  };
}
