import { createTransport } from 'nodemailer';
import type { Mailer } from '../../kernel/mail.ts';

const TIMEOUT_MS = 10_000;

/** `url`: smtp://user:password@host:port (or smtps://). */
export const createSmtpMailer = (options: { url: string; from: string }): Mailer => {
  const address = new URL(options.url);
  const secure = address.protocol === 'smtps:';
  const transport = createTransport({
    host: address.hostname,
    port: address.port === '' ? (secure ? 465 : 587) : Number(address.port),
    secure,
    ...(address.username === ''
      ? {}
      : { auth: { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    delivers: true,
    send: async (mail) => {
      // As one address: a text would be read as a list.
      const to = { name: '', address: mail.to };
      await transport.sendMail({ from: options.from, to, subject: mail.subject, text: mail.text });
    },
  };
};
