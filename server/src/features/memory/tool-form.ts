import { Type } from 'typebox';
import type { ToolAnnotations, ToolContext } from '../../kernel/tools.ts';
import type { PayingWho } from './recall.ts';
import type { FactSource } from './records.ts';
import { MAX_NAME } from './rules.ts';

export const FORGETS: ToolAnnotations = {
  readOnly: false,
  destructive: true,
  idempotent: true,
  openWorld: false,
};

export const Name = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_NAME, pattern: '\\S', description });

const SELF = /^(?:the )?(?:user|me|i|myself|self)$/i;
/** Whether a name means the user. */
export const isSelf = (name: string): boolean => SELF.test(name.trim());

export const sourceOf = (context: ToolContext): FactSource => ({
  kind: context.tainted ? 'untrusted' : 'agent',
  messageId: null,
  conversationId: context.conversationId,
  userId: context.caller.userId,
});

/** Of what is done in a marked run only after the person has said yes: it counts as their word. */
export const confirmedSource = (context: ToolContext): FactSource => ({
  ...sourceOf(context),
  kind: 'agent',
});

export const payingOf = ({ caller: { tenantId, userId }, paying }: ToolContext): PayingWho => ({
  tenantId,
  userId,
  run: paying,
});
