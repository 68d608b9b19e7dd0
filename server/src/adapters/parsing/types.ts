export const TYPES = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  markdown: 'text/markdown',
  text: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  eml: 'message/rfc822',
  mbox: 'application/mbox',
  epub: 'application/epub+zip',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  rtf: 'application/rtf',
  msg: 'application/vnd.ms-outlook',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
  png: 'image/png',
  jpeg: 'image/jpeg',
  tiff: 'image/tiff',
  webp: 'image/webp',
} as const;

export type TypeName = keyof typeof TYPES;

export const isTypeName = (name: string): name is TypeName => Object.hasOwn(TYPES, name);

export interface ParseHints {
  filename: string | null;
  declaredType: string | null;
}

const EXTENSIONS: Record<string, TypeName> = {
  htm: 'html',
  html: 'html',
  xhtml: 'html',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  txt: 'text',
  log: 'text',
  text: 'text',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  eml: 'eml',
  mbox: 'mbox',
};

const DECLARED: Record<string, TypeName> = {
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'text/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'application/json': 'json',
  'application/x-ndjson': 'json',
  'message/rfc822': 'eml',
  'application/mbox': 'mbox',
};

/** What name and declared type say of a text format; the name first, as senders often declare `text/plain`. */
export function hintedType({ filename, declaredType }: ParseHints): TypeName | null {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(filename ?? '')?.[1]?.toLowerCase() ?? '';
  const declared = (declaredType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return (
    (Object.hasOwn(EXTENSIONS, extension) ? EXTENSIONS[extension] : null) ??
    (Object.hasOwn(DECLARED, declared) ? DECLARED[declared] : null) ??
    (declared === 'text/plain' ? 'text' : null) ??
    null
  );
}
