import type { ToolPassage } from '../../kernel/tools.ts';

/** Which passages go along where documents are attached. */

export const PASSAGES = 6;
/** Places that attached documents have before all others. */
const FIRST_PLACES = 4;
/** A document of an earlier message comes first where it fits at least this well, measured by the best of all. */
const FITS = 0.5;

/** What is attached to the message (`own`) comes first, then what fits of what was attached before (`earlier`), then the best of all documents. */
export const preferAttached = ({
  own,
  earlier,
  all,
}: Readonly<Record<'own' | 'earlier' | 'all', readonly ToolPassage[]>>): ToolPassage[] => {
  const best = Math.max(0, ...all.map((passage) => passage.score));
  const fitting = earlier.filter((passage) => passage.score >= best * FITS);
  const first = [...own, ...fitting].slice(0, FIRST_PLACES);
  const byChunk = new Map<string, ToolPassage>();
  for (const passage of [...first, ...all, ...own, ...fitting])
    if (!byChunk.has(passage.chunkId)) byChunk.set(passage.chunkId, passage);
  return [...byChunk.values()].slice(0, PASSAGES);
};
