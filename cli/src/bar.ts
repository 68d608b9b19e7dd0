import type { Output } from './output.ts';
import { oneLine, pad, shorten } from './text.ts';

/** One line of progress over several files on a terminal; a line for each finished one elsewhere. */

export interface Bar {
  progress(name: string, sentBytes: number): void;
  /** What is done with a file that has been sent. */
  reading(text: string): void;
  finished(text: string): void;
  close(): void;
}

const WIDTH = 24;

export const createBar = (out: Output, live: boolean, totalBytes: number, columns: number): Bar => {
  const sent = new Map<string, number>();
  let drawn = false;
  const clear = (): void => {
    if (drawn) out.status('\r\u001b[K');
    drawn = false;
  };
  const draw = (name: string): void => {
    if (!live) return;
    const done = [...sent.values()].reduce((sum, bytes) => sum + bytes, 0);
    const part = totalBytes === 0 ? 1 : Math.min(1, done / totalBytes);
    const full = Math.round(part * WIDTH);
    const percent = `${Math.floor(part * 100)}`.padStart(3);
    const text = `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${percent} %  ${oneLine(name)}`;
    out.status(`\r${pad(shorten(text, columns - 1), columns - 1)}`);
    drawn = true;
  };
  return {
    progress(name, sentBytes) {
      sent.set(name, sentBytes);
      draw(name);
    },
    reading(text) {
      if (!live) return;
      out.status(`\r${pad(shorten(oneLine(text), columns - 1), columns - 1)}`);
      drawn = true;
    },
    finished(text) {
      clear();
      out.note(text);
    },
    close: clear,
  };
};
