import { Value } from 'typebox/value';
import { carriedJson, StoredCredentialSchema } from '../../../kernel/stored-credential.schema.ts';

type Row = Record<string, unknown>;

/** One whose address may not be called here is kept and has ended; `fault` says why. Throws for what the door never stores. */
export const carriedPushConfig = (
  row: Row,
  checkUrl: (url: string) => string | null,
): { row: Row; fault: string | null } => {
  if (!Value.Check(StoredCredentialSchema, carriedJson(row.credential)))
    throw new Error('notifications of a task do not say for whom they are sent');
  if (row.protocol !== '1.0' && row.protocol !== '0.3')
    throw new Error('notifications of a task have no known version of the protocol');
  if (row.finished_at !== null && row.finished_at !== undefined) return { row, fault: null };
  const fault = checkUrl(String(row.url));
  if (fault === null) return { row, fault };
  return { row: { ...row, due: null, end_reason: 'not_allowed', finished_at: row.created_at }, fault };
};
