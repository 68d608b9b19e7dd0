import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** Secrets and signatures by the Standard Webhooks scheme (symmetric, v1). */

const SECRET_BYTES = 32;

export const newSigningSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** `signature` for `<id>.<timestamp>.<body>`; one for each secret, separated by spaces (rotation). */
export const webhookSignatureOf = (
  secrets: readonly string[],
  id: string,
  epochMs: number,
  body: string,
): string => secrets.map((secret) => new Webhook(secret).sign(id, new Date(epochMs), body)).join(' ');
