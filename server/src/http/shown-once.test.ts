import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { req } from '../../test/requirements.ts';
import { Nullable, ShownOnce } from '../kernel/schema.ts';
import { shownOnceFields, withoutSecrets } from './shown-once.ts';

const FORM = Type.Object({
  id: Type.String(),
  key: ShownOnce('k'),
  url: Nullable(ShownOnce('u')),
  inner: Type.Optional(Type.Object({ link: Type.Optional(ShownOnce('l')) })),
});

describe('what is kept of an answer with a secret', () => {
  it(req('IDEM-08', 'leaves out, nulls or empties it, and says so'), () => {
    const body = JSON.stringify({ id: '1', key: 'K', url: 'U', inner: { link: 'L' } });
    expect(JSON.parse(withoutSecrets(body, shownOnceFields(FORM)))).toEqual({
      id: '1',
      key: '',
      url: null,
      inner: {},
      secret_withheld: true,
    });
  });

  it('is the same text where it holds none', () => {
    const body = JSON.stringify({ id: '1', url: null });
    expect(withoutSecrets(body, shownOnceFields(FORM))).toBe(body);
    expect(withoutSecrets('', shownOnceFields(FORM))).toBe('');
    expect(shownOnceFields(null)).toEqual([]);
  });
});

type Json = Record<string, unknown>;
const record = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

const DOCUMENT = record(
  JSON.parse(
    readFileSync(path.join(import.meta.dirname, '..', '..', '..', 'api', 'openapi.json'), 'utf8'),
  ) as unknown,
);

/** Tokens of the sign-in, which are never kept; the provider's own doors take no Idempotency-Key. */
const NEVER_KEPT = /^(login|refreshToken)$|^(issueTokens|createMachineKey|introspectToken)$/;
const SECRET_NAME = /(^|_)(secret|token|key|password)$|^keyDetails$|invitation_url|authorization_url/;

const resolve = (schema: Json): Json => {
  if (typeof schema.$ref !== 'string') return schema;
  const at = schema.$ref.slice(2).split('/');
  return resolve(record(at.reduce<unknown>((found, key) => record(found)[key], DOCUMENT)));
};

it(
  req('IDEM-08', 'every field of a POST’s answer that is named like a secret is marked as shown once'),
  () => {
    const unmarked: string[] = [];
    const look = (schema: Json, name: string, operation: string, depth: number): void => {
      if (depth > 6) return;
      const found = resolve(schema);
      const choices = [found, ...(Array.isArray(found.anyOf) ? found.anyOf.map(record) : [])].map(resolve);
      if (SECRET_NAME.test(name) && !choices.some((choice) => 'x-shown-once' in choice))
        unmarked.push(`${operation} ${name}`);
      for (const choice of choices)
        for (const [inner, field] of Object.entries(record(choice.properties)))
          look(record(field), inner, operation, depth + 1);
    };
    for (const methods of Object.values(record(DOCUMENT.paths))) {
      const post = record(record(methods).post);
      const operation = String(post.operationId);
      if (NEVER_KEPT.test(operation)) continue;
      for (const [status, response] of Object.entries(record(post.responses))) {
        if (!status.startsWith('2')) continue;
        for (const content of Object.values(record(record(response).content)))
          look(record(record(content).schema), '', operation, 0);
      }
    }
    expect(unmarked).toEqual([]);
  },
);
