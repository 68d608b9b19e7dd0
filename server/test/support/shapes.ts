import { expect } from 'vitest';
import type { Answer, Client, RawAnswer } from './client.ts';
import type { TestServer } from './server.ts';

/** What every suite asks of answers again and again. */

export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

export interface ErrorFacts {
  code: string;
  message: string;
  details: Record<string, unknown>;
  requestId: string;
}

interface Details extends Record<string, unknown> {
  fields?: { field: string; reason: string }[];
}

type AnyAnswer = Pick<Answer | RawAnswer, 'status' | 'headers' | 'body' | 'text'>;

/** Checks status, shape A, headers; the error's own facts come back. */
export const expectErrorA = (
  answer: AnyAnswer,
  status: number,
  code: string,
): ErrorFacts & { details: Details } => {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      error: {
        code,
        message: expect.stringMatching(/\S/),
        details: expect.any(Object),
        request_id: answer.headers.get('x-request-id'),
      },
    },
  });
  expectBaseHeaders(answer);
  const { error } = answer.body as { error: { message: string; details: Details; request_id: string } };
  return { code, message: error.message, details: error.details, requestId: error.request_id };
};

/** The same for shape B; `reason` where the code is a reason of its own (TOKEN_EXPIRED). */
export const expectErrorB = (
  answer: AnyAnswer,
  status: number,
  code: string,
  reason = code,
): ErrorFacts & { details: Details } => {
  expect({ status: answer.status, body: answer.body }).toEqual({
    status,
    body: {
      error: code.toLowerCase(),
      message: expect.stringMatching(/\S/),
      code: reason,
      details: expect.any(Object),
      request_id: answer.headers.get('x-request-id'),
    },
  });
  expectBaseHeaders(answer);
  const body = answer.body as { message: string; details: Details; request_id: string };
  return { code: reason, message: body.message, details: body.details, requestId: body.request_id };
};

/** By the prefix of the path. */
export const expectError = (answer: AnyAnswer, path: string, status: number, code: string, reason = code) =>
  /^\/(api\/)?v2(\/|$)/.test(path)
    ? expectErrorB(answer, status, code, reason)
    : expectErrorA(answer, status, code);

export const expectBaseHeaders = (answer: AnyAnswer): void => {
  expect(answer.headers.get('x-api-version')).toBe('2.0.0');
  expect(answer.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  for (const name of ['limit', 'remaining', 'reset']) {
    expect(answer.headers.get(`x-ratelimit-${name}`), `x-ratelimit-${name}`).toMatch(/^\d+$/);
  }
};

/** The fields that a validation error names. */
export const fieldsOf = (facts: { details: Details }): string[] =>
  (facts.details.fields ?? []).map((fault) => fault.field);

let people = 0;

/** A new person in the tenant `default`, signed in. */
export const newPerson = async (
  server: TestServer,
  admin: Client,
  more: { roles?: string[]; tier?: string } = {},
): Promise<Client & { id: string; email: string; password: string }> => {
  const email = `person${++people}@example.test`;
  const password = `a long enough password ${people}`;
  const made = await admin.post('/v2/users', { email, password, ...more });
  if (made.status !== 201) throw new Error(`POST users: ${made.status} ${made.text}`);
  const client = await server.signIn(email, password);
  return { ...client, id: made.json<{ id: string }>().id, email, password };
};
