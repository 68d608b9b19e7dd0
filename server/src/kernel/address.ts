const IPV6_SIGNS = /^[0-9a-f:.]+$/i;
const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * What limits by address count: an IPv4 address, or the /64 network of an IPv6 one, of which whoever has one address has
 * all.
 */
export const addressGroup = (address: string): string => {
  const [bare = ''] = address.split('%', 1);
  const mapped = MAPPED.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!bare.includes(':') || !IPV6_SIGNS.test(bare)) return address;
  const [head = '', tail] = bare.split('::', 2);
  const parts = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted end stands for two groups.
  const missing = 8 - parts.length - rest.length - (rest.at(-1)?.includes('.') === true ? 1 : 0);
  const all =
    tail === undefined ? parts : [...parts, ...Array<string>(Math.max(0, missing)).fill('0'), ...rest];
  const network = all.slice(0, 4).map((part) => Number.parseInt(part, 16).toString(16));
  return `${network.join(':')}::/64`;
};
