import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { storable } from '../../kernel/storable.ts';
import { traceHeaders } from '../../kernel/tracing.ts';
import { webhookSignatureOf } from './signing.ts';

/** One try to send a delivery: a POST, signed, with a time limit, and a look at no more than the head of the answer. */
export interface AttemptInput {
  http: OutgoingHttp;
  url: string;
  deliveryId: string;
  requestId: string | null;
  body: string;
  /** Without any, nothing is signed. */
  secrets: readonly string[];
  /** Default: application/json. */
  contentType?: string;
  /** Go along, and are kept in no log. */
  secretHeaders?: Readonly<Record<string, string>>;
  /** Epoch ms: signed, so that a receiver can refuse old ones. */
  now: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface AttemptResult {
  requestHeaders: Record<string, string>;
  response: { status: number; headers: Record<string, string>; body: string } | null;
  /** Set where there was no complete answer. */
  error: string | null;
  durationMs: number;
}

const KEPT_BODY_BYTES = 4 * 1024;
/** What is read of a body before the connection is cut: enough to let an ordinary one end by itself. */
const READ_BODY_BYTES = 64 * 1024;
const KEPT_HEADERS = 40;

const readHead = async (response: Response): Promise<string> => {
  if (response.body === null) return '';
  const reader = response.body.getReader();
  const kept: Uint8Array[] = [];
  let seenBytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (seenBytes < KEPT_BODY_BYTES) kept.push(value.subarray(0, KEPT_BODY_BYTES - seenBytes));
    seenBytes += value.byteLength;
    if (seenBytes >= READ_BODY_BYTES) {
      await reader.cancel();
      break;
    }
  }
  // No store holds NUL characters in text.
  return storable(Buffer.concat(kept).toString('utf8'));
};

/** OpenSSL's own lines name threads and places in its source: only the reason is of use. */
const plain = (message: string): string => {
  const reason = /^[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):/.exec(message)?.[1];
  return reason === undefined ? message.trim() : `TLS failed: ${reason}`;
};

const causeText = (error: unknown): string => {
  const texts: string[] = [];
  for (let at: unknown = error; at instanceof Error && texts.length < 4; at = at.cause) {
    const code = 'code' in at && typeof at.code === 'string' ? ` (${at.code})` : '';
    if (at.message !== '' && at.message !== 'fetch failed') texts.push(`${plain(at.message)}${code}`);
  }
  return texts.join(': ').slice(0, 500) || 'the connection failed';
};

export const attemptDelivery = async (input: AttemptInput): Promise<AttemptResult> => {
  const { deliveryId, body, now } = input;
  const headers: Record<string, string> = {
    'content-type': input.contentType ?? 'application/json',
    'user-agent': 'Pentarch-Webhooks/2.0',
    'webhook-id': deliveryId,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    ...(input.requestId === null ? {} : { 'x-request-id': input.requestId }),
    ...traceHeaders(),
  };
  const signed: Record<string, string> =
    input.secrets.length === 0
      ? {}
      : { 'webhook-signature': webhookSignatureOf(input.secrets, deliveryId, now, body) };
  const started = performance.now();
  const done = (response: AttemptResult['response'], error: string | null): AttemptResult => ({
    requestHeaders: headers,
    response,
    error,
    durationMs: Math.round(performance.now() - started),
  });
  const limit = AbortSignal.timeout(input.timeoutMs);
  let head: { status: number; headers: Record<string, string> } | null = null;
  try {
    const response = await input.http.fetch(input.url, {
      method: 'POST',
      headers: { ...headers, ...input.secretHeaders, ...signed },
      body,
      signal: AbortSignal.any([limit, input.signal]),
    });
    head = {
      status: response.status,
      headers: Object.fromEntries([...response.headers].slice(0, KEPT_HEADERS)),
    };
    return done({ ...head, body: await readHead(response) }, null);
  } catch (error) {
    if (input.signal.aborted) throw error;
    const text = limit.aborted ? `no complete answer within ${input.timeoutMs} ms` : causeText(error);
    return done(head === null ? null : { ...head, body: '' }, text);
  }
};
