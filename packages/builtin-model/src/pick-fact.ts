/** Pure: a statement that shall be remembered, as whose fact it is and what holds of them. */

const THIRD: readonly [RegExp, string][] = [
  [/^i am /i, 'is '],
  [/^i'm /i, 'is '],
  [/^i have /i, 'has '],
  [/^i've /i, 'has '],
  [/^i (?:do not|don't) /i, 'does not '],
  [/^i (?:cannot|can't) /i, 'cannot '],
  [/^i (was|will|can|must|never|always|had|would) /i, '$1 '],
];

const MINE = /^(?:my|our|mein\w?|unser\w?) /i;
/** A name in front of its predicate. */
const NAMED =
  /^(?:the )?(\p{Lu}[\p{L}\p{N}.'’-]*(?: (?:of|de|von|van|und|\p{Lu}[\p{L}\p{N}.'’-]*))*) ((?:is|was|are|has|had|works?|worked|lives?|moved|leads?|led|likes?|owns?|joined|left|prefers?|wants?|will|can|must|needs?|runs?|manages?|reports?|belongs?|starts?|ends?|opens?|closes?|speaks?|does|sits?|knows?|uses?|heads?|became)\b.{1,400})$/su;

export const factOf = (said: string): { entity: string; fact: string } | null => {
  if (said === '' || /\?$/.test(said)) return null;
  if (MINE.test(said)) return { entity: 'user', fact: said.replace(MINE, '') };
  for (const [of, to] of THIRD) if (of.test(said)) return { entity: 'user', fact: said.replace(of, to) };
  const verb = /^i (\p{L}+) (.+)$/isu.exec(said);
  if (verb !== null) return { entity: 'user', fact: `${thirdPerson(verb[1] ?? '')} ${verb[2] ?? ''}` };
  const named = NAMED.exec(said);
  if (named !== null && !/^(?:We|I|It|They|This|That|There|He|She|You)$/.test(named[1] ?? ''))
    return { entity: named[1] ?? '', fact: named[2] ?? '' };
  return { entity: 'user', fact: `said: ${said}` };
};

const thirdPerson = (verb: string): string =>
  /ed$/.test(verb)
    ? verb
    : /(?:s|sh|ch|x|o)$/.test(verb)
      ? `${verb}es`
      : /[^aeiou]y$/.test(verb)
        ? `${verb.slice(0, -1)}ies`
        : `${verb}s`;
