import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { refused } from '../../kernel/define-tool.ts';
import type { AgentTool, ToolAnnotations, ToolContext, ToolOutcome } from '../../kernel/tools.ts';
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

export const answerOf = (content: string, structured?: unknown): ToolOutcome => ({
  content,
  isError: false,
  structured,
});

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

/** A tool of the memory, which checks its own arguments. */
export const memoryTool = <S extends TSchema>(definition: {
  name: string;
  description: string;
  input: S;
  annotations: ToolAnnotations;
  permission: 'memory:read' | 'memory:write';
  /** It changes or deletes what the user said: nothing that foreign text could bring an agent to do unasked. */
  personal?: true;
  run(args: Static<S>, context: ToolContext): Promise<ToolOutcome>;
}): AgentTool => ({
  server: 'pentarch',
  name: definition.name,
  description: definition.description,
  inputSchema: Object.fromEntries(Object.entries(definition.input)),
  annotations: definition.annotations,
  permission: definition.permission,
  taint: [],
  ...(definition.personal === undefined ? {} : { personal: definition.personal }),
  call: async (args, context) => {
    context.signal.throwIfAborted();
    if (!Value.Check(definition.input, args)) return refused('The arguments do not fit the tool’s schema.');
    return definition.run(args, context);
  },
});

export const strict = { additionalProperties: false };
