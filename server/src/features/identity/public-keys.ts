import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';

/** Which public keys are trusted with a signature: RS256, ES256 and EdDSA, nothing weak, nothing ambiguous (RFC 7517, RFC 8725). */

export const SIGNATURE_ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
export type SignatureAlgorithm = (typeof SIGNATURE_ALGORITHMS)[number];

export interface PublicKey {
  kid: string | undefined;
  algorithm: SignatureAlgorithm;
  key: KeyObject;
}

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];
const MIN_RSA_BITS = 2048;

/** Small primes at which moduli of the ROCA weakness (CVE-2017-15361) all lie in the group that 65537 generates. */
const ROCA_PRIMES = [3, 5, 7, 11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157];

const generatedBy65537 = (prime: number): Set<number> => {
  const group = new Set<number>();
  for (let value = 1; !group.has(value); value = (value * 65_537) % prime) group.add(value);
  return group;
};

const ROCA_GROUPS = ROCA_PRIMES.map((prime) => ({ prime, group: generatedBy65537(prime) }));

const toBigInt = (base64url: unknown): bigint => {
  const hex = typeof base64url === 'string' ? Buffer.from(base64url, 'base64url').toString('hex') : '';
  return hex === '' ? 0n : BigInt(`0x${hex}`);
};

const isRoca = (modulus: bigint): boolean =>
  ROCA_GROUPS.every(({ prime, group }) => group.has(Number(modulus % BigInt(prime))));

const rsaFault = (jwk: Readonly<Record<string, unknown>>): string | null => {
  const modulus = toBigInt(jwk.n);
  const exponent = toBigInt(jwk.e);
  if (modulus.toString(2).length < MIN_RSA_BITS) return `has fewer than ${MIN_RSA_BITS} bits`;
  if (exponent < 3n || exponent % 2n === 0n) return 'has a weak exponent';
  return isRoca(modulus) ? 'comes from a generator that is known to be broken' : null;
};

const algorithmOf = (jwk: Readonly<Record<string, unknown>>): SignatureAlgorithm | null => {
  if (jwk.kty === 'RSA') return 'RS256';
  if (jwk.kty === 'EC' && jwk.crv === 'P-256') return 'ES256';
  return jwk.kty === 'OKP' && jwk.crv === 'Ed25519' ? 'EdDSA' : null;
};

/** The key, or why it is not taken. */
export const readPublicKey = (
  jwk: Readonly<Record<string, unknown>>,
): { key: PublicKey; fault?: undefined } | { key?: undefined; fault: string } => {
  const algorithm = algorithmOf(jwk);
  if (algorithm === null) return { fault: 'must be an RSA, P-256 or Ed25519 key' };
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member))) {
    return { fault: 'must be a public key; this one has private members and must be given up' };
  }
  if (jwk.use !== undefined && jwk.use !== 'sig') return { fault: 'is not for signatures' };
  if (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify'))) {
    return { fault: 'is not for verifying' };
  }
  if (jwk.alg !== undefined && jwk.alg !== algorithm) return { fault: `must have alg ${algorithm}, or none` };
  if (jwk.kid !== undefined && typeof jwk.kid !== 'string') return { fault: 'must have a text as kid' };
  const fault = jwk.kty === 'RSA' ? rsaFault(jwk) : null;
  if (fault !== null) return { fault };
  try {
    // Members that describe the key; the engine checks that a point lies on its curve.
    const { kty, n, e, crv, x, y } = jwk;
    const material: JsonWebKey = Object.fromEntries(
      Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => typeof value === 'string'),
    );
    return { key: { kid: jwk.kid, algorithm, key: createPublicKey({ key: material, format: 'jwk' }) } };
  } catch {
    return { fault: 'is damaged' };
  }
};

/**
 * Keys of a set and what is wrong with the others: a client that registers one is refused, a provider's set may hold keys
 * for other purposes. A `kid` that two keys share is ambiguous: neither is trusted.
 */
export const readKeySet = (
  keys: readonly unknown[],
): { trusted: PublicKey[]; faults: { index: number; fault: string }[] } => {
  const faults: { index: number; fault: string }[] = [];
  const counts = new Map<unknown, number>();
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  for (const key of keys) if (isObject(key)) counts.set(key.kid, (counts.get(key.kid) ?? 0) + 1);
  const trusted: PublicKey[] = [];
  keys.forEach((jwk, index) => {
    const read = isObject(jwk) ? readPublicKey(jwk) : { fault: 'must be an object' };
    if (read.fault !== undefined) faults.push({ index, fault: read.fault });
    else if (keys.length > 1 && (counts.get(read.key.kid) ?? 0) > 1) {
      faults.push({ index, fault: 'shares its kid with another key' });
    } else trusted.push(read.key);
  });
  return { trusted, faults };
};
