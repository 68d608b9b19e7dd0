import { type Extracted, isNote } from 'pentarch-memory-patterns';
import type { Caller } from '../../kernel/caller.ts';
import { askForFacts, type FactAsk, joinFindings, mayHoldFacts } from './ask.ts';
import type { Recall } from './recall.ts';
import type { Remember, RememberedCounts } from './remember.ts';

/** One message of a user, after the answer to it has been stored. */
export interface ObservedTurn {
  caller: Caller;
  conversationId: string;
  messageId: string;
  text: string;
}

export interface ObserveParts {
  remember: Remember;
  recall: Recall;
  ask: FactAsk | null;
  /** What a message says by the patterns. */
  extract(text: string): Promise<Extracted[]>;
}

export const speakerOf = (caller: Caller) => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  name: (caller.name.trim() || caller.email.split('@')[0] || 'User').slice(0, 200),
});

/**
 * Learns from a message. Patterns always run; a model adds what they do not know and may fail without harm. Doing it
 * twice for one message changes nothing the second time. Rejects only when the store does.
 */
export const createObserveTurn =
  ({ remember, recall, ask, extract }: ObserveParts) =>
  async (turn: ObservedTurn): Promise<RememberedCounts> => {
    // Who may not write memory (readonly) is not remembered either.
    if (!turn.caller.permissions.has('memory:write')) return { added: 0, ended: 0, forgotten: 0 };
    const byPattern = await extract(turn.text);
    const byModel =
      ask !== null && mayHoldFacts(turn.text) ? await askForFacts(ask, turn).catch(() => null) : null;
    const findings =
      byModel === null
        ? byPattern
        : joinFindings(
            byPattern.filter((found) => !isNote(found)),
            byModel,
          );
    if (findings.length === 0) return { added: 0, ended: 0, forgotten: 0 };
    const done = await remember.apply(speakerOf(turn.caller), findings, {
      kind: 'message',
      messageId: turn.messageId,
      conversationId: turn.conversationId,
      userId: turn.caller.userId,
    });
    const { tenantId, userId } = turn.caller;
    const payer = { tenantId, userId, conversationId: turn.conversationId };
    if (done.added > 0) await recall.embedPending(payer).catch(() => 0);
    return done;
  };
