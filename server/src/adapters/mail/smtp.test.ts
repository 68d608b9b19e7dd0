import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createSmtpMailer, type SmtpTls } from './smtp.ts';

/** A mail server that takes everything and keeps what it was told. */
const startMailServer = async () => {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let inData = false;
    let rest = '';
    socket.write('220 test\r\n');
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      rest += bytes.toString('utf8');
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        lines.push(line);
        if (inData) {
          if (line !== '.') continue;
          inData = false;
          socket.write('250 taken\r\n');
        } else if (line === 'DATA') {
          inData = true;
          socket.write('354 go on\r\n');
        } else if (line === 'STARTTLS') socket.write('502 no such command\r\n');
        else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    lines,
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
    expect(String(failure)).toMatch(/offers no TLS .*smtps:\/\/, or set SMTP_TLS/);
    expect(String(failure)).not.toContain('secret');
    expect(server.lines.filter((line) => /^(AUTH|MAIL|RCPT|DATA)/.test(line))).toEqual([]);
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
