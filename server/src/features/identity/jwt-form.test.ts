import { describe, expect, it } from 'vitest';
import { isAccessTokenType, MAX_TOKEN_BYTES, readClaims, readHeader } from './jwt-form.ts';

/** Refused on the form of a token alone (contract, section 3; RFC 8725). */

const ALGORITHMS = ['RS256', 'ES256'];
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (header: unknown, payload: unknown = {}, signature = 'c2ln'): string =>
  `${part(header)}.${part(payload)}.${signature}`;
const read = (header: unknown) => readHeader(token(header), ALGORITHMS);

describe('the header of a token', () => {
  it('has algorithm, key and type', () => {
    expect(read({ alg: 'RS256', kid: 'k', typ: 'at+jwt', x: 1 })).toEqual({
      alg: 'RS256',
      kid: 'k',
      typ: 'at+jwt',
    });
    expect(read({ alg: 'ES256' })).toEqual({ alg: 'ES256', kid: undefined, typ: undefined });
  });

  it.each(['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64', 'zip', 'enc'])(
    'must not have %s, whatever it holds',
    (name) => {
      expect(read({ alg: 'RS256', [name]: null })).toBeNull();
    },
  );

  it.each([
    { alg: 'none' },
    { alg: 'HS256' },
    { alg: 'rs256' },
    { alg: ['RS256'] },
    { alg: 1 },
    {},
    { alg: 'RS256', kid: '' },
    { alg: 'RS256', kid: 1 },
    { alg: 'RS256', kid: null },
    { alg: 'RS256', typ: 1 },
    { alg: 'RS256', typ: null },
    null,
    ['RS256'],
    'RS256',
    7,
  ])('is refused as %j', (header) => {
    expect(read(header)).toBeNull();
  });

  it('is of three parts of base64url, with a header and a signature', () => {
    const [head, payload, signature] = token({ alg: 'RS256' }).split('.');
    expect(readHeader(`${head}..${signature}`, ALGORITHMS)).not.toBeNull();
    for (const text of [
      `${head}.${payload}`,
      `${head}.${payload}.${signature}.${signature}`,
      `${head}.${payload}.`,
      `.${payload}.${signature}`,
      `${head}=.${payload}.${signature}`,
      `${head}.${payload}=.${signature}`,
      `${head}.${payload}.${signature}=`,
      `${Buffer.from('{alg}').toString('base64url')}.${payload}.${signature}`,
      // Not UTF-8: another reader could see other members.
      `${Buffer.from([...Buffer.from('{"alg":"RS256","a":"'), 0xff, 0x22, 0x7d]).toString('base64url')}.${payload}.${signature}`,
    ])
      expect([text, readHeader(text, ALGORITHMS)]).toEqual([text, null]);
  });

  it('is looked at up to 8 KiB', () => {
    // One of four lengths of the header leaves a signature that base64url can have.
    const read = (length: number) =>
      ['', 'k', 'kk', 'kkk'].flatMap((kid) => {
        const bare = token({ alg: 'RS256', kid: `k${kid}` }, {}, '');
        return readHeader(bare + 'A'.repeat(length - bare.length), ALGORITHMS) ?? [];
      });
    expect(MAX_TOKEN_BYTES).toBe(8_192);
    expect(read(MAX_TOKEN_BYTES).length).toBeGreaterThan(0);
    for (const more of [1, 2, 3, 4]) expect(read(MAX_TOKEN_BYTES + more)).toEqual([]);
  });
});

describe('the rest of a token', () => {
  it('says that it is an access token, in any case, with and without its prefix', () => {
    for (const typ of ['at+jwt', 'AT+JWT', 'application/at+jwt']) expect(isAccessTokenType(typ)).toBe(true);
    for (const typ of [undefined, '', 'JWT', 'at+jwtx', 'xat+jwt', 'undefined'])
      expect(isAccessTokenType(typ)).toBe(false);
  });

  it('has its claims in the second part', () => {
    expect(readClaims(token({ alg: 'RS256' }, { sub: '1' }))).toEqual({ sub: '1' });
    for (const text of ['', 'a', 'a.', `a.${part([1])}`, `a.${part(null)}`, `a.${part('x')}`])
      expect([text, readClaims(text)]).toEqual([text, null]);
  });
});
