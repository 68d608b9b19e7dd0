import {
  type PreferenceName,
  preferenceFact,
  preferenceIn,
  TOLD_PREFERENCES,
} from 'pentarch-memory-patterns';
import { foldName } from 'pentarch-prose';
import type { Caller } from '../../kernel/caller.ts';
import { iso } from '../../kernel/clock.ts';
import { invalid } from '../../kernel/errors.ts';
import { looksSecret } from '../../kernel/text-signs.ts';
import { personalScope } from './access.rules.ts';
import { speakerOf } from './observe.ts';
import type { HeldStatement, RecallStore } from './recall.store.ts';
import { sourceView } from './records.ts';
import type { Remember } from './remember.ts';
import { cleanText } from './rules.ts';
import type { PreferenceView } from './schema.ts';
import { untilItStands } from './store-faults.ts';

/** What the agents honour of a person's wishes, for the person: the same statements that go into every prompt. */

const MAX_SHOWN = 1_000;

const view = ({ observation, entity }: HeldStatement, place: number): PreferenceView => ({
  id: observation.id,
  entity_id: entity.id,
  ...preferenceIn(observation.text, observation.attribute),
  text: observation.text,
  told: place < TOLD_PREFERENCES,
  source: sourceView(observation.source),
  created_at: iso(observation.createdAt),
});

export const createPreferences = (parts: { remember: Remember; recallStore: RecallStore }) => {
  const list = async (caller: Caller): Promise<PreferenceView[]> =>
    (await parts.recallStore.preferences(personalScope(caller), MAX_SHOWN)).map(view);
  return {
    /** The newest first, which are those that the agents are told. */
    list,

    /** 422 for a value that is none, and for secrets. */
    async set(
      caller: Caller,
      input: { name: PreferenceName; value: string },
    ): Promise<{ isNew: boolean; preference: PreferenceView }> {
      const value = cleanText(input.value);
      if (looksSecret(value))
        throw invalid({
          field: '/value',
          reason: 'looks like a secret, which does not belong into preferences',
        });
      const fact = preferenceFact(input.name, value);
      if (typeof fact === 'string') throw invalid({ field: '/value', reason: fact });
      const source = { kind: 'api', messageId: null, conversationId: null, userId: caller.userId } as const;
      return untilItStands(async () => {
        const done = await parts.remember.apply(speakerOf(caller), [fact], source);
        // The same in another spelling may have been there already: then that is what is kept.
        const preference = (await list(caller)).find(({ text }) => foldName(text) === foldName(fact.text));
        return preference === undefined ? null : { isNew: done.added > 0, preference };
      });
    },
  };
};

export type Preferences = ReturnType<typeof createPreferences>;
