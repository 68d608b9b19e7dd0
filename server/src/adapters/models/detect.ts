import { textWithin } from '../../kernel/bounded-body.ts';

/** Short probes for what answers at an address. They never throw: an endpoint that fails is one that is not there. */

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const fetchJson = async (
  url: string,
  timeoutMs: number,
  headers: Record<string, string>,
): Promise<unknown> => {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) {
      await response.body?.cancel();
      return undefined;
    }
    return JSON.parse(await textWithin(response.body, MAX_ANSWER_BYTES)) as unknown;
  } catch {
    return undefined;
  }
};

const namesIn = (value: unknown, list: string, key: string): string[] | null => {
  if (typeof value !== 'object' || value === null) return null;
  const rows: unknown = Reflect.get(value, list);
  if (!Array.isArray(rows)) return null;
  return rows.flatMap((row: unknown) => {
    const name: unknown = typeof row === 'object' && row !== null ? Reflect.get(row, key) : undefined;
    return typeof name === 'string' ? [name] : [];
  });
};

/**
 * Models of an Ollama server in its own order, the last used first; null where none answers within `timeoutMs`.
 * `baseUrl` with or without a trailing slash or `/v1`.
 */
export const detectOllama = async (baseUrl: string, timeoutMs = 300): Promise<string[] | null> => {
  const root = baseUrl.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '');
  return namesIn(await fetchJson(`${root}/api/tags`, timeoutMs, {}), 'models', 'name');
};

/** Models that a chat-completions endpoint lists; null where it does not answer so. */
export const listModels = async (
  baseUrl: string,
  apiKey: string | undefined,
  timeoutMs = 2000,
): Promise<string[] | null> => {
  const headers: Record<string, string> =
    apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
  const value = await fetchJson(`${baseUrl.replace(/(?<!\/)\/+$/, '')}/models`, timeoutMs, headers);
  return namesIn(value, 'data', 'id');
};
