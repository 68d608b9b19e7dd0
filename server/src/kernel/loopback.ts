/** The names of this machine are one: which of them a person types does not matter, on the same port. */
const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export const isSameOrigin = (origin: string, own: string): boolean => {
  if (origin === own) return true;
  if (!URL.canParse(origin)) return false;
  const [one, other] = [new URL(origin), new URL(own)];
  return (
    one.origin === origin &&
    one.protocol === other.protocol &&
    one.port === other.port &&
    LOOPBACK.has(one.hostname) &&
    LOOPBACK.has(other.hostname)
  );
};

/** The service's address as the client has written it, where that is one of the same origin; else as it is known. */
export const addressAsAsked = (host: string | undefined, own: string): string => {
  const { protocol, origin } = new URL(own);
  const asked = `${protocol}//${host ?? ''}`;
  return isSameOrigin(asked, origin) ? `${asked}${own.slice(origin.length)}` : own;
};
