/** A body that is larger than anybody may send. */
export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the answer is larger than ${maxBytes} bytes`);
    this.name = 'BodyTooLarge';
  }
}

type Body = AsyncIterable<Uint8Array> | null;

/** The bytes of a body, counted as they come: a length may be missing or a lie. Throws `BodyTooLarge` and stops reading. */
export const bytesWithin = async (body: Body, maxBytes: number): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw new BodyTooLarge(maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** As text (UTF-8). */
export const textWithin = async (body: Body, maxBytes: number): Promise<string> =>
  (await bytesWithin(body, maxBytes)).toString('utf8');

/** The beginning of a body; the rest is not read, and its connection is ended. */
export const headOf = async (body: Body, maxBytes: number): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    size += part.byteLength;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
};
