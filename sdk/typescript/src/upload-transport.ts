/**
 * One try of an upload in a browser, where `fetch` tells nothing of the bytes that leave: XMLHttpRequest does. Answers as
 * `fetch` does, with a Response for every status and a rejection where no answer came or the signal fired.
 */

/** What is used of it: the types of the DOM are not there for everybody who builds with this. */
interface Xhr {
  responseType: string;
  readonly response: unknown;
  readonly status: number;
  readonly statusText: string;
  readonly upload: {
    addEventListener(name: 'progress', listener: (event: { readonly loaded: number }) => void): void;
  };
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  addEventListener(name: 'load' | 'error' | 'abort', listener: () => void): void;
  send(body: Blob): void;
  abort(): void;
}
type XhrConstructor = new () => Xhr;

const isConstructor = (value: unknown): value is XhrConstructor => typeof value === 'function';
const constructorOf = (): XhrConstructor | null => {
  const found: unknown = Reflect.get(globalThis, 'XMLHttpRequest');
  return isConstructor(found) ? found : null;
};

/** Where the file can be sent with progress: pages and workers of browsers. */
export const hasXhr = (): boolean => constructorOf() !== null;

const cancelled = (): Error => new DOMException('the upload was cancelled', 'AbortError');

const NO_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

const headersOf = (text: string): Headers => {
  const headers = new Headers();
  for (const line of text.split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
};

export interface XhrRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Blob;
  readonly signal: AbortSignal;
  readonly onSent: (sentBytes: number) => void;
}

export const xhrFetch = (url: string, request: XhrRequest): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { method, headers, body, signal, onSent } = request;
    const Constructor = constructorOf();
    if (Constructor === null) throw new Error('no XMLHttpRequest here');
    const xhr = new Constructor();
    const abort = (): void => xhr.abort();
    const end = (work: () => void) => (): void => {
      signal.removeEventListener('abort', abort);
      work();
    };
    if (signal.aborted) {
      reject(cancelled());
      return;
    }
    xhr.open(method, url);
    xhr.responseType = 'blob';
    headers.forEach((value, name) => {
      xhr.setRequestHeader(name, value);
    });
    xhr.upload.addEventListener('progress', ({ loaded }) => onSent(loaded));
    xhr.addEventListener(
      'load',
      end(() => {
        const { status, statusText } = xhr;
        const answer: Blob | null =
          xhr.response instanceof Blob && !NO_BODY.has(status) ? xhr.response : null;
        resolve(
          new Response(answer, { status, statusText, headers: headersOf(xhr.getAllResponseHeaders()) }),
        );
      }),
    );
    xhr.addEventListener(
      'error',
      end(() => reject(new TypeError('the connection failed'))),
    );
    xhr.addEventListener(
      'abort',
      end(() => reject(cancelled())),
    );
    signal.addEventListener('abort', abort, { once: true });
    xhr.send(body);
  });
