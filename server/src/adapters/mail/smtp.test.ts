import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../../../test/support/certificate.ts';
import { createSmtpMailer, type SmtpTls } from './smtp.ts';

/**
 * What the server does about TLS: nothing, a self-signed certificate behind STARTTLS, a refusal of what it has offered, or TLS
 * from the first byte.
 */
type Offers = 'nothing' | 'starttls' | 'refused' | 'smtps';

/** A mail server that takes everything and keeps what it was told, and what of it in plain text. */
const startMailServer = async (offers: Offers = 'nothing') => {
  const lines: string[] = [];
  const plain: string[] = [];
  const sockets = new Set<Socket>();
  const tls = offers === 'nothing' ? null : selfSigned('localhost');
  const serve = (socket: Socket, secure: boolean): void => {
    sockets.add(socket);
    let inData = false;
    let rest = '';
    socket.on('error', () => {});
    const hear = (bytes: Buffer): void => {
      rest += bytes.toString('utf8');
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        lines.push(line);
        if (!secure) plain.push(line);
        if (inData) {
          if (line !== '.') continue;
          inData = false;
          socket.write('250 taken\r\n');
        } else if (line === 'DATA') {
          inData = true;
          socket.write('354 go on\r\n');
        } else if (line === 'STARTTLS' && offers === 'starttls') {
          socket.write('220 go on\r\n');
          socket.off('data', hear);
          serve(new TLSSocket(socket, { isServer: true, ...tls }), true);
        } else if (line === 'STARTTLS') socket.write('502 no such command\r\n');
        else if (line.startsWith('AUTH')) socket.write('235 ok\r\n');
        else if (line.startsWith('EHLO')) {
          const more = !secure && tls !== null ? '250-STARTTLS\r\n' : '';
          socket.write(`250-test\r\n${more}250 AUTH PLAIN\r\n`);
        } else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      }
    };
    socket.on('data', hear);
    if (!(socket instanceof TLSSocket) || offers === 'smtps') socket.write('220 test\r\n');
  };
  const server =
    offers === 'smtps'
      ? createTlsServer({ ...tls }, (socket) => serve(socket, true))
      : createServer((socket) => serve(socket, false));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `${offers === 'smtps' ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    lines,
    plain,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
};

const mailerOf = (url: string, tls: SmtpTls = 'require', isLoopback: () => boolean = () => true) =>
  createSmtpMailer({ url, from: 'pentarch@example.test', tls, isLoopback });

describe('mail over SMTP', () => {
  let close: (() => Promise<void>) | null = null;
  afterEach(async () => {
    await close?.();
    close = null;
  });

  it('goes to its one recipient, with the subject and text that were given', async () => {
    const mail = await startMailServer();
    close = mail.close;
    const mailer = mailerOf(mail.url);
    await mailer.send({ to: 'ann@example.test', subject: 'Grüße', text: 'Hello\n\nhttps://x.test/' });
    expect(mail.lines.filter((line) => line.startsWith('RCPT'))).toEqual(['RCPT TO:<ann@example.test>']);
    expect(mail.lines).toContain('https://x.test/');
  });

  it('never goes to a second one, and has no header that it was not given', async () => {
    for (const to of [
      'ann@example.test, evil@evil.test',
      'ann@example.test\r\nBcc: evil@evil.test',
      '"x" <evil@evil.test>, ann@example.test',
    ]) {
      const mail = await startMailServer();
      const mailer = mailerOf(mail.url);
      const subject = 'S\r\nBcc: evil@evil.test';
      await mailer.send({ to, subject, text: 'x' }).catch(() => {});
      await mail.close();
      const recipients = mail.lines.filter((line) => line.startsWith('RCPT'));
      expect([to, recipients.length <= 1]).toEqual([to, true]);
      expect(recipients.some((line) => line === 'RCPT TO:<evil@evil.test>')).toBe(false);
      expect(mail.lines.some((line) => /^bcc:/i.test(line))).toBe(false);
    }
  });

  const mail = { to: 'ann@example.test', subject: 'S', text: 'A link that signs in' };
  const away = () => false;

  it('sends neither password nor mail to a server without TLS, and says what to do', async () => {
    const server = await startMailServer();
    close = server.close;
    const url = server.url.replace('smtp://', 'smtp://me:secret@');
    const failure = await mailerOf(url, 'require', away)
      .send(mail)
      .catch((error: unknown) => error);
    expect(String(failure)).toMatch(/offers no TLS .*smtps:\/\/.*, or set SMTP_TLS/);
    expect(String(failure)).not.toContain('secret');
    expect(server.lines.filter((line) => /^(AUTH|MAIL|RCPT|DATA)/.test(line))).toEqual([]);
  });

  it.each<Offers>(['starttls', 'refused', 'smtps'])(
    'sends nothing to a server whose TLS proves nothing (%s), and says what to do',
    async (offers) => {
      const server = await startMailServer(offers);
      close = server.close;
      const url = server.url.replace('://', '://me:secret@');
      const failure = await mailerOf(url, 'require', away)
        .send(mail)
        .catch((error: unknown) => error);
      expect(String(failure)).toMatch(/offers no TLS that can be used.*valid certificate/);
      expect(server.lines.filter((line) => /^(AUTH|MAIL|RCPT|DATA)/.test(line))).toEqual([]);
    },
  );

  const unproved: { tls: SmtpTls; local: boolean }[] = [
    { tls: 'opportunistic', local: false },
    { tls: 'require', local: true },
  ];
  it.each(unproved)(
    'with $tls (on loopback: $local) it goes encrypted where the certificate proves nothing',
    async ({ tls, local }) => {
      const server = await startMailServer('starttls');
      close = server.close;
      await mailerOf(server.url.replace('://', '://me:secret@'), tls, () => local).send(mail);
      expect(server.lines).toContain(mail.text);
      expect(server.plain.filter((line) => /^(AUTH|MAIL|RCPT|DATA)/.test(line))).toEqual([]);
    },
  );

  it.each(unproved)(
    'with $tls (on loopback: $local) a refused STARTTLS gives no password away',
    async (how) => {
      const server = await startMailServer('refused');
      close = server.close;
      await mailerOf(server.url.replace('://', '://me:secret@'), how.tls, () => how.local)
        .send(mail)
        .catch(() => {});
      expect(server.lines.filter((line) => line.startsWith('AUTH'))).toEqual([]);
    },
  );

  it('goes to this machine by its address, whoever answers for the name localhost', async () => {
    const server = await startMailServer();
    close = server.close;
    const asked: string[] = [];
    const mailer = createSmtpMailer({
      url: server.url.replace('127.0.0.1', 'LocalHost'),
      from: 'pentarch@example.test',
      tls: 'require',
      isLoopback: (host) => asked.push(host) > 0,
    });
    await mailer.send(mail);
    expect(asked).toEqual(['127.0.0.1']);
    expect(server.lines).toContain(mail.text);
  });

  const plain: { tls: SmtpTls; local: boolean }[] = [
    { tls: 'opportunistic', local: false },
    { tls: 'off', local: false },
    { tls: 'require', local: true },
  ];
  it.each(plain)('with $tls it goes in plain text where that is allowed', async ({ tls, local }) => {
    const server = await startMailServer();
    close = server.close;
    await mailerOf(server.url, tls, () => local).send(mail);
    expect(server.lines).toContain(mail.text);
  });
});
