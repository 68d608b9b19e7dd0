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

export interface RemoteParserOptions {
  kind: RemoteAnswer['format'];
  url: string;
  apiKey: string | null;
  types: ReadonlySet<TypeName>;
  /** Bounds the size of an answer as well. */
  http: OutgoingHttp;
  /** For one document (default 120,000). */
  timeoutMs?: number;
}

export function createRemoteParser(options: RemoteParserOptions): RemoteParser {
  const { kind, url, apiKey, types, http, timeoutMs = 120_000 } = options;

  async function ask(path: string, init: RequestInit): Promise<string> {
    const headers = new Headers(init.headers);
    if (apiKey !== null) headers.set('x-api-key', apiKey);
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await http.fetch(`${url}${path}`, { ...init, headers, signal });
    if (answer.status !== 200) {
      await answer.body?.cancel();
      throw new Error(`the parser at ${new URL(url).host} answers ${answer.status}`);
    }
    return answer.text();
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
      const content = await ask('/tika', {
        method: 'PUT',
        headers: { accept: 'text/html', 'content-type': TYPES[type] },
        body: new Uint8Array(bytes),
      });
      return { format: kind, content };
    },
    close: () => http.close(),
  };
}

const ENDINGS: Partial<Record<TypeName, string>> = { markdown: 'md', text: 'txt' };
