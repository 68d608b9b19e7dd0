import fc from 'fast-check';

/** Texts that grow by a repeated part, and whether the time of a function grows with them in the order of the text. */
export interface Pumped {
  before: string;
  part: string;
  after: string;
}

export const pumped = (pieces: readonly string[]): fc.Arbitrary<Pumped> => {
  const some = (maxLength: number) =>
    fc
      .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 2 })), { minLength: 0, maxLength })
      .map((parts) => parts.join(''));
  return fc.record({
    before: some(3),
    part: some(4).filter((part) => part !== ''),
    after: some(2),
  });
};

const SIZES = [64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192];
/** Below this the start of a collection or a compilation tells more than the function. */
const NOTICED_MS = 40;
/** Twice the text may take four times as long (quadratic) and, measured while the compiler works, some more. */
const MAX_GROWTH = 24;

/** CPU time of this thread: other work of the machine does not count. */
const msOf = (work: () => void): number => {
  const from = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(from);
  return (user + system) / 1_000;
};

/** The sizes and times where twice the text took far more than four times as long; null where it never did. */
export const explosionOf = (
  read: (text: string) => unknown,
  { before, part, after }: Pumped,
): string | null => {
  let last = NOTICED_MS / MAX_GROWTH;
  for (const size of SIZES) {
    const text = before + part.repeat(Math.ceil(size / part.length)) + after;
    let ms = msOf(() => read(text));
    // A pause of the machine does not come again.
    if (ms > MAX_GROWTH * last)
      ms = Math.min(
        ms,
        msOf(() => read(text)),
      );
    if (ms > MAX_GROWTH * last) return `${size} characters took ${ms} ms, half of them ${last} ms`;
    last = Math.max(last, ms);
  }
  return null;
};
