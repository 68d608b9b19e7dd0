import { Type } from 'typebox';
import { headOf } from '../../kernel/bounded-body.ts';
import type { Clock } from '../../kernel/clock.ts';
import { iso } from '../../kernel/clock.ts';
import { defineTool, READS, refused, SENDS, said, toolSource } from '../../kernel/define-tool.ts';
import type { Mailer } from '../../kernel/mail.ts';
import { type OutgoingHttp, OutgoingRefused } from '../../kernel/outgoing.ts';
import { AnyObject, Strict } from '../../kernel/schema.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import { addressFault } from './rules.ts';

/** What Hermes does: drafts, mails, webhooks. What leaves the platform passes governance before it comes here. */

export interface CommunicationDeps {
  mailer: Mailer;
  /** Null where no outgoing connections are set up: then there is no `send_webhook`. */
  outgoing: OutgoingHttp | null;
  clock: Clock;
}

const MAX_ANSWER = 2_000;
/** UTF-8: what is read of an answer, however long it is. */
const MAX_BYTES_OF_CHARACTER = 4;

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

export const communicationTools = ({ mailer, outgoing, clock }: CommunicationDeps): ToolSource => {
  const draftEmail = defineTool({
    name: 'draft_email',
    description: 'Checks an e-mail and shows it to the person as a draft. Nothing is sent.',
    input: Strict(MAIL),
    annotations: READS,
    permission: 'chat:write',
    run(args) {
      const fault = mailFault(args);
      if (fault !== null) return refused(fault);
      return said(`Draft, not sent:\n\n${shown(args)}`, { draft: { ...args }, sent: false });
    },
  });

  const sendEmail = defineTool({
    name: 'send_email',
    description:
      'Sends an e-mail for the person who asks. It cannot be called back: show a draft first, unless the text was given word for word.',
    input: Strict(MAIL),
    annotations: SENDS,
    permission: 'notifications:write',
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

  const sendWebhook = (http: OutgoingHttp) =>
    defineTool({
      name: 'send_webhook',
      description:
        'Posts a JSON object to an address on the internet. Addresses inside of the own network are refused, redirects are not followed.',
      input: Strict({
        url: Type.String({ minLength: 8, maxLength: 2_000 }),
        payload: AnyObject({ description: 'The body, as JSON' }),
      }),
      annotations: SENDS,
      permission: 'webhooks:manage',
      async run(args, { signal }) {
        const reason = http.check(args.url);
        if (reason !== null) return refused(`The address ${reason}.`);
        try {
          const answer = await http.fetch(args.url, {
            method: 'POST',
            headers: { 'content-type': 'application/json', 'user-agent': 'Pentarch' },
            body: JSON.stringify(args.payload),
            signal,
          });
          const body = (await headOf(answer.body, MAX_ANSWER * MAX_BYTES_OF_CHARACTER))
            .toString('utf8')
            .slice(0, MAX_ANSWER);
          const structured = { status: answer.status, body };
          return answer.ok
            ? said(`Delivered: status ${answer.status}.`, structured)
            : { ...refused(`The address answered with status ${answer.status}.`), structured };
        } catch (error) {
          if (signal.aborted) throw error;
          const cause = error instanceof Error ? error.cause : undefined;
          return refused(
            error instanceof OutgoingRefused || cause instanceof OutgoingRefused
              ? 'The address may not be called.'
              : 'The address could not be reached.',
          );
        }
      },
    });

  return toolSource([draftEmail, sendEmail, ...(outgoing === null ? [] : [sendWebhook(outgoing)])]);
};
