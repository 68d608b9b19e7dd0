export { bounded, PIECE, pieces } from './bounded.ts';
export { fileNamesIn, noSuchFile } from './file-names.ts';
export { cleanName, foldName, singleLine } from './names.ts';
export { isHeadRow } from './table-rows.ts';
export {
  estimateTokens,
  outermostBraces,
  type Span,
  safeCut,
  sentenceSpans,
  trimSpan,
  withoutEnd,
  withoutFence,
} from './text.ts';
