import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newSigningSecret, webhookSignatureOf } from './signing.ts';

interface Vector {
  name: string;
  secret?: string;
  id: string;
  timestamp: number;
  body: string;
  signature: string;
  valid: boolean;
}
const { cases } = JSON.parse(
  readFileSync(new URL('../../../test/cases/standard-webhooks-vectors.json', import.meta.url), 'utf8'),
) as { cases: Vector[] };
/** Rows without a shared secret are of the asymmetric scheme (v1a), which is not offered. */
const symmetric = cases.filter((row): row is Vector & { secret: string } => row.secret !== undefined);

describe('standard-webhooks-vectors.json', () => {
  it.each(symmetric.filter((row) => row.valid))('signs "$name" as the vector says', (row) => {
    expect(webhookSignatureOf([row.secret], row.id, row.timestamp * 1000, row.body).split(' ')).toContain(
      row.signature.split(' ').find((part) => part.startsWith('v1,')),
    );
  });

  it.each(symmetric.filter((row) => !row.valid))('never makes the signature of "$name"', (row) => {
    expect(webhookSignatureOf([row.secret], row.id, row.timestamp * 1000, row.body)).not.toBe(row.signature);
  });

  it('covers the file', () => {
    expect(symmetric.length).toBeGreaterThan(cases.length / 2);
  });
});

it('makes secrets of 32 random bytes', () => {
  const secrets = Array.from({ length: 50 }, newSigningSecret);
  expect(new Set(secrets).size).toBe(50);
  for (const secret of secrets) expect(Buffer.from(secret.slice(6), 'base64').length).toBe(32);
});

it('signs once for each secret', () => {
  const [a, b] = [newSigningSecret(), newSigningSecret()];
  expect(webhookSignatureOf([a, b], 'm', 0, '{}')).toBe(
    `${webhookSignatureOf([a], 'm', 0, '{}')} ${webhookSignatureOf([b], 'm', 0, '{}')}`,
  );
});
