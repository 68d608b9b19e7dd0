/**
 * Server-sent events as the chat-completions wire uses them: `data:` lines. Bytes are cut at line feeds before they
 * are decoded, so a character split over packets is whole again (no byte of a multi-byte character is a line feed).
 */

const LF = 10;
const CR = 13;
const SPACE = 32;

export interface LineReader {
  /** Gives the complete lines that a read brought, joined as they came and ending in a line feed; '' for none. */
  push(bytes: Buffer): string;
  /** What is left without a line feed. */
  rest(): string;
}

/** `maxLineBytes`: a line without end is an attack or a fault; throws RangeError. */
export const createLineReader = (maxLineBytes: number): LineReader => {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  return {
    push(bytes) {
      const end = bytes.lastIndexOf(LF) + 1;
      if (end === bytes.length && waitingBytes === 0) return bytes.toString('utf8', 0, end);
      let lines = '';
      if (end > 0) {
        if (waitingBytes === 0) lines = bytes.toString('utf8', 0, end);
        else {
          waiting.push(bytes.subarray(0, end));
          lines = Buffer.concat(waiting).toString('utf8');
          waiting = [];
          waitingBytes = 0;
        }
      }
      if (end < bytes.length) {
        waiting.push(end === 0 ? bytes : bytes.subarray(end));
        waitingBytes += bytes.length - end;
        if (waitingBytes > maxLineBytes) throw new RangeError('line too long');
      }
      return lines;
    },
    rest() {
      const text = Buffer.concat(waiting).toString('utf8');
      waiting = [];
      waitingBytes = 0;
      return text;
    },
  };
};

/**
 * Calls `onData` with the payload of each `data:` line. Comments, `event:`, `id:`, `retry:` and blank lines are
 * passed over: no provider of this wire spreads one JSON text over several data lines. `skip` may read lines from a
 * position in its own way and says where to go on.
 */
export const eachData = (
  lines: string,
  onData: (payload: string) => void,
  skip: (start: number) => number,
): void => {
  let start = 0;
  while (start < lines.length) {
    start = skip(start);
    let end = lines.indexOf('\n', start);
    if (end === -1) end = lines.length;
    // A byte order mark may stand before the first line.
    if (lines.charCodeAt(start) === 0xfeff) start++;
    // Comparing slices is several times faster than startsWith here.
    if (lines.slice(start, start + 5) === 'data:') {
      const from = lines.charCodeAt(start + 5) === SPACE ? start + 6 : start + 5;
      const to = lines.charCodeAt(end - 1) === CR ? end - 1 : end;
      if (to > from) onData(lines.slice(from, to));
    }
    start = end + 1;
  }
};
