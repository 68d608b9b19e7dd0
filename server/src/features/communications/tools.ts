import type { Clock } from '../../kernel/clock.ts';
import { toolSource } from '../../kernel/define-tool.ts';
import type { Mailer } from '../../kernel/mail.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import { draftEmailTool, sendEmailTool } from './mail-tools.ts';
import { sendWebhookTool } from './webhook-tool.ts';

/** What Hermes does: drafts, mails, webhooks. What leaves the platform passes governance before it comes here. */

export interface CommunicationDeps {
  mailer: Mailer;
  /** Null where no outgoing connections are set up: then there is no `send_webhook`. */
  outgoing: OutgoingHttp | null;
  clock: Clock;
}

export const communicationTools = ({ mailer, outgoing, clock }: CommunicationDeps): ToolSource =>
  toolSource([
    draftEmailTool,
    sendEmailTool({ mailer, clock }),
    ...(outgoing === null ? [] : [sendWebhookTool(outgoing)]),
  ]);
