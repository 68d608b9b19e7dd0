import { claimOfObservation, type Extracted, type Revision } from 'pentarch-memory-patterns';
import { foldName } from 'pentarch-prose';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityStore } from './entities.store.ts';
import type { HeldStatement } from './recall.store.ts';
import type { FactSource } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import { type Held, meantOf, type Revised, revisedBy } from './revise.rules.ts';
import { relationOfAttribute } from './rules.ts';
import type { Likeness, Speaker } from './speaker.ts';

/** Carries out a sentence that revises what was said: the old value ends and stays as history, the new one holds. */

export interface ReviseParts {
  entities: EntityStore;
  relations: RelationStore;
  clock: Clock;
  likeness: Likeness;
  stated(speaker: Speaker): Promise<HeldStatement[]>;
  tell(speaker: Speaker, fact: Extract<Extracted, { kind: 'fact' }>, source: FactSource): Promise<number>;
}

export const heldOf = ({ entity, observation }: HeldStatement, speaker: Speaker): Held => ({
  entityName: entity.name,
  isSelf: entity.subjectUserId === speaker.userId,
  text: observation.text,
  attribute: observation.attribute,
});

export const createRevise = ({ entities, relations, clock, likeness, stated, tell }: ReviseParts) => {
  const endStatement = async (speaker: Speaker, { entity, observation }: HeldStatement): Promise<void> => {
    const now = clock.now();
    await entities.endObservation(entity.id, observation.id, now);
    if (observation.attribute === null) return;
    const type = relationOfAttribute(observation.attribute);
    await relations.endFrom(speaker.userId, entity.id, type, now, false);
  };

  const tellRevised = (
    speaker: Speaker,
    { entity, observation }: HeldStatement,
    { text, subject }: Revised & { text: string },
    source: FactSource,
  ): Promise<number> => {
    const name = subject ?? entity.name;
    const isSelf = entity.subjectUserId === speaker.userId;
    return tell(
      speaker,
      {
        kind: 'fact',
        subject: isSelf ? null : { name, entityType: entity.entityType },
        text,
        attribute: slotNow(observation, text, name),
        category: observation.category,
        importance: 0.5,
        relation: claimOfObservation(text, name)?.relation ?? null,
      },
      source,
    );
  };

  /** What ended, what was added, and what of the sentence is still to be told in its own words. */
  const carryOut = async (
    speaker: Speaker,
    found: Revision,
    source: FactSource,
  ): Promise<{ ended: number; added: number; left: Extracted[] }> => {
    const current = (await stated(speaker)).filter(
      ({ observation }) =>
        observation.validTo === null && observation.source.messageId !== (source.messageId ?? ''),
    );
    if (current.length === 0) return { ended: 0, added: 0, left: found.otherwise };
    const like =
      found.form === 'change' || found.form === 'takeover' || found.form === 'contrast'
        ? await likeness(
            {
              ...speaker,
              ...(source.conversationId === null ? {} : { conversationId: source.conversationId }),
            },
            `${found.topic} ${found.before ?? ''} ${found.after}`,
          )
        : new Map<string, number>();
    const fits = current.flatMap((statement) => {
      const held = heldOf(statement, speaker);
      const revised = revisedBy(found, held, like.get(statement.observation.id) ?? 0);
      return revised === null ? [] : [{ statement, held, revised }];
    });
    // `Scratch that, it's Tuesday`: of what was said last, and in this conversation.
    const meant =
      found.form === 'last'
        ? fits
            .filter(({ statement }) => statement.observation.source.conversationId === source.conversationId)
            .slice(0, 1)
        : meantOf(found, fits);
    let [added, rewritten] = [0, 0];
    for (const { statement, revised } of meant) {
      await endStatement(speaker, statement);
      const { text, subject } = revised;
      if (text === null) continue;
      rewritten += 1;
      added += await tellRevised(speaker, statement, { text, subject }, source);
    }
    return { ended: meant.length, added, left: rewritten > 0 ? [] : found.otherwise };
  };

  return { carryOut, end: endStatement };
};

/** The slot goes with the statement, under the new value where it has the value in it (`allergy peanuts`). */
const slotNow = (
  { attribute, text: before }: { attribute: string | null; text: string },
  text: string,
  name: string,
): string | null => {
  if (attribute === null) return null;
  const now = claimOfObservation(text, name)?.attribute ?? null;
  const then = claimOfObservation(before, name)?.attribute ?? null;
  return now !== null && then !== null && foldName(then) === foldName(attribute) ? now : attribute;
};
