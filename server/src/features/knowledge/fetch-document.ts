import { BodyTooLarge, bytesWithin } from '../../kernel/bounded-body.ts';
import { AppError, type FieldFault } from '../../kernel/errors.ts';
import { type OutgoingHttp, OutgoingRefused } from '../../kernel/outgoing.ts';
import { cleanFilename } from './rules.ts';

/** Documents by address: the bytes behind a URL, through the guarded connection. */

const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 30_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export interface FetchedDocument {
  bytes: Uint8Array;
  /** What the server says it is; null where it says nothing of use. */
  declaredType: string | null;
  filename: string | null;
  /** The address that answered, after redirects. */
  url: string;
}

export type FetchDocument = (url: string) => Promise<FetchedDocument>;

const refused = (reason: string, message: string, cause?: unknown): AppError => {
  const fields: FieldFault[] = [{ field: '/url', reason: message }];
  return new AppError('VALIDATION_ERROR', message, { details: { reason, fields }, cause });
};

/** `filename` of Content-Disposition in either form, else the last part of the path. */
const filenameOf = (disposition: string | null, url: URL): string | null => {
  const extended = /filename\*\s*=\s*UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1];
  const plain = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition ?? '');
  const raw = extended ?? url.pathname.split('/').at(-1) ?? '';
  let decoded = raw;
  try {
    decoded = decodeURIComponent(raw);
  } catch {
    // A stray per cent sign: kept as it stands.
  }
  return cleanFilename(extended === undefined ? (plain?.[1] ?? plain?.[2] ?? decoded) : decoded);
};

const bodyOf = async (response: Response, maxBytes: number): Promise<Uint8Array> => {
  const tooLarge = () =>
    new AppError('PAYLOAD_TOO_LARGE', `the document at this address is larger than ${maxBytes} bytes`);
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) {
    await response.body?.cancel();
    throw tooLarge();
  }
  return bytesWithin(response.body, maxBytes).catch((error: unknown) => {
    throw error instanceof BodyTooLarge ? tooLarge() : error;
  });
};

/** Why the connection ended, without what it says about the inside of a network. */
const asAnswer = (error: unknown): unknown => {
  if (error instanceof AppError) return error;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutgoingRefused)
      return refused('address_refused', 'the address may not be called', error);
    if (cause.name === 'TimeoutError' || cause.name === 'AbortError')
      return refused('timeout', `the address did not answer in ${TIMEOUT_MS / 1000} seconds`, error);
  }
  return refused('unreachable', 'the address could not be read', error);
};

/**
 * Reads an address, following up to five redirects, each checked as the first. Throws VALIDATION_ERROR with a reason
 * (`address_refused`, `unreachable`, `bad_status`, `timeout`) and PAYLOAD_TOO_LARGE.
 */
export const createFetchDocument = (options: { http: OutgoingHttp; maxBytes: number }): FetchDocument => {
  const { http, maxBytes } = options;
  return async (start) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let url = start;
    try {
      for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
        const fault = http.check(url);
        if (fault !== null) throw refused('address_refused', `the address ${fault}`);
        const response = await http.fetch(url, {
          signal,
          headers: { accept: '*/*', 'user-agent': 'pentarch' },
        });
        if (REDIRECTS.has(response.status)) {
          await response.body?.cancel();
          const location = response.headers.get('location') ?? '';
          if (!URL.canParse(location, url)) throw refused('bad_status', 'the address redirects nowhere');
          url = new URL(location, url).href;
          continue;
        }
        if (!response.ok) {
          await response.body?.cancel();
          throw refused('bad_status', `the address answered with status ${response.status}`);
        }
        const type = response.headers.get('content-type');
        return {
          bytes: await bodyOf(response, maxBytes),
          declaredType: type === null || /^application\/octet-stream/i.test(type) ? null : type,
          filename: filenameOf(response.headers.get('content-disposition'), new URL(url)),
          url,
        };
      }
      throw refused('bad_status', `the address redirects more than ${MAX_REDIRECTS} times`);
    } catch (error) {
      throw asAnswer(error);
    }
  };
};
