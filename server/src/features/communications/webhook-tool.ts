import { Type } from 'typebox';
import { headOf } from '../../kernel/bounded-body.ts';
import { defineTool, refused, SENDS, said } from '../../kernel/define-tool.ts';
import { type OutgoingHttp, OutgoingRefused } from '../../kernel/outgoing.ts';
import { AnyObject, Strict } from '../../kernel/schema.ts';
import type { AgentTool } from '../../kernel/tools.ts';

const MAX_ANSWER = 2_000;
/** UTF-8: what is read of an answer, however long it is. */
const MAX_BYTES_OF_CHARACTER = 4;

export const sendWebhookTool = (http: OutgoingHttp): AgentTool =>
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
