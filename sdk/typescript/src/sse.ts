/** Server-sent events out of bytes (WHATWG HTML, section 9.2.6), however the bytes are cut. */

export interface SseEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export interface SseParser {
  /** Events that are complete with these bytes. An event without its blank line at the end is never given out. */
  push(bytes: Uint8Array): SseEvent[];
}

export const createSseParser = (): SseParser => {
  const decoder = new TextDecoder();
  let rest = '';
  let afterCr = false;
  let id = '';
  let event = '';
  let data: string[] = [];

  const line = (text: string): SseEvent | null => {
    if (text === '') {
      const done =
        data.length > 0 ? { id, event: event === '' ? 'message' : event, data: data.join('\n') } : null;
      event = '';
      data = [];
      return done;
    }
    const colon = text.indexOf(':');
    const field = colon === -1 ? text : text.slice(0, colon);
    const raw = colon === -1 ? '' : text.slice(colon + 1);
    const value = raw.startsWith(' ') ? raw.slice(1) : raw;
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
    return null;
  };

  return {
    push(bytes) {
      // A BOM at the start is dropped by the decoder; a character cut in two waits inside it.
      rest += decoder.decode(bytes, { stream: true });
      const events: SseEvent[] = [];
      for (;;) {
        // A CR ends the line at once; an LF that follows it, perhaps in the next bytes, belongs to it.
        if (afterCr && rest !== '') {
          if (rest.startsWith('\n')) rest = rest.slice(1);
          afterCr = false;
        }
        const at = rest.search(/[\r\n]/);
        if (at === -1) break;
        afterCr = rest[at] === '\r';
        const done = line(rest.slice(0, at));
        rest = rest.slice(at + 1);
        if (done !== null) events.push(done);
      }
      return events;
    },
  };
};
