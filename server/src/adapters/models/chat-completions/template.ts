/**
 * The way around JSON.parse for the many chunks of a stream that differ only in their text. Once a chunk was parsed
 * that carries text and nothing else, what stands before and behind its text is kept; a later chunk with the same
 * two ends differs in that one string, so its text can be read off. Exact, not a guess: the front ends inside of an
 * open JSON string, and a middle without quote, backslash and control character can only be that string's body.
 */

export interface TextTemplate {
  front: string;
  back: string;
  /** What stands between the texts of two such chunks in a row. */
  gap: string;
}

const KEY = '"content":"';

const hasOnlyText = (value: unknown, text: string): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const choices: unknown = Reflect.get(value, 'choices');
  if (!Array.isArray(choices) || choices.length !== 1) return false;
  const choice: unknown = choices[0];
  if (typeof choice !== 'object' || choice === null) return false;
  const finish: unknown = Reflect.get(choice, 'finish_reason');
  const delta: unknown = Reflect.get(choice, 'delta');
  const index: unknown = Reflect.get(choice, 'index');
  if (typeof delta !== 'object' || delta === null || (finish !== null && finish !== undefined)) return false;
  // Usage in every chunk (vLLM's continuous statistics) must be read each time.
  const others = ['usage', 'error', 'x_groq', 'cost'].some((name) => {
    const other: unknown = Reflect.get(value, name);
    return other !== null && other !== undefined;
  });
  return (
    !others &&
    Reflect.get(value, 'object') !== 'error' &&
    (index === 0 || index === undefined) &&
    Object.entries(delta).every(([name, part]) => name === 'content' || name === 'role' || part === null) &&
    Reflect.get(delta, 'content') === text
  );
};

/** A mark that no provider's own chunk holds, to prove where the text of a chunk sits. */
const MARK = 'pentarch-mark-7f3a';

/** The template of a chunk whose parsed value carries text only; undefined where that cannot be proven. */
export const learnTemplate = (payload: string): TextTemplate | undefined => {
  const key = payload.indexOf(KEY);
  if (key === -1 || payload.indexOf(KEY, key + 1) !== -1) return undefined;
  const start = key + KEY.length;
  const end = payload.indexOf('"', start);
  if (end === -1) return undefined;
  const front = payload.slice(0, start);
  const back = payload.slice(end);
  try {
    return hasOnlyText(JSON.parse(front + MARK + back), MARK)
      ? { front, back, gap: `${back}\n\ndata: ${front}` }
      : undefined;
  } catch {
    return undefined;
  }
};

// JSON allows no raw control character inside of a string: such a chunk goes to JSON.parse, which refuses it.
const PLAIN = /^[^"\\\u0000-\u001f]*$/;

/** The text of a chunk that fits the template, else undefined. */
export const textByTemplate = (payload: string, template: TextTemplate): string | undefined => {
  const { front, back } = template;
  const end = payload.length - back.length;
  if (end < front.length) return undefined;
  if (payload.slice(0, front.length) !== front || payload.slice(end) !== back) return undefined;
  const text = payload.slice(front.length, end);
  return PLAIN.test(text) ? text : undefined;
};

/**
 * The text of a run of chunks that fit the template, from the line at `start`, and where the run's last line begins:
 * that one is left to the caller, since nothing here says how it ends.
 */
export const textOfRun = (
  lines: string,
  start: number,
  { front, gap }: TextTemplate,
): { text: string; next: number } => {
  const none = { text: '', next: start };
  const textStart = start + 6 + front.length;
  if (lines.length < textStart || lines.slice(start, textStart) !== `data: ${front}`) return none;
  let text = '';
  let from = textStart;
  while (true) {
    const end = lines.indexOf('"', from);
    if (end === -1 || lines.slice(end, end + gap.length) !== gap) break;
    const piece = lines.slice(from, end);
    if (!PLAIN.test(piece)) break;
    text += piece;
    from = end + gap.length;
  }
  return { text, next: from - 6 - front.length };
};
