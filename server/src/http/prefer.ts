import type { FastifyRequest } from 'fastify';

/** Parts between separators, but for those in a quoted string. */
const partsOf = (text: string, separator: string): string[] => {
  const parts = [''];
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const one = text.charAt(at);
    if (one === separator && !quoted) {
      parts.push('');
      continue;
    }
    if (one === '"') quoted = !quoted;
    const escaped = quoted && one === '\\';
    parts[parts.length - 1] += escaped ? text.slice(at, at + 2) : one;
    if (escaped) at++;
  }
  return parts;
};

const unquoted = (word: string): string =>
  word.length > 1 && word.startsWith('"') && word.endsWith('"')
    ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1')
    : word;

/** Preferences by their name (RFC 7240): what is said twice counts as it was said first; parameters are none of ours. */
const preferencesOf = (prefer: string | string[] | undefined): Map<string, string> => {
  const found = new Map<string, string>();
  for (const one of partsOf(String(prefer ?? ''), ',')) {
    const [said = ''] = partsOf(one, ';');
    const [name = '', ...value] = said.split('=');
    const key = name.trim().toLowerCase();
    if (key !== '' && !found.has(key)) found.set(key, unquoted(value.join('=').trim()));
  }
  return found;
};

/** False for a caller who wants no place behind the message that the conversation is busy with (`Prefer: no-wait`, RFC 7240). */
export const prefersWaiting = (request: FastifyRequest): boolean =>
  !preferencesOf(request.headers.prefer).has('no-wait');

const LONGEST_WAIT_S = 300;

/**
 * How long an upload is waited for (`Prefer: wait=N` and `respond-async`, RFC 7240), and what of it to say in `Preference-Applied`.
 * Both together: N seconds, then in the background.
 */
export const uploadPreference = (
  prefer: string | string[] | undefined,
  defaultS: number,
): { waitMs: number; applied: string | null } => {
  const asked = preferencesOf(prefer);
  const wait = asked.get('wait') ?? '';
  const isWait = /^\d{1,9}$/.test(wait);
  const isAsync = asked.has('respond-async');
  const seconds = Math.min(isWait ? Number(wait) : isAsync ? 0 : defaultS, LONGEST_WAIT_S);
  const said = [...(isAsync ? ['respond-async'] : []), ...(isWait ? [`wait=${seconds}`] : [])];
  return { waitMs: seconds * 1000, applied: said.length === 0 ? null : said.join(', ') };
};
