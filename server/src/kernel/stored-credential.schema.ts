import { Type } from 'typebox';

/** A stored credential that another installation has written: what reads it later would fail with a form of its own. */
export const StoredCredentialSchema = Type.Object({
  v: Type.Literal(1),
  kind: Type.Union([Type.Literal('jwt'), Type.Literal('api_key'), Type.Literal('personal_token')]),
  keyId: Type.Union([Type.String(), Type.Null()]),
  whole: Type.Boolean(),
  permissions: Type.Array(Type.String()),
  added: Type.Array(Type.String()),
});

/** JSON of a row that was carried over; null for what is none. */
export const carriedJson = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
};
