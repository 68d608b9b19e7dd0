import { generateKeyPairSync, sign } from 'node:crypto';

/** A self-signed certificate, as programs make them at their installation: encrypts, and proves nothing (X.509, in DER by hand). */

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const size =
    body.length < 128 ? [body.length] : [0x82, Math.floor(body.length / 256) % 256, body.length % 256];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const time = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`));

/** sha256WithRSAEncryption, and commonName. */
const RS256 = sequence(Buffer.from('06092a864886f70d01010b0500', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const DAY_MS = 86_400_000;

export const selfSigned = (name: string): { key: string; cert: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const subject = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(name)))));
  const now = Date.now();
  const told = sequence(
    der(0x02, Buffer.from([1])),
    RS256,
    subject,
    sequence(time(new Date(now - DAY_MS)), time(new Date(now + DAY_MS))),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const whole = sequence(told, RS256, der(0x03, Buffer.from([0]), sign('sha256', told, privateKey)));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
};
