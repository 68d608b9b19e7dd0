import { Value } from 'typebox/value';
import { CreateWebhook } from './schema.ts';

type Row = Record<string, unknown>;

const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
};

/**
 * A webhook of another installation under the rules of this one's API. One whose address may not be called here is kept
 * switched off, with its deliveries; `fault` says why. Throws for what the API would never have stored.
 */
export const carriedWebhook = (
  row: Row,
  checkUrl: (url: string) => string | null,
): { row: Row; fault: string | null } => {
  const input = { url: row.url, events: parsed(row.events), description: row.description ?? null };
  if (!Value.Check(CreateWebhook, input)) {
    const [first] = Value.Errors(CreateWebhook, input);
    throw new Error(
      `a webhook of the archive: ${first?.instancePath || '/'} ${first?.message ?? 'is wrong'}`,
    );
  }
  const fault = checkUrl(input.url);
  if (fault === null) return { row, fault };
  return { row: { ...row, status: 'disabled', disabled_reason: 'manual' }, fault };
};
