import { formatNumber } from './list-numbers.ts';
import { readXml } from './xml.ts';

/** What of the styles of OpenDocument files (ISO/IEC 26300, 16 and 19) says something of the text: numbers and what is hidden. */
export interface OdfStyles {
  /** The list style that a paragraph style brings along. */
  listOf(paragraphStyle: string): string | null;
  isHidden(style: string): boolean;
  /** The number in front of an item; `-` for bullets, '' for none. */
  mark(listStyle: string | null, counts: readonly (number | undefined)[], level: number): string;
  /** The first number of a level. */
  start(listStyle: string | null, level: number): number;
}

/** The list style by which headings are numbered. */
export const OUTLINE = '(outline)';

interface Level {
  bullet: boolean;
  format: string;
  prefix: string;
  suffix: string;
  start: number;
  shown: number;
}

const FORMATS: Record<string, string> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
  一: 'chineseCounting',
  ア: 'aiueo',
};
const LEVELS = new Set([
  'text:list-level-style-number',
  'text:list-level-style-bullet',
  'text:list-level-style-image',
  'text:outline-level-style',
]);

/** Later parts (those of the content) come before common ones of the same name. */
export function readOdfStyles(parts: readonly (Uint8Array | null)[]): OdfStyles {
  const lists = new Map<string, Map<number, Level>>();
  const listOf = new Map<string, string>();
  const hidden = new Set<string>();
  let list = '';
  let style = '';
  const handler = {
    open(name: string, a: Record<string, string>) {
      if (name === 'text:list-style' || name === 'text:outline-style') {
        list = name === 'text:outline-style' ? OUTLINE : (a['style:name'] ?? '');
        lists.set(list, new Map());
      }
      if (name === 'style:style') {
        style = `${a['style:family'] ?? ''}/${a['style:name'] ?? ''}`;
        const own = a['style:list-style-name'];
        if (own) listOf.set(a['style:name'] ?? '', own);
      }
      if (LEVELS.has(name)) lists.get(list)?.set(Number(a['text:level'] ?? 1) - 1, levelOf(name, a));
      if (isHiding(a)) hidden.add(style);
    },
    close(name: string) {
      if (name === 'style:style') style = '';
    },
  };
  for (const part of parts) readXml(part ?? '', handler);
  const at = (listStyle: string | null, level: number) => lists.get(listStyle ?? '')?.get(level);
  return {
    listOf: (name) => listOf.get(name) ?? null,
    isHidden: (name) => hidden.has(name),
    start: (listStyle, level) => at(listStyle, level)?.start ?? 1,
    mark(listStyle, counts, level) {
      const own = at(listStyle, level);
      if (!own) return listStyle === OUTLINE ? '' : '-';
      if (own.bullet) return '-';
      if (own.format === '') return '';
      const numbers = Array.from({ length: Math.min(own.shown, level + 1) }, (_, i) => {
        const n = level - Math.min(own.shown, level + 1) + 1 + i;
        const one = at(listStyle, n);
        return formatNumber(
          counts[n] ?? one?.start ?? 1,
          FORMATS[(n === level ? own : one)?.format ?? ''] ?? 'decimal',
        );
      });
      return `${own.prefix}${numbers.join('.')}${own.suffix}`.trim();
    },
  };
}

const levelOf = (name: string, a: Record<string, string>): Level => ({
  bullet: name === 'text:list-level-style-bullet' || name === 'text:list-level-style-image',
  format: a['style:num-format'] ?? '',
  prefix: a['style:num-prefix'] ?? '',
  suffix: a['style:num-suffix'] ?? '',
  start: Number(a['text:start-value'] ?? 1),
  shown: Number(a['text:display-levels'] ?? 1) || 1,
});

const isHiding = (a: Record<string, string>): boolean =>
  a['text:display'] === 'none' || a['table:display'] === 'false' || a['presentation:visibility'] === 'hidden';
