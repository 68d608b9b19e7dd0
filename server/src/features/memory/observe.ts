import { type Extracted, isNote } from 'pentarch-memory-patterns';
import type { Caller } from '../../kernel/caller.ts';
import { askForFacts, type FactAsk, joinFindings, type ModelReading, mayHoldFacts } from './ask.ts';
import type { PersonalStore } from './personal.store.ts';
import type { PayingWho, Recall } from './recall.ts';
import type { FactSource } from './records.ts';
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
  /** Something that was learnt from the message has been forgotten or revised since. */
  isPast: PersonalStore['isPast'];
  /** What a message says by the patterns. */
  extract(text: string): Promise<Extracted[]>;
}

export const speakerOf = (caller: Caller) => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  name: (caller.name.trim() || caller.email.split('@')[0] || 'User').slice(0, 200),
});

const NOTHING: RememberedCounts = { added: 0, ended: 0, forgotten: 0 };
/** Facts that a model is told of beside a message. */
const KNOWN_FACTS = 20;

/** What the author has said that bears on the message. */
const knownTo = async (
  recall: Recall,
  who: PayingWho,
  text: string,
): Promise<{ id: string; text: string }[]> =>
  (await recall.recall(who, text, KNOWN_FACTS)).flatMap((fact) =>
    fact.observationId === null || fact.shared || fact.foreign
      ? []
      : [{ id: fact.observationId, text: `${fact.entityName}: ${fact.statement}` }],
  );

const isUnderstood = ({ facts, outdated }: ModelReading): boolean => facts.length + outdated.length > 0;

/**
 * Learns from a message. Patterns always run; a model adds what they do not know and may fail without harm. Doing it
 * twice for one message changes nothing the second time. Rejects only when the store does.
 */
export const createObserveTurn =
  ({ remember, recall, ask, extract, isPast }: ObserveParts) =>
  async (turn: ObservedTurn): Promise<RememberedCounts> => {
    // Who may not write memory (readonly) is not remembered either.
    if (!turn.caller.permissions.has('memory:write')) return NOTHING;
    const source: FactSource = {
      kind: 'message',
      messageId: turn.messageId,
      conversationId: turn.conversationId,
      userId: turn.caller.userId,
    };
    const { tenantId, userId } = turn.caller;
    const payer = { tenantId, userId, conversationId: turn.conversationId };
    const speaker = speakerOf(turn.caller);
    if (await isPast(speaker, turn.messageId)) return NOTHING;
    const byPattern = await extract(turn.text);
    const known = ask !== null && mayHoldFacts(turn.text) ? await knownTo(recall, payer, turn.text) : null;
    const byModel =
      ask !== null && known !== null
        ? await askForFacts(
            ask,
            turn,
            known.map(({ text }) => text),
          ).catch(() => null)
        : null;
    const findings =
      byModel === null
        ? byPattern
        : joinFindings(
            byPattern.filter(
              (found) => !isNote(found) && !(found.kind === 'revise' && isUnderstood(byModel)),
            ),
            byModel.facts,
          );
    const settled =
      byModel === null || known === null
        ? { ended: 0, forgotten: 0 }
        : await remember.settle(speaker, {
            outdated: byModel.outdated.flatMap((place) => known[place]?.id ?? []),
            forget: byModel.forget.flatMap((place) => known[place]?.id ?? []),
          });
    const applied = findings.length === 0 ? NOTHING : await remember.apply(speaker, findings, source);
    const done = {
      added: applied.added,
      ended: applied.ended + settled.ended,
      forgotten: applied.forgotten + settled.forgotten,
    };
    if (done.added > 0) await recall.embedPending(payer).catch(() => 0);
    return done;
  };
