import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Manifest } from './manifest.ts';

/**
 * The mark of the platform that made an archive: HMAC-SHA256 over the manifest, which holds the hash of everything else. It says
 * who made the file to that platform alone; for others an archive is what its sender made of it.
 */
export interface ArchiveSigner {
  sign(manifest: Manifest): Manifest;
  /** Whether a platform with one of these keys made it, as it is. */
  isOwn(manifest: Manifest): boolean;
}

const textOf = ({ signature: _signature, ...rest }: Manifest): string => JSON.stringify(rest);

const macOf = (key: Uint8Array, manifest: Manifest): Buffer =>
  createHmac('sha256', key).update(textOf(manifest)).digest();

const idOf = (key: Uint8Array): string =>
  Buffer.from(hkdfSync('sha256', key, '', 'pentarch archive key id', 6)).toString('hex');

/** `secrets`: that of the platform now, then earlier ones. */
export const createArchiveSigner = (secrets: readonly string[]): ArchiveSigner => {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'pentarch archive', 32)));
  const [current] = keys;
  return {
    sign(manifest) {
      if (current === undefined) return manifest;
      return {
        ...manifest,
        signature: { key: idOf(current), hmac: macOf(current, manifest).toString('hex') },
      };
    },
    isOwn(manifest) {
      const { signature } = manifest;
      if (signature === undefined) return false;
      const given = Buffer.from(signature.hmac, 'hex');
      return keys.some((key) => {
        const right = macOf(key, manifest);
        return given.length === right.length && timingSafeEqual(given, right);
      });
    },
  };
};
