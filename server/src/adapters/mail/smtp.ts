import type { Mailer } from '../../kernel/mail.ts';

const TIMEOUT_MS = 10_000;

export type SmtpTls = 'require' | 'opportunistic' | 'off';

export interface SmtpOptions {
  /** smtp://user:password@host:port (or smtps://). */
  url: string;
  from: string;
  /** Of smtp:// addresses (RFC 3207). */
  tls: SmtpTls;
  isLoopback(host: string): boolean;
}

/** Neither password nor mail goes out in plain text: whoever sits between may answer that there is no TLS. */
const noTls = (address: URL, cause: unknown): Error =>
  new Error(
    `the mail server ${address.host} offers no TLS that can be used, and nothing is sent without it: let it offer STARTTLS with a valid certificate, use smtps://, or set SMTP_TLS to opportunistic or off`,
    { cause },
  );

const isTlsFault = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ETLS';

export const createSmtpMailer = (options: SmtpOptions): Mailer => {
  const address = new URL(options.url);
  const secure = address.protocol === 'smtps:';
  const required = !secure && options.tls === 'require' && !options.isLoopback(address.hostname);
  const connect = async () => {
    // Loaded with the first mail: without SMTP_URL, and until then, it only takes memory.
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host: address.hostname,
      port: address.port === '' ? (secure ? 465 : 587) : Number(address.port),
      secure,
      requireTLS: required,
      ignoreTLS: options.tls === 'off',
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
      try {
        await smtp.sendMail({ from: options.from, to, subject: mail.subject, text: mail.text });
      } catch (error) {
        throw required && isTlsFault(error) ? noTls(address, error) : error;
      }
    },
  };
};
