/** Redirect addresses of clients (RFC 9700, 2.1; RFC 8252): compared exactly, but for the port of a loopback one. */

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];
const MAX_LENGTH = 2048;

/** Why an address cannot be registered; null when it can. */
export const redirectFault = (uri: string): string | null => {
  if (uri.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`;
  if (!URL.canParse(uri)) return 'must be an absolute address';
  const url = new URL(uri);
  if (uri.includes('#')) return 'must not have a fragment';
  if (uri.includes('*')) return 'must not have a wildcard';
  if (url.username !== '' || url.password !== '') return 'must not hold a name or password';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:') {
    return LOOPBACK.includes(url.hostname) ? null : 'must be https; http is for loopback addresses only';
  }
  // RFC 8252, 7.1: a scheme of one's own is a reversed domain name, which also rules out javascript: and data:.
  return url.protocol.includes('.') ? null : 'must be https, a loopback address, or a reversed-domain scheme';
};
