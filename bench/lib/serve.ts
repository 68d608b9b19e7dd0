/** What every baseline process shares: announce the address as one JSON line, end on SIGTERM. */

/** Prints `{url}` and closes by `close` on SIGTERM or SIGINT. `port` is on 127.0.0.1. */
export const announce = (port: number, close: () => unknown): void => {
  const stop = (): void => {
    close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
};

export const portOf = (address: unknown): number => {
  if (
    typeof address === 'object' &&
    address !== null &&
    'port' in address &&
    typeof address.port === 'number'
  )
    return address.port;
  throw new Error('the server has no port');
};

/** The provider's address (ends in `/v1`), the only argument of the baselines T and S. */
export const providerUrl = (): string => {
  const url = process.argv[2];
  if (url === undefined || !URL.canParse(url)) throw new Error('expected the address of the provider');
  return url;
};

/** The `message` of a chat body; everything else is ignored by the baselines. */
export const messageOf = (body: unknown): string => {
  if (typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string')
    return body.message;
  throw new Error('expected {message}');
};
