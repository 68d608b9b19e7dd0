import type { Caller } from '../../kernel/caller.ts';
import { actorOf } from '../audit/index.ts';

/** An entry of the audit log about a webhook, by whoever asks. */
export const webhookEntry = (
  caller: Caller,
  action: string,
  id: string,
  requestId: string,
  details = {},
) => ({
  ...actorOf(caller),
  action,
  targetType: 'webhook',
  targetId: id,
  requestId,
  details,
});
