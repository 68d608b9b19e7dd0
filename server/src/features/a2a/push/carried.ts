import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** What the platform reads of a row that came from another installation. */
const Credential = Type.Object({
  v: Type.Literal(1),
  kind: Type.Union([Type.Literal('jwt'), Type.Literal('api_key'), Type.Literal('personal_token')]),
  keyId: Type.Union([Type.String(), Type.Null()]),
  whole: Type.Boolean(),
  permissions: Type.Array(Type.String()),
  added: Type.Array(Type.String()),
});

type Row = Record<string, unknown>;

const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
};

/** One whose address may not be called here is kept and has ended; `fault` says why. Throws for what the door never stores. */
export const carriedPushConfig = (
  row: Row,
  checkUrl: (url: string) => string | null,
): { row: Row; fault: string | null } => {
  if (!Value.Check(Credential, parsed(row.credential)))
    throw new Error('notifications of a task do not say for whom they are sent');
  if (row.protocol !== '1.0' && row.protocol !== '0.3')
    throw new Error('notifications of a task have no known version of the protocol');
  if (row.finished_at !== null && row.finished_at !== undefined) return { row, fault: null };
  const fault = checkUrl(String(row.url));
  if (fault === null) return { row, fault };
  return { row: { ...row, due: null, end_reason: 'not_allowed', finished_at: row.created_at }, fault };
};
