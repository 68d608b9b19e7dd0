import { claimOfObservation, type Extracted, slotOf, topicToForget } from 'pentarch-memory-patterns';
import { bounded, foldName } from 'pentarch-prose';
import type { Clock } from '../../kernel/clock.ts';
import { personalScope } from './access.rules.ts';
import type { EntityStore } from './entities.store.ts';
import {
  type ForgetTopic,
  holdsName,
  isOfSeveral,
  type Meant,
  meansStatement,
  namedByRole,
  namedValueOf,
  readTopic,
} from './forget.rules.ts';
import type { PersonalStore } from './personal.store.ts';
import type { HeldStatement } from './recall.store.ts';
import type { EntityRecord, FactSource } from './records.ts';

import type { RelationStore } from './relations.store.ts';
import type { Held } from './revise.rules.ts';
import { heldOf } from './revise.ts';
import { MAX_TEXT, relationOfAttribute } from './rules.ts';
import type { Likeness, Speaker } from './speaker.ts';
import { stemsOf, termsOf } from './words.rules.ts';

/** Deletes what a person wants forgotten, in every wording in which it is kept. */

export interface ForgetParts {
  entities: EntityStore;
  relations: RelationStore;
  personal: PersonalStore;
  clock: Clock;
  likeness: Likeness;
  stated(speaker: Speaker): Promise<HeldStatement[]>;
}

type Forgetting = Extract<Extracted, { kind: 'forget' }>;

const IS_VALUE = bounded(MAX_TEXT, / is (.{1,80})$/u);
const MAX_PERHAPS = 5;

const holdsTerms = (statement: HeldStatement, terms: readonly string[]): boolean => {
  const document = new Set(stemsOf(`${statement.entity.name} ${statement.observation.text}`));
  return terms.length > 0 && terms.every((term) => document.has(term));
};

/** The same slot of the same one, its history included, and the words of the same message that say the same. */
const saysTheSame = (one: HeldStatement, other: HeldStatement): boolean => {
  const { attribute, source, text } = one.observation;
  if (attribute !== null && other.observation.attribute === attribute && one.entity.id === other.entity.id)
    return true;
  return (
    source.messageId !== null &&
    other.observation.source.messageId === source.messageId &&
    holdsTerms(other, termsOf(text.replace(/^(?:said|noted): /, '')))
  );
};

/** `teal is the colour I love most` beside `favourite colour is teal`: the value of a slot, and a word of the topic. */
const tellsItsValue = (one: HeldStatement, other: HeldStatement, topic: string): boolean => {
  if (one.observation.attribute === null || one.entity.id !== other.entity.id) return false;
  const value = IS_VALUE.exec(one.observation.text)?.[1];
  return (
    value !== undefined &&
    holdsTerms(other, termsOf(value)) &&
    termsOf(topic).some((term) => !termsOf(value).includes(term) && holdsTerms(other, [term]))
  );
};

export const createForget = ({ entities, relations, personal, clock, likeness, stated }: ForgetParts) => {
  const remove = async (speaker: Speaker, { entity, observation }: HeldStatement): Promise<void> => {
    const now = clock.now();
    await entities.removeObservation(entity.id, observation.id, now);
    if (observation.attribute === null) return;
    const type = relationOfAttribute(observation.attribute);
    await relations.endFrom(speaker.userId, entity.id, type, now, true);
  };

  /** The person's own entity of a name; never the one that stands for themself. */
  const ownEntity = async (speaker: Speaker, name: string) => {
    const found = await entities.byName(personalScope(speaker), name, null);
    return found !== null && found.owner === speaker.userId && found.subjectUserId === null ? found : null;
  };

  /** Whom the topic names, by their name or by what they are to the person (`my ex`). */
  const entitiesOf = async (
    speaker: Speaker,
    topic: ForgetTopic,
    held: readonly Held[],
  ): Promise<EntityRecord[]> => {
    const bare = topic.text.replace(/^(?:the |my |our )?(?:project|company|team|client) /i, '');
    const byName = [topic.text, bare];
    const [only] = topic.names;
    // A first name of one alone: the words of the topic are nothing but it.
    if (only !== undefined && only.words.length === topic.words.length) byName.push(...only.full);
    const slot = slotOf(topic.text);
    const byRole = held.flatMap((one) => {
      const said = one.isSelf && slot !== '' ? namedValueOf(one.text) : null;
      return said !== null && said.slot === slot ? [said.value] : [];
    });
    const find = (names: readonly string[]) =>
      Promise.all([...new Set(names)].map((name) => ownEntity(speaker, name)));
    const people = (await find(byRole)).filter(
      (entity) => entity !== null && /^(?:person|pet|organization)$/.test(entity.entityType),
    );
    const found = [...(await find(byName)), ...people].filter((entity) => entity !== null);
    return [...new Map(found.map((entity) => [entity.id, entity])).values()];
  };

  /** The place or firm that a statement was about, where nothing else is known of it. */
  const removeTarget = async (
    speaker: Speaker,
    text: string,
    entityName: string,
    left: readonly HeldStatement[],
  ): Promise<void> => {
    const name = claimOfObservation(text, entityName)?.relation?.to.name;
    const target = name === undefined ? null : await ownEntity(speaker, name);
    if (target === null || target.observations.length > 0) return;
    if (!left.some((statement) => holdsTerms(statement, termsOf(target.name))))
      await entities.remove(target.id, clock.now());
  };

  const forgetTopic = async (
    speaker: Speaker,
    { words, everything }: Forgetting,
    source: FactSource,
  ): Promise<{ texts: string[]; perhaps: string[] }> => {
    if (everything) {
      await personal.forgetConversations(speaker, clock.now());
      return { texts: ['everything from conversations'], perhaps: [] };
    }
    const wanted = topicToForget(words);
    if (wanted === null || termsOf(wanted).length === 0) return { texts: [], perhaps: [] };
    const statements = await stated(speaker);
    const all = statements.map((one) => heldOf(one, speaker));
    const topic = readTopic(namedByRole(wanted, all) ?? wanted, all);
    const named = await entitiesOf(speaker, topic, all);
    const payer =
      source.conversationId === null ? speaker : { ...speaker, conversationId: source.conversationId };
    const like = await likeness(payer, wanted);
    const meant = (statement: HeldStatement): Meant => {
      const one = heldOf(statement, speaker);
      return named.some(({ id, name }) => id === statement.entity.id || holdsName(one, name, topic.known))
        ? 'yes'
        : meansStatement(topic, one, like.get(statement.observation.id) ?? 0);
    };
    const sure = statements.filter((statement) => meant(statement) === 'yes');
    const chosen = isOfSeveral(
      topic,
      sure.map((one) => heldOf(one, speaker)),
    )
      ? []
      : sure;
    const gone = statements.filter(
      (statement) =>
        chosen.includes(statement) ||
        chosen.some((one) => saysTheSame(one, statement) || tellsItsValue(one, statement, topic.text)),
    );
    for (const statement of gone) await remove(speaker, statement);
    for (const { id } of named) await entities.remove(id, clock.now());
    const left = statements.filter((statement) => !gone.includes(statement));
    for (const { observation, entity } of gone)
      await removeTarget(speaker, observation.text, entity.name, left);
    const texts = [
      ...new Set([
        ...gone.map(({ observation }) => observation.text),
        ...named.flatMap(({ name, id }) =>
          gone.some(({ entity }) => foldName(entity.name) === foldName(name) || entity.id === id)
            ? []
            : [name],
        ),
      ]),
    ];
    const near = statements
      .filter(
        (statement) =>
          texts.length === 0 && statement.observation.validTo === null && meant(statement) !== 'no',
      )
      .toSorted((a, b) => (like.get(b.observation.id) ?? 0) - (like.get(a.observation.id) ?? 0));
    return { texts, perhaps: near.slice(0, MAX_PERHAPS).map(({ observation }) => observation.text) };
  };

  return { topic: forgetTopic, statement: remove };
};
