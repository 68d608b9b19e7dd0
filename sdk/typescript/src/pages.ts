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

/** What a Link header's next address asks for (RFC 8288): its cursor, else its page; null without one. */
export const nextQueryOf = (link: string | null): { cursor: string } | { page: string } | null => {
  for (const part of (link ?? '').split(/,\s*(?=<)/)) {
    const [, target = '', rest = ''] = /^\s*<([^>]*)>(.*)$/.exec(part) ?? [];
    if (!/;\s*rel="?next"?/.test(rest)) continue;
    const query = new URL(target, 'http://relative.invalid').searchParams;
    const cursor = query.get('cursor');
    const page = query.get('page');
    if (cursor !== null) return { cursor };
    return page === null ? null : { page };
  }
  return null;
};

/** A cursor stands in place of a page number. */
const nextCall = (call: Call, next: { cursor: string } | { page: string } | null): Call =>
  next === null ? call : { ...call, query: { ...call.query, page: undefined, cursor: undefined, ...next } };

/** Every item of every page; the next page is fetched when its first item is asked for. */
export const allItems = async function* <T>(
  http: Http,
  call: Call,
  options?: CallOptions,
): AsyncGenerator<T> {
  let cursor: string | null = null;
  do {
    const next: { cursor: string } | null = cursor === null ? null : { cursor };
    const page: Page<T> = await http.json<Page<T>>(nextCall(call, next), options);
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
  let next: ReturnType<typeof nextQueryOf> = null;
  do {
    const answer = await http.send(nextCall(call, next), options);
    let items: T[];
    try {
      items = (await answer.response.json()) as T[];
    } catch (error) {
      throw answer.failure(error);
    } finally {
      answer.done();
    }
    yield* items;
    next = nextQueryOf(answer.response.headers.get('link'));
  } while (next !== null);
};
