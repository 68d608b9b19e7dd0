import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressGroup } from './address.ts';

describe('address groups', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:DB8:0:1:ffff:ffff:ffff:ffff', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s is of %s', (address, group) => {
    expect(addressGroup(address)).toBe(group);
  });

  it('are one for all addresses of a /64, however they are written', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.array(fc.nat(0xffff), { minLength: 4, maxLength: 4 }), (address, end) => {
        const group = addressGroup(address);
        fc.pre(group.endsWith('::/64'));
        const other = `${group.slice(0, -'::/64'.length)}:${end.map((part) => part.toString(16)).join(':')}`;
        expect(addressGroup(other)).toBe(group);
      }),
    );
  });
});
