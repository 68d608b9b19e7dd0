import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Mailer } from '../../kernel/mail.ts';

/** The development sink: mails become files of the data folder, readable by its owner alone. */
export const createMailSink = (dataDir: string): Mailer => ({
  delivers: false,
  send: async (mail) => {
    const folder = path.join(dataDir, 'mail');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const name = `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}.txt`;
    const text = `To: ${mail.to}\nSubject: ${mail.subject}\n\n${mail.text}\n`;
    await writeFile(path.join(folder, name), text, { mode: 0o600 });
  },
});
