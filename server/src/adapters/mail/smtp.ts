import type { Mailer } from '../../kernel/mail.ts';

const TIMEOUT_MS = 10_000;

/** `url`: smtp://user:password@host:port (or smtps://). */
export const createSmtpMailer = (options: { url: string; from: string }): Mailer => {
  const address = new URL(options.url);
  const secure = address.protocol === 'smtps:';
  const connect = async () => {
    // Loaded with the first mail: without SMTP_URL, and until then, it only takes memory.
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host: address.hostname,
      port: address.port === '' ? (secure ? 465 : 587) : Number(address.port),
      secure,
      ...(address.username === ''
        ? {}
        : {
            auth: { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) },
          }),
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  };
  let transport: ReturnType<typeof connect> | null = null;
  return {
    delivers: true,
    send: async (mail) => {
      // As one address: a text would be read as a list.
      const to = { name: '', address: mail.to };
      transport ??= connect();
      const smtp = await transport;
      await smtp.sendMail({ from: options.from, to, subject: mail.subject, text: mail.text });
    },
  };
};
