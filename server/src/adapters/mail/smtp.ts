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
    `the mail server ${address.host} offers no TLS that can be used, and nothing is sent without it: let it offer STARTTLS (smtp://) or TLS (smtps://) with a valid certificate, or set SMTP_TLS to opportunistic or off under smtp://`,
    { cause },
  );

/** `ETLS`, or what OpenSSL says of a certificate, which has the code of any broken connection. */
const isTlsFault = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === 'ETLS') || /certificate|altnames|SSL routines/i.test(error.message));

/**
 * Where to connect. Not to `localhost`: that is looked up like any name, and whoever answers for it could say another machine,
 * which would get in plain text what is meant for this one.
 */
const hostOf = (address: URL): string => {
  const host = address.hostname.replace(/^\[(.*)\]$/, '$1');
  return host.toLowerCase() === 'localhost' ? '127.0.0.1' : host;
};

export const createSmtpMailer = (options: SmtpOptions): Mailer => {
  const address = new URL(options.url);
  const secure = address.protocol === 'smtps:';
  const host = hostOf(address);
  const required = !secure && options.tls === 'require' && !options.isLoopback(host);
  // Better than plain text, which is allowed too, whatever the certificate.
  const unproved = !secure && !required;
  const connect = async () => {
    // Loaded with the first mail: without SMTP_URL, and until then, it only takes memory.
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host,
      port: address.port === '' ? (secure ? 465 : 587) : Number(address.port),
      secure,
      requireTLS: required,
      ignoreTLS: options.tls === 'off',
      opportunisticTLS: unproved,
      ...(unproved ? { tls: { rejectUnauthorized: false } } : {}),
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
        throw !unproved && isTlsFault(error) ? noTls(address, error) : error;
      }
    },
  };
};
