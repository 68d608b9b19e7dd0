import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { TYPES, type TypeName } from './types.ts';

/** Another program that reads documents, over HTTP: Docling Serve or Apache Tika Server. */
export interface RemoteParser {
  readonly types: ReadonlySet<TypeName>;
  /** What it makes of the file, in its own form; throws where it cannot, or is not there. */
  convert(bytes: Uint8Array, type: TypeName): Promise<RemoteAnswer>;
  close(): Promise<void>;
}

export interface RemoteAnswer {
  format: 'docling' | 'tika';
  content: string;
}

/** Its first byte comes when it is done: what carries the call must wait as long. */
export const REMOTE_ANSWER_MS = 120_000;

export interface RemoteParserOptions {
  kind: RemoteAnswer['format'];
  url: string;
  apiKey: string | null;
  types: ReadonlySet<TypeName>;
  /** Bounds the size of an answer as well. */
  http: OutgoingHttp;
  /** For one document (default `REMOTE_ANSWER_MS`). */
  timeoutMs?: number;
}

class ParserAnswer extends Error {
  readonly status: number;
  constructor(host: string, status: number) {
    super(`the parser at ${host} answers ${status}`);
    this.name = 'ParserAnswer';
    this.status = status;
  }
}

const NOT_ACCEPTABLE = 406;

export function createRemoteParser(options: RemoteParserOptions): RemoteParser {
  const { kind, url, apiKey, types, http, timeoutMs = REMOTE_ANSWER_MS } = options;

  async function ask(path: string, init: RequestInit): Promise<string> {
    const headers = new Headers(init.headers);
    if (apiKey !== null) headers.set('x-api-key', apiKey);
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await http.fetch(`${url}${path}`, { ...init, headers, signal });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw new ParserAnswer(new URL(url).host, answer.status);
    }
    return answer.text();
  }

  /** Until its release 4 it goes by `Accept` alone; from then on XHTML has an address of its own. */
  let tikaPath = '/tika';
  async function tika(bytes: Uint8Array, type: TypeName): Promise<string> {
    const init = {
      method: 'PUT',
      headers: { accept: 'text/html', 'content-type': TYPES[type] },
      body: new Uint8Array(bytes),
    };
    try {
      return await ask(tikaPath, init);
    } catch (error) {
      if (!(error instanceof ParserAnswer) || error.status !== NOT_ACCEPTABLE) throw error;
      const content = await ask('/tika/html', init);
      tikaPath = '/tika/html';
      return content;
    }
  }

  async function docling(bytes: Uint8Array, type: TypeName): Promise<string> {
    const form = new FormData();
    // It goes by the ending; the real name is nobody's business.
    form.set(
      'files',
      new Blob([new Uint8Array(bytes)], { type: TYPES[type] }),
      `document.${ENDINGS[type] ?? type}`,
    );
    form.set('to_formats', 'json');
    form.set('image_export_mode', 'placeholder');
    // Packed here: a form of the platform is none to every client.
    const packed = new Response(form);
    const answer: unknown = JSON.parse(
      await ask('/v1/convert/file', {
        method: 'POST',
        headers: { 'content-type': packed.headers.get('content-type') ?? '' },
        body: new Uint8Array(await packed.arrayBuffer()),
      }),
    );
    const { status, document } = (answer ?? {}) as {
      status?: unknown;
      document?: { json_content?: unknown };
    };
    const content = document?.json_content;
    if (
      (status !== 'success' && status !== 'partial_success') ||
      typeof content !== 'object' ||
      content === null
    )
      throw new Error(`Docling could not read the file: ${String(status)}`);
    return JSON.stringify(content);
  }

  return {
    types,
    async convert(bytes, type) {
      if (kind === 'docling') return { format: kind, content: await docling(bytes, type) };
      return { format: kind, content: await tika(bytes, type) };
    },
    close: () => http.close(),
  };
}

const ENDINGS: Partial<Record<TypeName, string>> = { markdown: 'md', text: 'txt' };
