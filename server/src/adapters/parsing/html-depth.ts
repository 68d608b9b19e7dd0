import { fail, LIMITS } from './fault.ts';

/** Elements that stand alone, or that the next of their kind closes: they do not nest by being left open. */
const UNCOUNTED = new Set(
  'area base body br col dd dt embed head hr html img input li link meta optgroup option p param rp rt source tbody td tfoot th thead tr track wbr'.split(
    ' ',
  ),
);
const TAG = /^<(\/?)([a-z][a-z0-9-]*)/;
const RAW = new Set(['script', 'style', 'textarea', 'title', 'xmp']);

/** Refuses what nests too deeply to be built as a tree, in one pass over the tags. Throws `ParseError` (broken). */
export const checkDepth = (source: string): void => {
  const text = source.toLowerCase();
  let depth = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    if (text.startsWith('<!--', at)) {
      at = text.indexOf('-->', at + 4);
      if (at < 0) return;
      continue;
    }
    const [, slash, name = ''] = TAG.exec(text.slice(at, at + 40)) ?? [];
    if (name === '' || UNCOUNTED.has(name)) continue;
    if (slash === '/') {
      depth = Math.max(0, depth - 1);
      continue;
    }
    if (RAW.has(name)) {
      at = text.indexOf(`</${name}`, at);
      if (at < 0) return;
      continue;
    }
    depth++;
    if (depth > LIMITS.openTags) fail('broken', 'the document is nested too deeply');
  }
};
