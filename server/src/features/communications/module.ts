import type { Mailer } from '../../kernel/mail.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { communicationTools } from './tools.ts';

export interface CommunicationsDeps extends Pick<Given, 'clock'> {
  mailer: Mailer;
  outgoing: { documents: OutgoingHttp };
}

export const communicationsModule = defineModule({
  name: 'communications',
  needs: ['clock', 'mailer', 'outgoing'],
  build: ({ clock, mailer, outgoing }: CommunicationsDeps) => ({
    service: {},
    tools: [communicationTools({ mailer, outgoing: outgoing.documents, clock })],
  }),
});
