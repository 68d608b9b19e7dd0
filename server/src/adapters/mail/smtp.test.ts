import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createSmtpMailer } from './smtp.ts';

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
        } else socket.write(line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n');
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

describe('mail over SMTP', () => {
  let close: (() => Promise<void>) | null = null;
  afterEach(async () => {
    await close?.();
    close = null;
  });

  it('goes to its one recipient, with the subject and text that were given', async () => {
    const mail = await startMailServer();
    close = mail.close;
    const mailer = createSmtpMailer({ url: mail.url, from: 'pentarch@example.test' });
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
      const mailer = createSmtpMailer({ url: mail.url, from: 'pentarch@example.test' });
      const subject = 'S\r\nBcc: evil@evil.test';
      await mailer.send({ to, subject, text: 'x' }).catch(() => {});
      await mail.close();
      const recipients = mail.lines.filter((line) => line.startsWith('RCPT'));
      expect([to, recipients.length <= 1]).toEqual([to, true]);
      expect(recipients.some((line) => line === 'RCPT TO:<evil@evil.test>')).toBe(false);
      expect(mail.lines.some((line) => /^bcc:/i.test(line))).toBe(false);
    }
  });
});
