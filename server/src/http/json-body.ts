import { AppError, invalid } from '../kernel/errors.ts';
import { isStorable } from '../kernel/storable.ts';

/** Deepest nesting of arrays and objects that a body may have; deeper ones exhaust recursive code behind. */
export const MAX_DEPTH = 64;

const tooDeep = (text: string): boolean => {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (inString) {
      if (c === 92) i++;
      else if (c === 34) inString = false;
    } else if (c === 34) inString = true;
    else if (c === 91 || c === 123) {
      depth++;
      if (depth > MAX_DEPTH) return true;
    } else if (c === 93 || c === 125) depth--;
  }
  return false;
};

/** Pointer of the first string (or key) that no store can hold: with a NUL, or not well-formed Unicode. */
const badString = (value: unknown, at: string): string | null => {
  if (typeof value === 'string') return isStorable(value) ? null : at || '/';
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    if (!isStorable(key)) return at || '/';
    const found = badString(inner, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
    if (found !== null) return found;
  }
  return null;
};

const hasProtoKey = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  if (Object.hasOwn(value, 'constructor')) {
    const inner: unknown = (value as Record<string, unknown>).constructor;
    if (typeof inner === 'object' && inner !== null && Object.hasOwn(inner, 'prototype')) return true;
  }
  return Object.values(value).some(hasProtoKey);
};

/** Digits and exponents with which a number may not survive as one: beyond 2^53, or beyond what a double holds. */
const LARGE_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;

/** The first number that would be stored as another one, as it was written; the reader gets `source` (ECMA-262 2026). */
const unheldNumber = (text: string): string | null => {
  let found: string | null = null;
  JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number' || found !== null) return value;
    const source = context?.source ?? '';
    const exact = !/^-?\d+$/.test(source) || Number.isSafeInteger(value);
    if (!Number.isFinite(value) || !exact) found = source;
    return value;
  });
  return found;
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text of a request body. Throws VALIDATION_ERROR for what is no UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new AppError('VALIDATION_ERROR', 'the body is not UTF-8', {
      details: { fields: [{ field: '/', reason: 'must be UTF-8' }] },
      cause: error,
    });
  }
};

/**
 * JSON of a request body. Throws VALIDATION_ERROR for what is no JSON, no UTF-8, nested too deep, or holds text or keys
 * that must not travel further. Clean bodies pay for one parse and three substring searches.
 */
export const parseJsonBody = (bytes: Uint8Array): unknown => {
  const text = decodeUtf8(bytes);
  if (text.length > MAX_DEPTH && tooDeep(text)) {
    throw invalid({ field: '/', reason: `must not be nested deeper than ${MAX_DEPTH} levels` });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError('VALIDATION_ERROR', 'the body is not valid JSON', {
      details: { fields: [{ field: '/', reason: 'must be valid JSON' }] },
      cause: error,
    });
  }
  if (LARGE_NUMBER.test(text)) {
    const source = unheldNumber(text);
    if (source !== null) {
      const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
      throw invalid({ field: '/', reason: `must not have a number that cannot be held exactly: ${shown}` });
    }
  }
  if (text.includes('\\u')) {
    const at = badString(value, '');
    if (at !== null) throw invalid({ field: at, reason: 'must be text without NUL and lone surrogates' });
    if (hasProtoKey(value))
      throw invalid({ field: '/', reason: 'must not have a key __proto__ or constructor.prototype' });
  } else if ((text.includes('__proto__') || text.includes('constructor')) && hasProtoKey(value)) {
    throw invalid({ field: '/', reason: 'must not have a key __proto__ or constructor.prototype' });
  }
  return value;
};
