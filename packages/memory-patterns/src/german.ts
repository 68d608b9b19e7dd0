import { bounded } from 'pentarch-prose';
import { type Claim, claim, slotOf } from './facts.ts';
import { MAX_CLAUSE, trimValue } from './sentences.ts';

/** What people say of themselves in German; texts come out in the same English predicates, so that slots meet. */
const PATTERNS: readonly { of: RegExp; claim(groups: Record<string, string | undefined>): Claim | null }[] = [
  {
    of: /^(?:ich hei(?:ß|ss)e|mein name ist|nenn(?:t|e)? mich|man nennt mich) (?<v>.+)$/isu,
    claim: ({ v }) => claim(`name is ${trimValue(v ?? '')}`, 'name', 'identity'),
  },
  {
    of: /^ich (?:wohne|lebe) (?:jetzt |zurzeit )?in (?<v>.+)$/isu,
    claim: ({ v }) => {
      const where = trimValue(v ?? '');
      return claim(`lives in ${where}`, 'residence', 'identity', {
        type: 'lives_in',
        to: { name: where, entityType: 'place' },
      });
    },
  },
  {
    of: /^ich bin (?:von \S+ )?nach (?<v>\p{Lu}\S*) (?:gezogen|umgezogen)$/iu,
    claim: ({ v }) =>
      claim(`lives in ${v}`, 'residence', 'identity', {
        type: 'lives_in',
        to: { name: v ?? '', entityType: 'place' },
      }),
  },
  {
    of: /^ich arbeite (?:jetzt |derzeit )?(?:bei|für) (?:der |dem )?(?<v>.+)$/isu,
    claim: ({ v }) => {
      const name = trimValue(v ?? '');
      return claim(`works at ${name}`, 'employer', 'identity', {
        type: 'works_at',
        to: { name, entityType: 'organization' },
      });
    },
  },
  {
    of: /^ich (?:arbeite als|bin von beruf) (?<v>.+)$/isu,
    claim: ({ v }) => claim(`works as ${trimValue(v ?? '')}`, 'role', 'identity'),
  },
  {
    of: /^ich bin (?<v>.+?) von beruf$/iu,
    claim: ({ v }) => claim(`works as ${trimValue(v ?? '')}`, 'role', 'identity'),
  },
  {
    of: /^[Ii]ch bin (?:eine? )?(?<v>\p{Lu}\p{Ll}+(?:er|in|ist|eur|arzt|mann|frau|tor|ent))(?<where> (?:in|bei|am|an) .+)?$/su,
    claim: ({ v, where }) =>
      /^(?:Veganer|Vegetarier)/.test(v ?? '')
        ? null
        : claim(`works as ${v}${where ?? ''}`, 'role', 'identity'),
  },
  {
    of: /^ich bin (?<v>\d{1,3})(?: jahre(?: alt)?)?$/iu,
    claim: ({ v }) => claim(`is ${v} years old`, 'age', 'identity'),
  },
  {
    of: /^ich bin (?<v>veganer(?:in)?|vegetarier(?:in)?|vegan|vegetarisch)$/iu,
    claim: ({ v }) =>
      claim(
        `is ${/^vega?n/i.test(v ?? '') && !/vegetar/i.test(v ?? '') ? 'vegan' : 'vegetarian'}`,
        'diet',
        'preference',
      ),
  },
  {
    of: /^ich (?:komme|stamme) aus (?<v>.+)$/isu,
    claim: ({ v }) => claim(`is from ${trimValue(v ?? '')}`, 'origin', 'identity'),
  },
  {
    of: /^ich habe am (?<v>.+?) geburtstag$/iu,
    claim: ({ v }) => claim(`birthday is ${trimValue(v ?? '')}`, 'birthday', 'identity'),
  },
  {
    of: /^ich bin (?:am )?(?<v>.+?) geboren$/iu,
    claim: ({ v }) => claim(`birthday is ${trimValue(v ?? '')}`, 'birthday', 'identity'),
  },
  {
    of: /^ich bin allergisch (?:gegen|auf) (?<v>.+)$/isu,
    claim: ({ v }) =>
      claim(`is allergic to ${trimValue(v ?? '')}`, `allergy ${slotOf(trimValue(v ?? ''))}`, 'preference'),
  },
  {
    of: /^ich mag (?<v>.+?) nicht(?: mehr)?$/iu,
    claim: ({ v }) =>
      claim(`does not like ${trimValue(v ?? '')}`, `opinion ${slotOf(v ?? '')}`, 'preference'),
  },
  {
    of: /^ich mag kein(?:e|en)? (?<v>.+)$/isu,
    claim: ({ v }) =>
      claim(`does not like ${trimValue(v ?? '')}`, `opinion ${slotOf(v ?? '')}`, 'preference'),
  },
  {
    of: /^ich (?<verb>mag|liebe|hasse) (?<v>.+)$/isu,
    claim: ({ verb, v }) =>
      claim(
        `${/hasse/i.test(verb ?? '') ? 'hates' : /liebe/i.test(verb ?? '') ? 'loves' : 'likes'} ${trimValue(v ?? '')}`,
        `opinion ${slotOf(trimValue(v ?? ''))}`,
        'preference',
      ),
  },
  {
    of: /^ich (?:bevorzuge|trinke lieber|esse lieber|nehme lieber) (?<v>.+)$/isu,
    claim: ({ v }) => claim(`prefers ${trimValue(v ?? '')}`, null, 'preference'),
  },
  {
    of: /^ich spreche (?<v>\p{Lu}.+)$/isu,
    claim: ({ v }) => claim(`speaks ${trimValue(v ?? '')}`, null, 'identity'),
  },
  {
    of: bounded(
      MAX_CLAUSE,
      /^(?:mein|meine|unser|unsere) (?<np>[\p{L}-]+(?: [\p{L}-]+)?) (?:ist|sind|heißt|heisst|heißen) (?:am )?(?<v>.+)$/isu,
    ),
    claim: ({ np, v }) => {
      const slot = slotOf(np ?? '');
      const what = trimValue(v ?? '');
      if (what === '' || /^(?:kaputt|leer|weg|da|hier|müde|krank|gut|schlecht|langsam)$/i.test(what))
        return null;
      return claim(`${slot} is ${what}`, slot, slot.startsWith('favourite') ? 'preference' : 'fact');
    },
  },
];

/** A first-person statement in German, or null. */
export const germanClaim = (clause: string): Claim | null => {
  const text = clause.trim().replace(/(?<![.!])[.!]+$/, '');
  for (const pattern of PATTERNS) {
    const match = pattern.of.exec(text);
    if (match) {
      const found = pattern.claim(match.groups ?? {});
      if (found) return found;
    }
  }
  return null;
};
