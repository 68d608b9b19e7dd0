import { Type } from 'typebox';
import { type Clock, iso } from '../../kernel/clock.ts';
import { defineTool, READS, refused, SENDS, said } from '../../kernel/define-tool.ts';
import type { Mailer } from '../../kernel/mail.ts';
import { Strict } from '../../kernel/schema.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { addressFault } from './rules.ts';

/** Drafts and mails. */

const MAIL = {
  to: Type.Array(Type.String({ minLength: 3, maxLength: 320 }), {
    minItems: 1,
    maxItems: 20,
    description: 'E-mail addresses',
  }),
  subject: Type.String({ minLength: 1, maxLength: 300, pattern: '\\S', description: 'One line' }),
  body: Type.String({ minLength: 1, maxLength: 50_000, pattern: '\\S', description: 'Plain text' }),
};

const mailFault = (mail: { to: readonly string[]; subject: string }): string | null => {
  for (const address of mail.to) {
    const fault = addressFault(address);
    if (fault !== null) return `${address} ${fault}.`;
  }
  return /[\r\n]/.test(mail.subject) ? 'The subject must be one line.' : null;
};

const shown = (mail: { to: readonly string[]; subject: string; body: string }): string =>
  `To: ${mail.to.join(', ')}\nSubject: ${mail.subject}\n\n${mail.body}`;

export const draftEmailTool: AgentTool = defineTool({
  name: 'draft_email',
  description: 'Checks an e-mail and shows it to the person as a draft. Nothing is sent.',
  input: Strict(MAIL),
  annotations: READS,
  permission: 'chat:write',
  taint: [],
  run(args) {
    const fault = mailFault(args);
    if (fault !== null) return refused(fault);
    return said(`Draft, not sent:\n\n${shown(args)}`, { draft: { ...args }, sent: false });
  },
});

export const sendEmailTool = ({ mailer, clock }: { mailer: Mailer; clock: Clock }): AgentTool =>
  defineTool({
    name: 'send_email',
    description:
      'Sends an e-mail for the person who asks. It cannot be called back: show a draft first, unless the text was given word for word.',
    input: Strict(MAIL),
    annotations: SENDS,
    permission: 'notifications:write',
    taint: [],
    async run(args, { caller, signal }) {
      const fault = mailFault(args);
      if (fault !== null) return refused(fault);
      const text = `${args.body}\n\n-- \nSent by Pentarch for ${caller.name} <${caller.email}>`;
      const sent: string[] = [];
      const failed: string[] = [];
      for (const to of args.to) {
        signal.throwIfAborted();
        // One by one: the addresses of the others are nobody's business, and one refusal is not all.
        await mailer.send({ to, subject: args.subject, text }).then(
          () => sent.push(to),
          () => failed.push(to),
        );
      }
      const structured = {
        sent,
        failed,
        delivered: mailer.delivers,
        subject: args.subject,
        at: iso(clock.now()),
      };
      if (sent.length === 0) return { ...refused('The mail server did not take the mail.'), structured };
      const where = mailer.delivers
        ? `Sent to ${sent.join(', ')}.`
        : `No mail server is set (SMTP_URL): the mail to ${sent.join(', ')} was written to the data folder and nobody receives it.`;
      return said(failed.length === 0 ? where : `${where} Refused for ${failed.join(', ')}.`, structured);
    },
  });
