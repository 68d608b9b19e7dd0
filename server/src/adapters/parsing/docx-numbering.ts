import { formatNumber } from './list-numbers.ts';
import { readXml } from './xml.ts';

/** Numbers of lists and headings as Word shows them (ECMA-376 part 1, 17.9). */

interface Level {
  start: number;
  format: string;
  text: string;
  /** The level whose next number sets this one back; null: any above it; 0: none. */
  restart: number | null;
  /** All numbers in its text as decimals. */
  legal: boolean;
}

interface Num {
  abstractId: string;
  /** Levels that the instance defines itself. */
  levels: Map<number, Level>;
  starts: Map<number, number>;
}

export interface Numbering {
  /** The mark in front of the next paragraph of this list and level; `-` for bullets, '' for none. Counts. */
  next(numId: string, level: number): string;
}

const BLANK: Level = { start: 1, format: 'decimal', text: '', restart: null, legal: false };

export function createNumbering(xml: Uint8Array | null): Numbering {
  const { abstracts, nums } = readNumbering(xml);
  /** Instances of one definition count on from each other. */
  const counters = new Map<string, number[]>();
  const begun = new Set<string>();

  const levelOf = (num: Num, level: number): Level =>
    num.levels.get(level) ?? abstracts.get(num.abstractId)?.get(level) ?? BLANK;

  return {
    next(numId, level) {
      const num = nums.get(numId);
      if (!num) return '';
      const counts = counters.get(num.abstractId) ?? [];
      counters.set(num.abstractId, counts);
      const own = levelOf(num, level);
      const first = !begun.has(`${numId}/${level}`);
      begun.add(`${numId}/${level}`);
      const forced = first ? num.starts.get(level) : undefined;
      counts[level] = forced ?? (counts[level] === undefined ? own.start : counts[level] + 1);
      for (let below = level + 1; below < 9; below++) {
        const { restart } = levelOf(num, below);
        if (restart === null || (restart > 0 && level < restart)) delete counts[below];
      }
      return markOf(own, (n) => ({
        count: counts[n] ?? levelOf(num, n).start,
        format: levelOf(num, n).format,
      }));
    },
  };
}

function markOf(level: Level, numberOf: (n: number) => { count: number; format: string }): string {
  if (level.format === 'bullet') return '-';
  if (level.format === 'none') return level.text.replace(/%\d/g, '').trim();
  return level.text
    .replace(/%([1-9])/g, (_, digit: string) => {
      const { count, format } = numberOf(Number(digit) - 1);
      return formatNumber(count, level.legal ? 'decimal' : format);
    })
    .trim();
}

function readNumbering(xml: Uint8Array | null) {
  const abstracts = new Map<string, Map<number, Level>>();
  const links = { own: new Map<string, string>(), to: new Map<string, string>() };
  const nums = new Map<string, Num>();
  let abstractId = '';
  let num: Num | null = null;
  let at = 0;
  let level: Level | null = null;
  readXml(xml ?? '', {
    open(name, a) {
      const value = a['w:val'] ?? '';
      if (name === 'w:abstractNum') {
        abstractId = a['w:abstractNumId'] ?? '';
        abstracts.set(abstractId, new Map());
      } else if (name === 'w:styleLink') links.own.set(value, abstractId);
      else if (name === 'w:numStyleLink') links.to.set(abstractId, value);
      else if (name === 'w:num') {
        num = { abstractId: '', levels: new Map(), starts: new Map() };
        nums.set(a['w:numId'] ?? '', num);
      } else if (name === 'w:abstractNumId' && num) num.abstractId = value;
      else if (name === 'w:lvlOverride') at = Number(a['w:ilvl'] ?? 0);
      else if (name === 'w:startOverride' && num) num.starts.set(at, Number(value));
      else if (name === 'w:lvl') {
        at = Number(a['w:ilvl'] ?? at);
        level = { ...BLANK };
        (num ? num.levels : abstracts.get(abstractId))?.set(at, level);
      }
      if (!level) return;
      if (name === 'w:start') level.start = Number(value);
      else if (name === 'w:numFmt') level.format = value;
      else if (name === 'w:lvlText') level.text = value;
      else if (name === 'w:lvlRestart') level.restart = Number(value);
      else if (name === 'w:isLgl') level.legal = !/^(0|false|off)$/.test(value || '1');
    },
    close(name) {
      if (name === 'w:lvl') level = null;
      if (name === 'w:num') num = null;
    },
  });
  // A definition may only point to the one that a style holds.
  for (const [from, style] of links.to) {
    const target = links.own.get(style);
    if (target === undefined) continue;
    for (const one of nums.values()) if (one.abstractId === from) one.abstractId = target;
  }
  return { abstracts, nums };
}
