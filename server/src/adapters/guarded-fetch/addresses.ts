import { BlockList, isIP } from 'node:net';
import { withoutEnd } from 'pentarch-prose';

/**
 * Which addresses are public: the IANA special-purpose registries (RFC 6890) turned round. For IPv6 only 2000::/3 is
 * global unicast, less the parts of it that carry IPv4 or are set aside; so mapped, compatible, NAT64 and unique local
 * addresses are out without being named.
 */
type Range = readonly [network: string, prefix: number];

const blockList = (v4: readonly Range[], v6: readonly Range[]): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of v4) list.addSubnet(network, prefix, 'ipv4');
  for (const [network, prefix] of v6) list.addSubnet(network, prefix, 'ipv6');
  return list;
};

const SPECIAL_V4 = blockList(
  [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    // In no registry: Azure's own services (metadata, keys of the host agent) on a public-looking address.
    ['168.63.129.16', 32],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.31.196.0', 24],
    ['192.52.193.0', 24],
    ['192.88.99.0', 24],
    ['192.168.0.0', 16],
    ['192.175.48.0', 24],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ],
  [],
);
const GLOBAL_V6 = blockList([], [['2000::', 3]]);
const SPECIAL_V6 = blockList(
  [],
  [
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['2620:4f:8000::', 48],
    ['3fff::', 20],
  ],
);

/** What `allowPrivate` adds: one's own machine and networks, and no metadata service of a cloud. */
const OWN_V4 = blockList(
  [
    ['10.0.0.0', 8],
    ['127.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
  ],
  [],
);
const OWN_V6 = blockList(
  [],
  [
    ['::1', 128],
    ['fc00::', 7],
  ],
);
/** AWS (metadata, credentials of pods, name and time service), Google Cloud, Scaleway. */
const METADATA_V6 = blockList(
  [],
  [
    ['fd00:ec2::', 32],
    ['fd20:ce::254', 128],
    ['fd00:42::42', 128],
  ],
);

const withoutZone = (address: string): string => address.split('%', 1).join('');

/** `::ffff:a.b.c.d`, as sockets of both families report IPv4. */
const mappedV4 = (address: string): string | null =>
  /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1] ?? null;

/** `address`: an IPv4 or IPv6 literal without brackets. Anything else is not public. */
export const isPublicAddress = (address: string): boolean => {
  const bare = withoutZone(address);
  const family = isIP(bare);
  if (family === 4) return !SPECIAL_V4.check(bare, 'ipv4');
  if (family === 6) return GLOBAL_V6.check(bare, 'ipv6') && !SPECIAL_V6.check(bare, 'ipv6');
  return false;
};

export const isOwnAddress = (address: string): boolean => {
  const bare = withoutZone(address);
  const v4 = mappedV4(bare) ?? (isIP(bare) === 4 ? bare : null);
  if (v4 !== null) return OWN_V4.check(v4, 'ipv4');
  return isIP(bare) === 6 && OWN_V6.check(bare, 'ipv6') && !METADATA_V6.check(bare, 'ipv6');
};

export const isAllowedAddress = (address: string, allowPrivate: boolean): boolean =>
  isPublicAddress(address) || (allowPrivate && isOwnAddress(address));

/** Names that mean this machine or its network wherever they are asked for (RFC 6761, RFC 8375, cloud metadata). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** `host`: the host of a WHATWG URL, in brackets when IPv6. */
export const isAllowedHost = (host: string, allowPrivate: boolean): boolean => {
  const name = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return isAllowedAddress(name, allowPrivate);
  const bare = withoutEnd(name, '.');
  if (bare === '') return false;
  if (!LOCAL_NAME.test(bare)) return true;
  return allowPrivate && !/(^|\.)metadata(\.|$)/.test(bare);
};
