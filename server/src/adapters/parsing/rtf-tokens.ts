/** The signs that an RTF file is made of (Microsoft's specification 1.9.1, "Basic entities"). */
export interface RtfHandler {
  open(): void;
  close(): void;
  /** A control word; `ignorable`: it stands behind `\*`, and who does not know it skips its group. */
  word(name: string, value: number | null, ignorable: boolean): void;
  /** Text in the encoding of the current font. */
  byte(byte: number): void;
}

const [SLASH, OPEN, CLOSE, QUOTE, STAR, SPACE, MINUS] = [0x5c, 0x7b, 0x7d, 0x27, 0x2a, 0x20, 0x2d];
const isLetter = (byte: number): boolean => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a);
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isLine = (byte: number): boolean => byte === 0x0a || byte === 0x0d;
const MAX_WORD = 32;
const MAX_DIGITS = 10;
const PLAIN_SIGNS: Readonly<Record<number, string>> = {
  126: 'nbsp',
  95: 'nbhyphen',
  10: 'par',
  13: 'par',
  9: 'tab',
};

export function readRtf(bytes: Uint8Array, handler: RtfHandler): void {
  let at = 0;
  let ignorable = false;
  const byteAt = (index: number): number => bytes[index] ?? 0;

  function controlWord(): void {
    const start = at;
    while (isLetter(byteAt(at)) && at - start < MAX_WORD) at++;
    const name = Buffer.from(bytes.subarray(start, at)).toString('latin1');
    const from = at;
    if (byteAt(at) === MINUS && isDigit(byteAt(at + 1))) at++;
    while (isDigit(byteAt(at)) && at - from <= MAX_DIGITS) at++;
    const value = at > from ? Number(Buffer.from(bytes.subarray(from, at)).toString('latin1')) : null;
    if (byteAt(at) === SPACE) at++;
    // Bytes that are no text at all.
    if (name === 'bin') at += Math.max(0, value ?? 0);
    else handler.word(name, value, ignorable);
    ignorable = false;
  }

  function controlSign(sign: number): void {
    at++;
    if (sign === STAR) {
      ignorable = true;
      return;
    }
    if (sign === QUOTE) {
      const code = Number.parseInt(Buffer.from(bytes.subarray(at, at + 2)).toString('latin1'), 16);
      at += 2;
      if (Number.isInteger(code)) handler.byte(code);
    } else if (sign === SLASH || sign === OPEN || sign === CLOSE) handler.byte(sign);
    else {
      const name = PLAIN_SIGNS[sign];
      if (name !== undefined) handler.word(name, null, false);
    }
  }

  while (at < bytes.length) {
    const byte = byteAt(at++);
    if (byte === OPEN) handler.open();
    else if (byte === CLOSE) handler.close();
    else if (byte === SLASH) {
      if (isLetter(byteAt(at))) controlWord();
      else if (at < bytes.length) controlSign(byteAt(at));
    } else if (!isLine(byte) && byte !== 0) handler.byte(byte);
  }
}
