import { type OdfStyles, OUTLINE } from './odf-styles.ts';

/** Numbers of lists and headings as they are counted from the start of an OpenDocument text. */

export interface List {
  style: string | null;
  /** Shared by the lists within each other. */
  counts: (number | undefined)[];
  /** An item whose mark is not said yet. */
  open: boolean;
  start: number | null;
}

export function createOdfLists(styles: OdfStyles) {
  const byStyle = new Map<string, List['counts']>();
  const byId = new Map<string, List['counts']>();
  const outline: (number | undefined)[] = [];
  return {
    /** The list that begins within `lists`; it may go on from an earlier one. */
    open(lists: readonly List[], a: Record<string, string>): List {
      const outer = lists.at(-1);
      const style = a['text:style-name'] ?? outer?.style ?? null;
      const goesOn =
        a['text:continue-numbering'] === 'true'
          ? byStyle.get(style ?? '')
          : byId.get(a['text:continue-list'] ?? '');
      const counts = outer ? outer.counts : [...(goesOn ?? [])];
      byStyle.set(style ?? '', counts);
      if (a['xml:id']) byId.set(a['xml:id'], counts);
      return { style, counts, open: false, start: null };
    },
    /** The number of the item that a paragraph begins; null where it goes on in one. */
    itemMark(lists: readonly List[], paragraphStyle: string): string | null {
      const list = lists.at(-1);
      if (!list?.open) return null;
      list.open = false;
      const style = list.style ?? styles.listOf(paragraphStyle);
      const level = lists.length - 1;
      const before = list.counts[level];
      list.counts[level] = list.start ?? (before === undefined ? styles.start(style, level) : before + 1);
      list.counts.length = level + 1;
      return styles.mark(style, list.counts, level);
    },
    headingMark(level: number): string {
      outline[level] = outline[level] === undefined ? styles.start(OUTLINE, level) : outline[level] + 1;
      outline.length = level + 1;
      return styles.mark(OUTLINE, outline, level);
    },
  };
}
