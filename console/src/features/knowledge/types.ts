/** Names of content types as people say them; `filter` is what the API's content_type takes. */
const NAMES: readonly { type: string; filter: string; label: string }[] = [
  { type: 'application/pdf', filter: 'pdf', label: 'PDF' },
  {
    type: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    filter: 'docx',
    label: 'Word',
  },
  {
    type: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    filter: 'pptx',
    label: 'PowerPoint',
  },
  {
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    filter: 'xlsx',
    label: 'Excel',
  },
  { type: 'text/html', filter: 'html', label: 'HTML' },
  { type: 'text/markdown', filter: 'markdown', label: 'Markdown' },
  { type: 'text/plain', filter: 'text', label: 'Text' },
  { type: 'text/csv', filter: 'csv', label: 'CSV' },
  { type: 'application/json', filter: 'json', label: 'JSON' },
  { type: 'message/rfc822', filter: 'eml', label: 'E-mail' },
];

export const labelOfType = (contentType: string): string =>
  NAMES.find(({ type }) => contentType === type)?.label ?? contentType;

export const TYPE_OPTIONS: readonly { value: string; label: string }[] = [
  { value: '', label: 'All types' },
  ...NAMES.map(({ filter, label }) => ({ value: filter, label })),
];

export const isTypeFilter = (text: unknown): text is string =>
  TYPE_OPTIONS.some(({ value }) => value === text);

export interface Stretch {
  text: string;
  marked: boolean;
}

/** `content` cut at the highlights: those that stand in it are marked, in their order; the others are left out. */
export const stretchesOf = (content: string, highlights: readonly string[]): Stretch[] => {
  const places = highlights
    .map((text) => ({ from: content.indexOf(text), to: content.indexOf(text) + text.length }))
    .filter(({ from, to }) => from >= 0 && to > from)
    .toSorted((a, b) => a.from - b.from);
  const stretches: Stretch[] = [];
  let at = 0;
  for (const { from, to } of places) {
    if (to <= at) continue;
    const start = Math.max(from, at);
    if (start > at) stretches.push({ text: content.slice(at, start), marked: false });
    stretches.push({ text: content.slice(start, to), marked: true });
    at = to;
  }
  if (at < content.length) stretches.push({ text: content.slice(at), marked: false });
  return stretches;
};
