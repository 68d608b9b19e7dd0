import type { Call, CallOptions, Http } from './http.ts';

/** Lists that go on over `next_cursor`, or over `Link: rel="next"` where a list is a bare array. */

export interface Page<T> {
  readonly items: T[];
  readonly page: number;
  readonly limit: number;
  readonly total: number;
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** The `cursor` of a Link header's next address (RFC 8288); null without one. */
export const nextCursorOf = (link: string | null): string | null => {
  for (const part of (link ?? '').split(/,\s*(?=<)/)) {
    const [, target = '', rest = ''] = /^\s*<([^>]*)>(.*)$/.exec(part) ?? [];
    if (!/;\s*rel="?next"?/.test(rest)) continue;
    return new URL(target, 'http://relative.invalid').searchParams.get('cursor');
  }
  return null;
};

const withCursor = (call: Call, cursor: string | null): Call => {
  if (cursor === null) return call;
  // A cursor stands in place of a page number.
  return { ...call, query: { ...call.query, page: undefined, cursor } };
};

/** Every item of every page; the next page is fetched when its first item is asked for. */
export const allItems = async function* <T>(
  http: Http,
  call: Call,
  options?: CallOptions,
): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const page: Page<T> = await http.json<Page<T>>(withCursor(call, cursor), options);
    yield* page.items;
    cursor = page.next_cursor;
  } while (cursor !== null);
};

/** The same for an array whose next page stands in the Link header. */
export const allBareItems = async function* <T>(
  http: Http,
  call: Call,
  options?: CallOptions,
): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const answer = await http.send(withCursor(call, cursor), options);
    let items: T[];
    try {
      items = (await answer.response.json()) as T[];
    } catch (error) {
      throw answer.failure(error);
    } finally {
      answer.done();
    }
    yield* items;
    cursor = nextCursorOf(answer.response.headers.get('link'));
  } while (cursor !== null);
};
