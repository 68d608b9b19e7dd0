import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAllowed } from './allow.rules.ts';

const byHost = { allow: [{ hosts: { url: ['api.example.com', '*.example.org'] } }] };

describe('calls that an operator allows with untrusted content in the conversation', () => {
  it('all, by approval auto; only those named, where some are named', () => {
    expect(isAllowed({}, {})).toBe(false);
    expect(isAllowed({ risk: 'low' }, {})).toBe(false);
    expect(isAllowed({ approval: 'auto' }, { url: 'https://far.test' })).toBe(true);
    expect(isAllowed({ approval: 'auto', ...byHost }, { url: 'https://far.test' })).toBe(false);
  });

  it('are of the named host, however the address is written', () => {
    const allowed = (url: unknown): boolean => isAllowed(byHost, { url });
    for (const url of [
      'https://api.example.com',
      'http://API.example.com:8080/x?y#z',
      'https://a.example.org/',
    ])
      expect([url, allowed(url)]).toEqual([url, true]);
    for (const url of [
      'https://example.org.far.test/',
      'https://a.example.org@far.test/',
      'https://far.test\\@a.example.org/',
      'https://far.test/ https://a.example.org/',
      'https://far.test#.example.org',
      '//a.example.org/',
      'a.example.org',
      'ftp://a.example.org/',
      '',
      7,
      null,
      {},
      [],
      ['https://a.example.org/', 'https://far.test/'],
    ])
      expect([url, allowed(url)]).toEqual([url, false]);
    expect(isAllowed(byHost, {})).toBe(false);
  });

  it('have each member of a list within the globs, and no star for a second address or a way up', () => {
    const policy = { allow: [{ arguments: { to: ['*@example.com'], path: ['reports/*'] } }] };
    const allowed = (to: unknown, path = 'reports/a.txt'): boolean => isAllowed(policy, { to, path });
    expect(allowed('bob@example.com')).toBe(true);
    expect(allowed(['bob@example.com', 'ann@example.com'])).toBe(true);
    expect(allowed(['bob@example.com', 'eve@far.test'])).toBe(false);
    expect(allowed('eve@far.test,bob@example.com')).toBe(false);
    expect(allowed('bob@example.com', 'reports/../secret')).toBe(false);
    expect(isAllowed(policy, { to: 'bob@example.com' })).toBe(false);
  });

  it('reach no other host than one of the globs', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string()), (url) => {
        if (!isAllowed(byHost, { url })) return;
        const { hostname } = new URL(url);
        expect(hostname === 'api.example.com' || hostname.endsWith('.example.org')).toBe(true);
      }),
    );
  });
});
