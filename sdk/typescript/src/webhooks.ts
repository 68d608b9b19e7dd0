import { base64Bytes } from './base64.ts';
import { WebhookVerificationError } from './errors.ts';

/** Verification of webhooks by the Standard Webhooks scheme. */

export interface WebhookPayload {
  readonly event: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface VerifyOptions {
  /** One `whsec_…` secret, or several while one is being rotated. */
  secret: string | readonly string[];
  /** Headers of the request; names in any case. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it was received: text or bytes, never re-serialised. */
  body: string | Uint8Array;
  /** How old or how far ahead a webhook may be. */
  toleranceS?: number;
  now?: () => number;
}

const encoder = new TextEncoder();

const headerOf = (headers: VerifyOptions['headers'], name: string): string => {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  for (const [key, value] of Object.entries(headers)) {
    if (key.toLowerCase() === name && value !== undefined)
      return typeof value === 'string' ? value : (value[0] ?? '');
  }
  return '';
};

const join = (parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

const signedBy = async (secret: string, content: Uint8Array<ArrayBuffer>, signatures: readonly string[]) => {
  const raw = base64Bytes(secret.startsWith('whsec_') ? secret.slice(6) : secret);
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  for (const signature of signatures) {
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = base64Bytes(signature);
    } catch {
      continue;
    }
    // `verify` compares in constant time.
    if (bytes.length === 32 && (await crypto.subtle.verify('HMAC', key, bytes, content))) return true;
  }
  return false;
};

/**
 * Checks signature and time, and gives the parsed body.
 * @throws WebhookVerificationError for missing headers, a time outside the tolerance, no matching signature, no JSON.
 */
export const verifyWebhook = async (options: VerifyOptions): Promise<WebhookPayload> => {
  const { secret, headers, body, toleranceS = 300, now = Date.now } = options;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const given = headerOf(headers, 'webhook-signature');
  if (id === '' || given === '' || !/^\d+$/.test(timestamp)) {
    throw new WebhookVerificationError('webhook-id, webhook-timestamp or webhook-signature is missing');
  }
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceS) {
    throw new WebhookVerificationError('the webhook is too old or too far ahead');
  }
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const content = join([encoder.encode(`${id}.${timestamp}.`), bytes]);
  const signatures = given.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  const secrets = typeof secret === 'string' ? [secret] : secret;
  const matches = await Promise.all(secrets.map((one) => signedBy(one, content, signatures)));
  if (!matches.includes(true)) throw new WebhookVerificationError('no signature matches');
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookPayload;
  } catch {
    throw new WebhookVerificationError('the body is no JSON');
  }
};
