import {
  claimOfObservation,
  type EntityMention,
  type Extracted,
  type ExtractedFact,
} from 'pentarch-memory-patterns';
import { foldName } from 'pentarch-prose';
import type { Clock } from '../../kernel/clock.ts';
import { personalScope } from './access.rules.ts';
import type { EntityStore } from './entities.store.ts';
import { createForget } from './forget.ts';
import type { PersonalStore } from './personal.store.ts';
import type { HeldStatement, RecallStore } from './recall.store.ts';
import type { FactSource } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import { createRevise } from './revise.ts';
import { cleanText, relationOfAttribute } from './rules.ts';
import type { Likeness, Speaker } from './speaker.ts';
import { untilItStands } from './store-faults.ts';
import { stemsOf, termsOf } from './words.rules.ts';

/** Carries out what was extracted, always in the speaker's own memory: a statement never touches anybody else's. */

export interface RememberParts {
  entities: EntityStore;
  relations: RelationStore;
  recallStore: RecallStore;
  personal: PersonalStore;
  clock: Clock;
  likeness: Likeness;
}

export interface RememberedCounts {
  added: number;
  ended: number;
  forgotten: number;
}

export interface Remembered extends RememberedCounts {
  /** What was forgotten, as it read. */
  forgottenTexts: string[];
  /** What a request to forget that met nothing may have meant. */
  perhaps: string[];
}

const MAX_STATEMENTS = 2_000;

/** The first place of `before` in a text, in any case, as `after`; null where nothing changes. */
const withReplaced = (text: string, before: string, after: string): string | null => {
  const [line, wrong] = [cleanText(text), cleanText(before)];
  const at = line.toLowerCase().indexOf(wrong.toLowerCase());
  // Some letters change their length with their case: the place would be another.
  if (at < 0 || line.toLowerCase().length !== line.length) return null;
  const replaced = line.slice(0, at) + after + line.slice(at + wrong.length);
  return replaced === line ? null : replaced;
};

export const createRemember = ({
  entities,
  relations,
  recallStore,
  personal,
  clock,
  likeness,
}: RememberParts) => {
  const entityOf = async (speaker: Speaker, mention: EntityMention | null): Promise<EntityMention> => {
    if (mention === null) return { name: speaker.name, entityType: 'person' };
    // A name that is known keeps its type: `Acme` is not made a person by `Acme is from Berlin`.
    const known = await entities.byName(personalScope(speaker), mention.name, null);
    return known !== null && known.owner === speaker.userId
      ? { name: known.name, entityType: known.entityType }
      : mention;
  };

  const draftOf = (speaker: Speaker, entity: EntityMention, isSelf: boolean) => ({
    tenantId: speaker.tenantId,
    owner: speaker.userId,
    name: entity.name,
    entityType: entity.entityType,
    importance: null,
    subjectUserId: isSelf ? speaker.userId : null,
  });

  const tellOnce = async (speaker: Speaker, fact: ExtractedFact, source: FactSource): Promise<number> => {
    const now = clock.now();
    const subject = await entityOf(speaker, fact.subject);
    const { id, added, ended } = await entities.upsert(
      draftOf(speaker, subject, fact.subject === null),
      [{ text: fact.text, attribute: fact.attribute, category: fact.category }],
      source,
      now,
    );
    const { relation } = fact;
    for (const attribute of ended)
      await relations.endFrom(speaker.userId, id, relationOfAttribute(attribute), now, false);
    if (relation !== null) {
      const target = await entityOf(speaker, relation.to);
      const to = await entities.upsert(draftOf(speaker, target, false), [], source, now);
      if (to.id !== id) {
        await relations.add(
          {
            tenantId: speaker.tenantId,
            owner: speaker.userId,
            fromEntityId: id,
            toEntityId: to.id,
            relationType: relation.type,
            properties: {},
            validFrom: now,
            validTo: null,
          },
          source,
          now,
          fact.attribute !== null,
        );
      }
    }
    return added;
  };

  const tell = (speaker: Speaker, fact: ExtractedFact, source: FactSource): Promise<number> =>
    untilItStands(() => tellOnce(speaker, fact, source));

  const stated = (speaker: Speaker): Promise<HeldStatement[]> =>
    recallStore.stated(personalScope(speaker), MAX_STATEMENTS);

  const about = (statement: HeldStatement, mention: EntityMention | null, speaker: Speaker): boolean =>
    mention === null
      ? statement.entity.subjectUserId === speaker.userId
      : foldName(statement.entity.name) === foldName(mention.name);

  const documentOf = (statement: HeldStatement): Set<string> =>
    new Set(
      stemsOf(
        `${statement.entity.name} ${statement.observation.text} ${statement.observation.attribute ?? ''}`,
      ),
    );

  const end = async (speaker: Speaker, found: Extract<Extracted, { kind: 'end' }>): Promise<number> => {
    const terms = termsOf(found.words);
    if (found.attribute === null && terms.length === 0) return 0;
    const now = clock.now();
    let ended = 0;
    for (const statement of await stated(speaker)) {
      const { observation } = statement;
      if (observation.validTo !== null || !about(statement, found.subject, speaker)) continue;
      const document = documentOf(statement);
      const fits =
        (found.attribute === null || observation.attribute === found.attribute) &&
        terms.every((term) => document.has(term));
      if (!fits) continue;
      await entities.endObservation(statement.entity.id, observation.id, now);
      if (observation.attribute !== null)
        await relations.endFrom(
          speaker.userId,
          statement.entity.id,
          relationOfAttribute(observation.attribute),
          now,
          false,
        );
      ended++;
    }
    return ended;
  };

  /** `it's green, not blue`: the newest statement that has the wrong word gets the right one. */
  const replace = async (
    speaker: Speaker,
    found: Extract<Extracted, { kind: 'replace' }>,
    source: FactSource,
  ): Promise<number> => {
    const before = foldName(found.before);
    const target = (await stated(speaker)).find(
      ({ observation }) => observation.validTo === null && ` ${foldName(observation.text)} `.includes(before),
    );
    if (target === undefined || before === '') return 0;
    const text = withReplaced(target.observation.text, found.before, found.after);
    if (text === null) return 0;
    const now = clock.now();
    await entities.endObservation(target.entity.id, target.observation.id, now);
    const said = claimOfObservation(text, target.entity.name);
    const isSelf = target.entity.subjectUserId === speaker.userId;
    return tell(
      speaker,
      {
        kind: 'fact',
        subject: isSelf ? null : { name: target.entity.name, entityType: target.entity.entityType },
        text,
        attribute: target.observation.attribute,
        category: target.observation.category,
        importance: 0.5,
        relation: said?.relation ?? null,
      },
      source,
    );
  };

  const forget = createForget({ entities, relations, stated, personal, clock, likeness });
  const revise = createRevise({ entities, relations, stated, tell, clock, likeness });

  return {
    /** The person's own statements by their ids: those that hold no longer, and those that shall go. */
    async settle(
      speaker: Speaker,
      { outdated, forget: gone }: { outdated: readonly string[]; forget: readonly string[] },
    ): Promise<{ ended: number; forgotten: number }> {
      if (outdated.length + gone.length === 0) return { ended: 0, forgotten: 0 };
      const statements = await stated(speaker);
      const forgotten = statements.filter(({ observation }) => gone.includes(observation.id));
      const ended = statements.filter(
        ({ observation }) =>
          observation.validTo === null && outdated.includes(observation.id) && !gone.includes(observation.id),
      );
      for (const one of forgotten) await forget.statement(speaker, one);
      for (const one of ended) await revise.end(speaker, one);
      return { ended: ended.length, forgotten: forgotten.length };
    },

    /** In the order in which it was said. */
    async apply(speaker: Speaker, findings: readonly Extracted[], source: FactSource): Promise<Remembered> {
      const done: Remembered = { added: 0, ended: 0, forgotten: 0, forgottenTexts: [], perhaps: [] };
      const carryOut = async (found: Extracted): Promise<void> => {
        if (found.kind === 'fact') done.added += await tell(speaker, found, source);
        else if (found.kind === 'end') done.ended += await end(speaker, found);
        else if (found.kind === 'replace') done.added += await replace(speaker, found, source);
        else if (found.kind === 'revise') {
          const revised = await revise.carryOut(speaker, found, source);
          done.added += revised.added;
          done.ended += revised.ended;
          for (const one of revised.left) await carryOut(one);
        } else {
          const { texts, perhaps } = await forget.topic(speaker, found, source);
          done.forgotten += texts.length;
          done.forgottenTexts.push(...texts);
          done.perhaps.push(...perhaps);
        }
      };
      for (const found of findings) await carryOut(found);
      return done;
    },
  };
};

export type Remember = ReturnType<typeof createRemember>;
