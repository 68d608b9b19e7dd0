import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { carriedJson, StoredCredentialSchema } from '../../kernel/stored-credential.schema.ts';
import { CreateWebhook } from './schema.ts';

const Kept = Type.Union([StoredCredentialSchema, Type.Null()]);
const Readers = Type.Array(Type.Object({ user_id: Type.String({ minLength: 1 }), credential: Kept }), {
  minItems: 1,
});

type Row = Record<string, unknown>;

/**
 * A webhook of another installation under the rules of this one's API. One whose address may not be called here is kept
 * switched off, with its deliveries; `fault` says why. Throws for what the API would never have stored.
 */
export const carriedWebhook = (
  row: Row,
  checkUrl: (url: string) => string | null,
): { row: Row; fault: string | null } => {
  const input = { url: row.url, events: carriedJson(row.events), description: row.description ?? null };
  if (!Value.Check(CreateWebhook, input)) {
    const [first] = Value.Errors(CreateWebhook, input);
    throw new Error(
      `a webhook of the archive: ${first?.instancePath || '/'} ${first?.message ?? 'is wrong'}`,
    );
  }
  const credential =
    row.credential === undefined || row.credential === null ? null : carriedJson(row.credential);
  const readers = row.readers === undefined || row.readers === null ? null : carriedJson(row.readers);
  const isKnown =
    (row.credential === null ||
      row.credential === undefined ||
      Value.Check(StoredCredentialSchema, credential)) &&
    (row.readers === null || row.readers === undefined || Value.Check(Readers, readers));
  if (!isKnown) throw new Error('a webhook of the archive does not say for whom it reads');
  const fault = checkUrl(input.url);
  if (fault === null) return { row, fault };
  return { row: { ...row, status: 'disabled', disabled_reason: 'manual' }, fault };
};
