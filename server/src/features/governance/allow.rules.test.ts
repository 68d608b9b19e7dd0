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

  it('have numbers by their digits, and what a glob says word for word, whatever stands in it', () => {
    const policy = { allow: [{ arguments: { id: ['47*', 'a; b', '../up', '9'] } }] };
    const allowed = (id: unknown): boolean => isAllowed(policy, { id });
    for (const id of [4711, '47', 'a; b', '../up', 9, ['a; b', 471]])
      expect([id, allowed(id)]).toEqual([id, true]);
    for (const id of [48, 'a; c', '47;1', '47/../1', '47\u00071', '..', true, ['47', true], [['47']]])
      expect([id, allowed(id)]).toEqual([id, false]);
  });

  it('fit one rule wholly: its hosts and its arguments', () => {
    const policy = {
      allow: [{ hosts: { url: ['x.test'] }, arguments: { to: ['a'] } }, { arguments: { to: ['b'] } }],
    };
    expect(isAllowed(policy, { url: 'https://x.test', to: 'a' })).toBe(true);
    expect(isAllowed(policy, { url: 'https://y.test', to: 'a' })).toBe(false);
    expect(isAllowed(policy, { url: 'https://x.test', to: 'c' })).toBe(false);
    expect(isAllowed(policy, { url: 'https://y.test', to: 'b' })).toBe(true);
    expect(isAllowed({ allow: [] }, {})).toBe(false);
    // Members of the object that nobody has given are none.
    expect(isAllowed({ allow: [{ arguments: { constructor: ['*'] } }] }, {})).toBe(false);
    expect(isAllowed({ allow: [{ hosts: { url: ['*'] } }] }, { url: 'https://[::' })).toBe(false);
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
