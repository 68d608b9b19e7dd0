const SCHEME = 'pentarch://';

export const uriOf = (kind: string, id: string): string => `${SCHEME}${kind}/${id}`;

/** `pentarch://<kind>/<id>`, with `?from=<character>`; null for any other address. */
export const readUri = (uri: string): { kind: string; id: string; from: number } | null => {
  if (!uri.startsWith(SCHEME)) return null;
  const [path = '', query, ...rest] = uri.slice(SCHEME.length).split('?');
  const [kind = '', id = '', ...deeper] = path.split('/');
  if (kind === '' || id === '' || deeper.length > 0 || rest.length > 0) return null;
  if (query === undefined) return { kind, id, from: 0 };
  const [name, value = '', ...more] = query.split('=');
  const from = Number(value);
  if (name !== 'from' || value === '' || more.length > 0 || !Number.isSafeInteger(from) || from < 0)
    return null;
  return { kind, id, from };
};

export interface ListPlace {
  kind: string;
  /** The list's own cursor; null for its beginning. */
  within: string | null;
}

export const cursorOf = ({ kind, within }: ListPlace): string => `${kind}.${within ?? ''}`;

export const placeOf = (cursor: string): ListPlace | null => {
  const dot = cursor.indexOf('.');
  if (dot < 1) return null;
  const within = cursor.slice(dot + 1);
  return { kind: cursor.slice(0, dot), within: within === '' ? null : within };
};

/** A part of a text, never through the middle of a character; `next` is null at its end. */
export const cutOf = (
  text: string,
  from: number,
  max: number,
): { text: string; next: number | null; of: number } => {
  const isLow = (at: number): boolean => {
    const code = text.charCodeAt(at);
    return code >= 0xdc00 && code <= 0xdfff;
  };
  const start = isLow(from) ? from - 1 : from;
  const end = start + max >= text.length ? text.length : isLow(start + max) ? start + max - 1 : start + max;
  return { text: text.slice(start, end), next: end < text.length ? end : null, of: text.length };
};
