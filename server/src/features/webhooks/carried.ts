import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { CreateWebhook } from './schema.ts';

/** What each event of the tenant reads of the row: a form of its own would fail the change that the event tells of. */
const Credential = Type.Object({
  v: Type.Literal(1),
  kind: Type.Union([Type.Literal('jwt'), Type.Literal('api_key'), Type.Literal('personal_token')]),
  keyId: Type.Union([Type.String(), Type.Null()]),
  whole: Type.Boolean(),
  permissions: Type.Array(Type.String()),
  added: Type.Array(Type.String()),
});
const Kept = Type.Union([Credential, Type.Null()]);
const Readers = Type.Array(Type.Object({ user_id: Type.String({ minLength: 1 }), credential: Kept }), {
  minItems: 1,
});

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
  const credential = row.credential === undefined || row.credential === null ? null : parsed(row.credential);
  const readers = row.readers === undefined || row.readers === null ? null : parsed(row.readers);
  const isKnown =
    (row.credential === null || row.credential === undefined || Value.Check(Credential, credential)) &&
    (row.readers === null || row.readers === undefined || Value.Check(Readers, readers));
  if (!isKnown) throw new Error('a webhook of the archive does not say for whom it reads');
  const fault = checkUrl(input.url);
  if (fault === null) return { row, fault };
  return { row: { ...row, status: 'disabled', disabled_reason: 'manual' }, fault };
};
