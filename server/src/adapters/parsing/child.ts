import { readFileSync } from 'node:fs';
import { ParseError } from '../../kernel/parser.ts';
import type { FromChild, ToChild } from './messages.ts';
import { parseDocument } from './parse.ts';

/** The process that touches uploaded bytes: no secrets in its environment, limits set by its owner. */

const send = (message: FromChild): void => {
  process.send?.(message);
};

process.on('message', ({ bytes, hints }: ToChild) => {
  parseDocument(bytes, hints).then(
    (document) => send({ type: 'parsed', document }),
    (error: unknown) => send({ type: 'fault', ...describe(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
send({ type: 'ready', dataKib: ownDataKib() });

function describe(error: unknown): { fault: ParseError['fault']; message: string } {
  if (error instanceof ParseError) return { fault: error.fault, message: error.message };
  const text = error instanceof Error ? error.message : '';
  if (/allocation failed|out of memory|Invalid (string|array|typed array) length/i.test(text)) {
    return { fault: 'too_large', message: 'the file needs more memory than is allowed' };
  }
  if (/call stack/i.test(text)) return { fault: 'broken', message: 'the document is nested too deeply' };
  return { fault: 'broken', message: 'the file is damaged and cannot be read' };
}

/** Linux: the data segment as RLIMIT_DATA counts it. */
function ownDataKib(): number | null {
  try {
    return (
      Number(/^VmData:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? Number.NaN) ||
      null
    );
  } catch {
    return null;
  }
}
