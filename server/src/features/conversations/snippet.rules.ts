const BEFORE = 60;
const LENGTH = 200;

/** Some words around the place where a text has what was searched, on one line; its beginning where that is not found. */
export const snippetOf = (text: string, q: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const words = q.replaceAll(/\s+/g, ' ').trim().toLowerCase();
  const at = Math.max(0, line.toLowerCase().indexOf(words));
  const space = line.indexOf(' ', at - BEFORE);
  // From a word on, where there is one close by.
  const near = space === -1 || space >= at ? at - BEFORE : space + 1;
  const start = at <= BEFORE ? 0 : near;
  const most = start + LENGTH;
  const gap = line.lastIndexOf(' ', most);
  const cut = gap > at + words.length ? gap : most;
  const end = most >= line.length ? line.length : cut;
  const piece = line.slice(start, end).toWellFormed();
  return `${start > 0 ? '… ' : ''}${piece}${end < line.length ? ' …' : ''}`;
};
