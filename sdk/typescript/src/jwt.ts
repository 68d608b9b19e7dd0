import { base64Bytes, base64Url } from './base64.ts';
import { PentarchError } from './errors.ts';

/** Signing of assertions with Web Crypto. */

const lengthOf = (size: number): number[] => {
  if (size < 128) return [size];
  return size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
};

/** PKCS#8 around a PKCS#1 key (RFC 5208): the form that Zitadel hands out, while Web Crypto reads PKCS#8 only. */
const wrapPkcs1 = (key: Uint8Array): Uint8Array<ArrayBuffer> => {
  const version = [0x02, 0x01, 0x00];
  const rsa = [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
  const octets = [0x04, ...lengthOf(key.length), ...key];
  const inner = [...version, ...rsa, ...octets];
  return new Uint8Array([0x30, ...lengthOf(inner.length), ...inner]);
};

/** The PKCS#8 bytes of a private key in PEM. */
export const pemBytes = (pem: string): Uint8Array<ArrayBuffer> => {
  const match = /-----BEGIN ((?:RSA )?PRIVATE KEY)-----([^-]+)-----END/.exec(pem);
  const [, label = '', text = ''] = match ?? [];
  if (match === null) throw new PentarchError('the machine key holds no private key in PEM');
  const bytes = base64Bytes(text.replace(/\s+/g, ''));
  return label === 'RSA PRIVATE KEY' ? wrapPkcs1(bytes) : bytes;
};

const encode = (value: unknown): string => base64Url(new TextEncoder().encode(JSON.stringify(value)));

/** A compact JWS (RFC 7515) with RS256. */
export const signRs256 = async (
  header: Readonly<Record<string, string>>,
  claims: Readonly<Record<string, unknown>>,
  pkcs8: Uint8Array<ArrayBuffer>,
): Promise<string> => {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']);
  const content = `${encode(header)}.${encode(claims)}`;
  const signature = await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(content));
  return `${content}.${base64Url(new Uint8Array(signature))}`;
};
