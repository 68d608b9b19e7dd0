/** What is refused on the form of a token alone, before any key is looked at (contract, section 3; RFC 8725). */

/** Longest token that is looked at, in bytes. */
export const MAX_TOKEN_BYTES = 8192;

export interface JwtHeader {
  alg: string;
  kid: string | undefined;
  typ: string | undefined;
}

/** Header members that would let the token bring or fetch its own key, or ask for what we do not know (`crit`). */
const REFUSED_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'];

/** Base64url without padding, and with no bits beyond the last byte: exactly one spelling for each token. */
export const isCanonicalBase64url = (text: string): boolean =>
  /^[A-Za-z0-9_-]*$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;

const parseObject = (part: string): Record<string, unknown> | null => {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
      ? Object.fromEntries(Object.entries(parsed))
      : null;
  } catch {
    return null;
  }
};

/** The header of a compact JWS that may be verified; null for anything else. */
export const readHeader = (token: string, algorithms: readonly string[]): JwtHeader | null => {
  if (token.length > MAX_TOKEN_BYTES) return null;
  const parts = token.split('.');
  const [first, , signature] = parts;
  if (parts.length !== 3 || !first || !signature || !parts.every(isCanonicalBase64url)) return null;
  const header = parseObject(first);
  if (header === null || REFUSED_MEMBERS.some((name) => Object.hasOwn(header, name))) return null;
  const { alg, kid, typ } = header;
  if (typeof alg !== 'string' || !algorithms.includes(alg)) return null;
  if (kid !== undefined && (typeof kid !== 'string' || kid === '')) return null;
  if (typ !== undefined && typeof typ !== 'string') return null;
  return { alg, kid, typ };
};

/** RFC 9068, 4: `at+jwt`, also with the `application/` prefix; case does not matter. */
export const isAccessTokenType = (typ: string | undefined): boolean =>
  typ !== undefined && /^(application\/)?at\+jwt$/i.test(typ);

/** Claims of a token whose signature has been or will be checked elsewhere. */
export const readClaims = (token: string): Record<string, unknown> | null =>
  parseObject(token.split('.')[1] ?? '');
