import type { LeftOut } from '../../kernel/parser.ts';

/** Counts what a reader leaves out on purpose, by kind. */
export interface LeftOutCount {
  add(what: LeftOut['what'], count?: number): void;
  list(): LeftOut[];
}

export function countLeftOut(): LeftOutCount {
  const counts = new Map<LeftOut['what'], number>();
  return {
    add(what, count = 1) {
      if (count > 0) counts.set(what, (counts.get(what) ?? 0) + count);
    },
    list: () => [...counts].map(([what, count]) => ({ what, count })),
  };
}
