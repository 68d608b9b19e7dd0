/** Names of tools in the letters that the providers of models take. */

const MAX_NAME = 64;

/** Eleven characters that differ between names (cyrb53); no secret hangs on it. */
const shortHash = (text: string): string => {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & b) + (a >>> 0)).toString(36).padStart(11, '0');
};

/**
 * The one spelling that every provider takes: letters, digits, `_`, `-`, at most 64. A name that cannot be written so
 * ends with a hash of itself: providers refuse a request that names two tools alike, and a call must find its tool.
 */
export const spelledName = (name: string): string => {
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
  if (plain === name && plain.length <= MAX_NAME) return plain;
  const hash = shortHash(name);
  return `${plain.slice(0, MAX_NAME - hash.length - 1)}_${hash}`;
};
