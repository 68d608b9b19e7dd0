import { bounded } from 'pentarch-prose';
import { hasDate } from './dates.ts';
import { type Claim, claim, slotOf } from './facts.ts';
import { habitOfPredicate } from './habits.ts';
import { MAX_CLAUSE, trimValue } from './sentences.ts';

/**
 * What a predicate says, in order of the first that fits. The predicate comes in the first or third person without its
 * subject (`work at Acme`, `works at Acme`, `am from Rome`, `is 34`).
 */
interface Pattern {
  of: RegExp;
  claim(groups: Record<string, string | undefined>): Claim | null;
}

const value = (text: string | undefined): string => trimValue(text ?? '');
/** A proper name: it ends where a common word goes on (`Oslo and the noise`, `Berlin with my wife`, `Rome since 2019`). */
const proper = (text: string | undefined): string => {
  const name = value(text).replace(
    / (?:and|but|with|for|since|until|where|together) (?=\p{Ll}|\d|I\b|I').*$/su,
    '',
  );
  const when = / (?:in|on|since|from|until|as of|last|this|next|back in|early|late) (.+)$/isu.exec(name);
  // `Brightwell Logistics in February 2024`: when is no part of the name.
  return when !== null &&
    (hasDate(when[1] ?? '') ||
      /^(?:week|month|year|spring|summer|autumn|fall|winter|\p{L}+day)\b/iu.test(when[1] ?? ''))
    ? name.slice(0, when.index)
    : name;
};
const capitalised = (text: string): boolean => /^\p{Lu}|^\d/u.test(text);
const shortEnough = (text: string): boolean => text.length > 0 && text.length <= 160;

const ROLE_WORD = bounded(
  200,
  /(?:engineer|developer|programmer|manager|teacher|professor|doctor|nurse|student|designer|architect|analyst|director|accountant|lawyer|attorney|consultant|scientist|researcher|writer|author|editor|journalist|artist|musician|chef|cook|baker|plumber|electrician|carpenter|mechanic|pilot|driver|farmer|chemist|biologist|physicist|mathematician|economist|psychologist|therapist|dentist|pharmacist|veterinarian|vet|librarian|translator|interpreter|administrator|assistant|secretary|officer|lead|founder|co-founder|cofounder|ceo|cto|cfo|coo|president|owner|entrepreneur|freelancer|contractor|intern|trainee|apprentice|salesperson|marketer|recruiter|photographer|surgeon|paramedic|firefighter|soldier|judge|notary|planner|buyer|trader|banker|auditor|broker|geologist|astronomer|historian|philosopher|technician|operator|coach|trainer|barista|waiter|waitress|cashier|clerk|tester|maintainer|statistician|head|chief|head of [\w ]+|vp of [\w ]+|lehrer(?:in)?|ärztin|arzt|ingenieur(?:in)?|entwickler(?:in)?|student(?:in)?|anwalt|anwältin|architekt(?:in)?|krankenpfleger(?:in)?)$/i,
);

/** `a dog named Rex`: what one has, and its name. */
const NAMED = bounded(
  600,
  /^(.*?)[\s,]+(?:named|called|whose name is) (\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)*) ?$/u,
);

const DIET = /^(?:(?:strict|lifelong) )?(vegan|vegetarian|pescatarian|vegetarier(?:in)?|veganer(?:in)?)$/i;

const organisation = (name: string) => ({ name, entityType: 'organization' });
const place = (name: string) => ({ name, entityType: 'place' });

const employerClaim = (name: string): Claim | null =>
  shortEnough(name) && !/^(?:home|night|weekends|least|most|all|it|this|that|the moment)\b/i.test(name)
    ? claim(`works at ${name}`, 'employer', 'identity', { type: 'works_at', to: organisation(name) })
    : null;

const residenceClaim = (where: string, preposition = 'in'): Claim | null =>
  shortEnough(where) && capitalised(where.replace(/^the /, ''))
    ? claim(`lives ${preposition} ${where}`, 'residence', 'identity', { type: 'lives_in', to: place(where) })
    : null;

const roleClaim = (role: string): Claim => claim(`works as ${role}`, 'role', 'identity');

const opinion = (verb: string, thing: string): Claim | null =>
  shortEnough(thing) &&
  !/^(?:it|that|this|them|him|her|you|your|the idea|the way|how|when|what|to (?:know|see|ask|hear|thank|get|book|order|schedule)|where|these|those|everything|nothing)\b/i.test(
    thing,
  )
    ? claim(
        `${verb} ${thing}`,
        `opinion ${slotOf(thing.replace(/^(?:to |eating |drinking )/i, ''))}`,
        'preference',
      )
    : null;

const ADVERB =
  '(?:(?:now|currently|really|absolutely|also|mostly|usually|generally|still|always|just|recently|simply|strongly|much|quite|definitely) )*';
const rule = (source: string): RegExp => bounded(MAX_CLAUSE, new RegExp(`^${ADVERB}${source}$`, 'isu'));

const PATTERNS: readonly Pattern[] = [
  {
    of: rule(
      '(?:works?|am working|is working|have worked|has worked|have been working|has been working) (?<adv>remotely )?(?:as|in the role of) (?<role>an? .+?|the .+?|.+?)(?: (?:at|for|with) (?<org>.+))?',
    ),
    claim: ({ role, org }) => {
      const what = value(role);
      if (!shortEnough(what)) return null;
      const employer = org === undefined ? null : employerClaim(value(org));
      return employer === null ? roleClaim(what) : { ...roleClaim(what), relation: employer.relation };
    },
  },
  {
    of: rule(
      '(?:works?|have worked|has worked|am working|is working|am employed|is employed|started(?: working| a (?:new )?job)?|have started(?: working)?|has started(?: working)?|got a (?:new )?job) (?:now )?(?:at|for|with) (?<org>.+)',
    ),
    claim: ({ org }) => employerClaim(proper(org)),
  },
  {
    of: rule('(?:joined|have joined|has joined) (?<org>\\p{Lu}.+)'),
    claim: ({ org }) => (/^\p{Lu}/u.test(org ?? '') ? employerClaim(proper(org)) : null),
  },
  {
    of: rule(
      '(?:moved|relocated|have moved|has moved|have relocated|has relocated)(?: (?:house|home|flats?|away))?(?: (?:last|this) [a-z]+)?,? (?:from .+? )?to (?<where>.+)',
    ),
    claim: ({ where }) => residenceClaim(proper(where)),
  },
  {
    of: rule(
      '(?:lives?|have lived|has lived|have been living|has been living|am living|is living|resides?|am based|is based|is located|am located) (?<prep>in|at|near|on|outside) (?<where>.+)',
    ),
    claim: ({ prep, where }) => residenceClaim(proper(where), (prep ?? 'in').toLowerCase()),
  },
  {
    of: rule('(?:was|were) born (?<prep>on|in) (?<when>.+)'),
    claim: ({ prep, when }) => {
      const what = value(when);
      return hasDate(what)
        ? claim(`birthday is ${what}`, 'birthday', 'identity')
        : claim(`was born ${prep} ${what}`, 'birthplace', 'identity');
    },
  },
  {
    of: rule(
      '(?:come|comes|am|is|am originally|is originally|originally come) (?:originally )?from (?<where>.+)',
    ),
    claim: ({ where }) => {
      const what = proper(where);
      return capitalised(what.replace(/^the /, '')) && shortEnough(what)
        ? claim(`is from ${what}`, 'origin', 'identity')
        : null;
    },
  },
  {
    of: rule(
      '(?:am|is) (?<age>\\d{1,3}(?: (?:years?|months?)(?: old)?| yo)?|[a-z-]+ (?:years?|months?) old)',
    ),
    claim: ({ age }) => {
      const years = /^\d+(?: yo)?$/i.test(age ?? '')
        ? `${Number.parseInt(age ?? '', 10)} years old`
        : value(age);
      return claim(`is ${/old$/.test(years) ? years : `${years} old`}`, 'age', 'identity');
    },
  },
  {
    of: rule('(?:am|is) (?:(?:very|severely|deathly|highly) )?allergic to (?<what>.+)'),
    claim: ({ what }) =>
      claim(`is allergic to ${value(what)}`, `allergy ${slotOf(value(what))}`, 'preference'),
  },
  {
    of: rule(
      '(?:am|is) (?<what>(?:lactose|gluten)[ -]intolerant|(?:an? )?coeliac|(?:an? )?celiac|diabetic|colou?r[ -]?blind|left-handed|dyslexic|pregnant|deaf|blind)',
    ),
    claim: ({ what }) => claim(`is ${value(what)}`, `condition ${slotOf(value(what))}`, 'preference'),
  },
  {
    of: rule('(?:am|is) (?:an? )?(?<what>.+)'),
    claim: ({ what }) => {
      const diet = DIET.exec(value(what))?.[0];
      return diet === undefined ? null : claim(`is ${diet.toLowerCase()}`, 'diet', 'preference');
    },
  },
  {
    of: rule('(?:am|is) (?:an? )?(?:(?:big|huge|great|massive) )?fan of (?<what>.+)'),
    claim: ({ what }) => opinion('likes', value(what)),
  },
  {
    of: rule('(?:am|is) (?:(?:happily|newly) )?(?:married|engaged) to (?<who>.+)'),
    claim: ({ who }) =>
      claim(`is married to ${value(who)}`, 'spouse', 'identity', {
        type: 'spouse',
        to: { name: value(who), entityType: 'person' },
      }),
  },
  {
    of: rule(
      '(?:am|is) (?<article>an? |the |our |)(?<role>[\\p{L}][\\p{L} /&-]*?)(?: (?<tail>(?:working|who|speciali[sz]ing|focus(?:s?ed|s?ing)|based)\\b.*)| (?<prep>at|for|with|of|in) (?<org>.+))?',
    ),
    claim: ({ article, role, tail, prep, org }) => {
      const what = value(role);
      if (!ROLE_WORD.test(what) || (article === '' && !/^(?:head|chief|lead|co-?founder|c.o$)/i.test(what)))
        return null;
      const where = value(org);
      const works =
        prep !== undefined && prep !== 'in' && /^\p{Lu}/u.test(where) ? employerClaim(where) : null;
      return {
        ...claim(
          `is ${article ?? ''}${what}${org === undefined ? '' : ` ${prep} ${where}`}${tail === undefined ? '' : ` ${value(tail)}`}`,
          'role',
          'identity',
        ),
        relation: works?.relation ?? null,
      };
    },
  },
  {
    of: rule('(?:am|is) (?:called|named) (?<name>.+)'),
    claim: ({ name }) => claim(`name is ${value(name)}`, 'name', 'identity'),
  },
  {
    of: rule('goe?s? by (?:the name )?(?<name>\\p{Lu}.*)'),
    claim: ({ name }) => claim(`name is ${value(name)}`, 'name', 'identity'),
  },
  {
    of: rule('prefers? (?<what>.+?) (?:over|to|rather than|instead of) (?<other>.+)'),
    claim: ({ what, other }) =>
      claim(
        `prefers ${value(what)} over ${value(other)}`,
        `prefers ${[slotOf(value(what)), slotOf(value(other))].sort().join(' ')}`,
        'preference',
      ),
  },
  {
    of: rule('prefers? (?<what>.+)'),
    claim: ({ what }) =>
      shortEnough(value(what)) && !/^(?:that|it|this|not)\b/i.test(value(what))
        ? claim(`prefers ${value(what)}`, null, 'preference')
        : null,
  },
  {
    of: rule(
      "(?:don't|do not|doesn't|does not|never|no longer) (?:really )?(?:likes?|enjoys?|cares? for) (?<what>.+?)(?: (?:any ?more|any longer))?",
    ),
    claim: ({ what }) => opinion('does not like', value(what)),
  },
  {
    of: rule(
      "(?<verb>hates?|dislikes?|detests?|despises?|loathes?|can't stand|cannot stand|can't bear) (?<what>.+)",
    ),
    claim: ({ verb, what }) =>
      opinion(
        /stand|bear/i.test(verb ?? '') ? 'cannot stand' : /^dis/i.test(verb ?? '') ? 'dislikes' : 'hates',
        value(what),
      ),
  },
  {
    of: rule('(?<verb>likes?|loves?|adores?|enjoys?) (?<what>.+)'),
    claim: ({ verb, what }) => {
      const stem = (verb ?? 'like').toLowerCase().replace(/s$/, '');
      return opinion(`${stem}s`, value(what));
    },
  },
  {
    of: rule(
      "(?:don't|do not|doesn't|does not|never) (?<verb>eat|drink|smoke|use|wear|drive|work|fly)\\b ?(?<what>.*)",
    ),
    claim: ({ verb, what }) => {
      const rest = value((what ?? '').replace(/ (?:any ?more|any longer) ?$/i, ''));
      return /^(?:at|for|with|it|that|this|in)\b/i.test(rest)
        ? null
        : claim(
            `does not ${(verb ?? '').toLowerCase()}${rest === '' ? '' : ` ${rest}`}`,
            `habit ${(verb ?? '').toLowerCase()} ${slotOf(rest)}`.trim(),
            'preference',
          );
    },
  },
  {
    of: rule(
      '(?:have|has|have got|has got|own|owns) (?<what>(?:an?|one|two|three|four|five|\\d+|no) (?:\\w+[ -]){0,2}?(?<thing>dogs?|cats?|pets?|parrots?|rabbits?|hamsters?|horses?|daughters?|sons?|kids?|children|child|sisters?|brothers?|siblings?|twins|wife|husband|partner|girlfriend|boyfriend|grandchildren|degree|phd|car|bike|house|boat|allergy|motorcycle|garden)\\b.*)',
    ),
    claim: ({ what, thing }) => {
      const named = NAMED.exec(value(what));
      const slot = slotOf(thing ?? '');
      return named === null
        ? claim(`has ${value(what)}`, null, 'fact')
        : claim(`has ${named[1]} named ${named[2]}`, null, 'fact', {
            type: slot.replaceAll(' ', '_'),
            to: {
              name: named[2] ?? '',
              entityType: /dog|cat|pet|parrot|rabbit|hamster|horse/.test(slot) ? 'pet' : 'person',
            },
          });
    },
  },
  {
    of: rule('(?:speaks?) (?:(?:fluent|native|some|a little|a bit of|good) )*(?<what>\\p{L}.+)'),
    claim: ({ what }) =>
      /^(?:to|with|about|for|at)\b/i.test(what ?? '')
        ? null
        : claim(`speaks ${value(what)}`, null, 'identity'),
  },
  {
    of: rule('(?<verb>studies|study|studied|am studying|is studying|majors? in|am majoring in) (?<what>.+)'),
    claim: ({ verb, what }) =>
      claim(
        `${/studied/i.test(verb ?? '') ? 'studied' : 'studies'} ${value(what)}`,
        /studied/i.test(verb ?? '') ? null : 'study',
        'identity',
      ),
  },
  {
    of: rule('(?:graduated) (?<what>from|in) (?<where>.+)'),
    claim: ({ what, where }) => claim(`graduated ${what} ${value(where)}`, null, 'identity'),
  },
  {
    of: rule('(?:am|is) (?:learning|trying to learn) (?<what>.+)'),
    claim: ({ what }) => claim(`is learning ${value(what)}`, null, 'fact'),
  },
  {
    of: rule('(?<verb>plays?|drives?|uses?|rides?|teaches|teach|collects?) (?<what>.+)'),
    claim: ({ verb, what }) => {
      const stem = (verb ?? '').toLowerCase();
      const third =
        stem === 'teach' || stem === 'teaches' ? 'teaches' : stem.endsWith('s') ? stem : `${stem}s`;
      const thing = value(what);
      return shortEnough(thing) && !/^(?:it|this|that|them|these|those|your|you)\b/i.test(thing)
        ? claim(`${third} ${thing}`, null, 'fact')
        : null;
    },
  },
  {
    of: rule('used to (?<what>work|live|play|be|own|have|drive|study|teach|smoke) (?<rest>.+)'),
    claim: ({ what, rest }) => claim(`used to ${what} ${value(rest)}`, null, 'fact'),
  },
  {
    of: rule('reports? to (?<who>\\p{Lu}.*)'),
    claim: ({ who }) =>
      claim(`manager is ${value(who)}`, 'manager', 'fact', {
        type: 'manager',
        to: { name: value(who), entityType: 'person' },
      }),
  },
  {
    of: rule('(?:am|is) (?:in charge of|responsible for|leading|managing|running) (?<what>.+)'),
    claim: ({ what }) => claim(`is responsible for ${value(what)}`, null, 'fact'),
  },
];

/** What the predicate says, or null when no pattern knows it. */
export const claimOfPredicate = (predicate: string): Claim | null => {
  const text = predicate.trim().replace(/(?<![.!])[.!]+$/, '');
  for (const pattern of PATTERNS) {
    const match = pattern.of.exec(text);
    if (match === null) continue;
    const found = pattern.claim(match.groups ?? {});
    if (found !== null) return found;
  }
  return habitOfPredicate(text);
};

const ENDED: readonly { of: RegExp; attribute: string | null }[] = [
  {
    of: /^(?:no longer|don't|do not|doesn't|does not) works? (?:at|for|with) ?(?<what>.*?)(?: any ?more| any longer)?$/i,
    attribute: 'employer',
  },
  {
    of: /^(?:left|quit|have left|have quit|got fired from|was laid off from|resigned from) (?<what>my job|\p{Lu}.*)$/su,
    attribute: 'employer',
  },
  {
    of: /^(?:no longer|don't|do not|doesn't|does not) lives? in ?(?<what>.*?)(?: any ?more| any longer)?$/i,
    attribute: 'residence',
  },
  {
    of: /^(?:(?:am|is) no longer|(?:am|is) not|'m not) (?:an? )?(?<what>vegan|vegetarian|pescatarian)(?: any ?more| any longer)?$/i,
    attribute: 'diet',
  },
  {
    of: /^(?:no longer (?:have|has|use|uses|play|plays|drive|drives|own|owns|speak|speaks|study|studies)|stopped (?:using|playing|driving|studying|learning)|sold) (?:my |an? |the )?(?<what>.+)$/is,
    attribute: null,
  },
];

/** `no longer work at Acme` → which slot ends, and the words that the earlier statement had. */
export const endOfPredicate = (predicate: string): { attribute: string | null; words: string } | null => {
  const text = predicate.trim().replace(/(?<![.!])[.!]+$/, '');
  for (const { of, attribute } of ENDED) {
    const match = of.exec(text);
    if (match) {
      const words = trimValue(match.groups?.what ?? '').replace(/ (?:and|und) (?=\p{Ll}).*$/su, '');
      return { attribute, words: /^(?:my job|there|it)$/i.test(words) ? '' : words };
    }
  }
  return null;
};
