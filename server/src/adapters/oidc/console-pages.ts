/** Where the console stands: at the service's own address, or under another name of the machine that leads there. */

/** What people type for a server on the loopback; `[::1]` is there only for one whose own address it is. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['127.0.0.1', 'localhost'],
  ['localhost', '127.0.0.1'],
  ['[::1]', 'localhost'],
]);

/** The same port of the same machine by its other name: another program can listen there too, so it gets nothing unasked. */
export const isOtherName = (url: URL, issuer: URL): boolean =>
  url.protocol === issuer.protocol &&
  url.port === issuer.port &&
  OTHER_NAMES.get(issuer.hostname) === url.hostname;

/** A page of the console, to the letter: no query, no fragment, no name or password. */
export const isConsolePage = (uri: string, issuer: URL, path: string): boolean => {
  const url = URL.parse(uri);
  if (url === null || uri !== `${url.origin}${path}`) return false;
  return url.origin === issuer.origin || isOtherName(url, issuer);
};
