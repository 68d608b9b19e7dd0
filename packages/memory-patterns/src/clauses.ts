import { bounded } from 'pentarch-prose';
import { hasDate, WEEKDAY } from './dates.ts';
import { type Claim, claim, type EntityMention, type Extracted, slotOf } from './facts.ts';
import { germanClaim } from './german.ts';
import { claimOfPredicate, endOfPredicate } from './predicates.ts';
import { preferenceFact } from './preferences.ts';
import { MAX_CLAUSE, oneLine, trimValue } from './sentences.ts';
import { valuesOf } from './values.ts';

/** From one asserted clause to facts: who is spoken of, and what is said. */

const NAME =
  "\\p{Lu}[\\p{L}\\p{N}&.'-]*(?: (?:(?:of|the|de|van|von|der) )?(?:\\p{Lu}|\\d)[\\p{L}\\p{N}&.'-]*){0,4}";

const KIN =
  'sister|brother|mother|father|mom|mum|dad|wife|husband|partner|girlfriend|boyfriend|fiancée?|son|daughter|cousin|uncle|aunt|grandmother|grandfather|nephew|niece|friend|best friend|colleague|coworker|co-worker|manager|boss|mentor|assistant|neighbou?r|roommate|flatmate|teammate|doctor|dentist|therapist|lawyer|accountant|landlord|client|dog|cat|horse|parrot|rabbit|hamster';

const PROPER = bounded(MAX_CLAUSE, new RegExp(`^${NAME}$`, 'u'));
const PERSON_SLOT = bounded(
  MAX_CLAUSE,
  new RegExp(
    `^(?:${KIN}|spouse|ceo|cto|cfo|lead|team lead|contact|teacher|professor|hr contact|account manager|project manager|product manager|coach|trainer)$`,
  ),
);
const AM_NAMED = bounded(MAX_CLAUSE, new RegExp(`^am (?<name>${NAME})$`, 'u'));
const KIN_SAID = bounded(
  MAX_CLAUSE,
  new RegExp(
    `^(?:my|our) (?<kin>(?:(?:older|younger|elder|little|big|twin|new|current) )?(?:${KIN}))(?: ?, | )(?<name>${NAME})(?: ?, | )(?<predicate>[\\p{Ll}'].+)$`,
    'su',
  ),
);
const MINE_NAMED = bounded(
  MAX_CLAUSE,
  new RegExp(
    `^(?:my|our) (?<np>[\\p{Ll}]+(?: [\\p{Ll}]+)?) ?, ?(?<name>${NAME}) ?, ?(?<predicate>\\p{Ll}.+)$`,
    'su',
  ),
);
const MINE_DOES = bounded(
  MAX_CLAUSE,
  new RegExp(
    `^(?:my|our) (?<np>${KIN}|team|company|family|parents|kids|children) (?<predicate>[\\p{Ll}].+)$`,
    'iu',
  ),
);
const NAMED_HAS = bounded(
  MAX_CLAUSE,
  new RegExp(
    `^(?<name>${NAME})(?<=\\p{L})(?:'s|’s) (?<np>[\\p{L}'-]+(?: [\\p{L}'-]+){0,3}?) (?:is|are|was) (?<value>.+)$`,
    'su',
  ),
);
const THE_OF_NAMED = bounded(
  MAX_CLAUSE,
  new RegExp(
    `^[Tt]he (?<np>[\\p{Ll}'-]+(?: [\\p{L}'-]+){0,3}?) (?:of|for) (?:the )?(?<name>${NAME}) (?:is|are|was) (?<value>.+)$`,
    'su',
  ),
);
const NAMED_SAID = bounded(
  MAX_CLAUSE,
  new RegExp(
    `^(?:(?:[Tt]he|[Oo]ur) (?:project|team|company|client|customer|product) )?(?<name>${NAME}) (?<predicate>(?:is|works|lives|likes|loves|enjoys|hates|dislikes|prefers|speaks|has|moved|joined|was|comes|studies|reports|owns|left|no longer|doesn't|does not|can't|cannot|goes|plays|drives|teaches|leads|manages|runs|heads|maintains|coordinates|handles|supervises|represents|launch|starts?|begins?|ends?|ships?|takes|graduated|stopped|quit|will)\\b.*)$`,
    'su',
  ),
);
const CALL_ME = bounded(
  MAX_CLAUSE,
  new RegExp(`^(?:(?:please|you can|you may|just) )*call me (?<name>${NAME})$`, 'iu'),
);
const MENTIONED = bounded(
  MAX_CLAUSE,
  new RegExp(`\\b[Mm]y (?<who>${KIN}) (?<name>\\p{Lu}[\\p{L}'-]+(?: \\p{Lu}[\\p{L}'-]+)?)`, 'gu'),
);

const MINE_IS = bounded(
  MAX_CLAUSE,
  /^(?:my|our) (?<np>[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,5}?) (?:is|are|was) (?<value>.+)$/isu,
);

const NO_NAME =
  /^(?:I|I'm|It|It's|This|That|These|Those|He|She|They|We|You|There|Here|The|A|An|My|Our|Your|His|Her|Their|Its|Everyone|Everybody|Nobody|Someone|Somebody|Anyone|People|Users|Customers|Who|What|Where|When|Why|How|Which|Yes|No|Ok|Okay|Thanks|Please|Let|Just|And|But|So|If|As|Not|Nothing|Everything|Something|All|Some|Most|Many|Both|Each|Every|One|Today|Tomorrow|Yesterday|Actually|Also|Remember|Note|Ich|Du|Er|Sie|Es|Wir|Das|Dies|Der|Die|Ein|Eine|Mein|Meine|Man|Alle|Error|Warning)$/;

const PETS = /^(?:dog|cat|horse|parrot|rabbit|hamster|pet)$/;

const NATIONALITY =
  /^(?:English|German|French|Spanish|Italian|Polish|Dutch|Irish|Scottish|Welsh|British|American|Canadian|Mexican|Brazilian|Indian|Chinese|Japanese|Korean|Russian|Ukrainian|Turkish|Greek|Swedish|Norwegian|Danish|Finnish|Austrian|Swiss|Czech|Hungarian|Romanian|Portuguese|Australian|Argentinian|Chilean|Colombian|Egyptian|Nigerian|Kenyan|Israeli|Iranian|Pakistani|Vietnamese|Thai|Belgian|Croatian|Serbian|Bulgarian)$/;

/** States that pass: `my laptop is broken` is no fact to keep. */
const PASSING =
  /^(?:not\b.*|(?:very |really |so |too |a bit |still |just |already )*(?:broken|down|slow|wrong|right|fine|ok|okay|good|bad|great|ready|late|tired|empty|full|missing|here|there|gone|done|over|stuck|dead|off|on|sick|ill|busy|sad|happy|clear|simple|unclear|correct|incorrect|important|nice|hungry|back|home|working|failing|crashing|acting up|killing me|loud|dirty|messy|running late|coming over|on fire|hurting|fried|flaky|burning|waiting|asleep|open|closed|lost)|.*\b(?:right now|today|at the moment|again|anymore)|(?:that|how|whether|to|about|like|because|why)\b.*|as follows.*|this.*|…)$/i;

const NO_SLOT =
  /(?:^|\s)(?:question|problem|issue|point|guess|plan|idea|understanding|concern|worry|goal|task|request|suggestion|opinion|view|thought|feeling|impression|bad|mistake|fault|turn|way|code|error|query|hope|assumption|answer|first|next|last|only|biggest|other)s?$/i;

/** Things of the work at hand, whose state passes. */
const AT_HAND =
  /\b(?:code|script|servers?|app|apps|program|function|query|tests?|build|computer|internet|connection|screen|browser|page|file|files|table|data|account|order|package|invoice|request|question|message|e-?mail|text|terminal|database|api|job|pipeline|cache|model|prompt|answer|output|results?|head|stomach|phone)\b/i;

const fact = (subject: EntityMention | null, c: Claim): Extracted => ({
  kind: 'fact',
  subject,
  text: c.text,
  attribute: c.attribute,
  category: c.category,
  importance: c.importance,
  relation: c.relation,
});

const isProper = (text: string): boolean =>
  PROPER.test(text) && !hasDate(text) && !NO_NAME.test(text) && !WEEKDAY.test(text);

/** Slots whose value is a person (or a pet) when it is a name. */
const typeOfSlot = (slot: string): string | null => {
  const head = slot.replace(/ name$/, '');
  if (PETS.test(head)) return 'pet';
  if (PERSON_SLOT.test(head)) return 'person';
  return null;
};

/** `my flight was on Monday`: it is over, so another day does not take its place. A birthday comes again. */
const isPastDay = (clause: string, np: string, value: string): boolean =>
  / was $/i.test(clause.slice(0, clause.length - value.length)) &&
  slotOf(np) !== 'birthday' &&
  valuesOf(value).some(({ kind }) => kind === 'date');

/** `my np is value`, also of what belongs to a named one. */
const slotClaim = (np: string, valueText: string, own: boolean): Claim | null => {
  const value = trimValue(valueText.replace(/^(?:called|named) /i, '').replace(/^on (?=.*\d)/i, ''));
  if (
    value === '' ||
    value.length > 300 ||
    PASSING.test(value) ||
    NO_SLOT.test(np) ||
    (AT_HAND.test(np) && /^(?:\p{Ll}+(?:ed|ing)|un\p{Ll}+|too|so|very)\b/u.test(value))
  )
    return null;
  const called = /^(?:called|named)\s/i.test(valueText);
  const nested = called || isProper(value) ? null : claimOfPredicate(`is ${value}`);
  const slot = slotOf(np);
  if (nested && !/^(?:name|birthday|role|age)$/.test(slot) && typeOfSlot(slot) !== null) {
    return {
      ...nested,
      text: `${np} ${nested.text}`,
      attribute: `${slot} ${nested.attribute ?? ''}`.trim(),
      relation: null,
    };
  }
  const attribute = called && !slot.endsWith('name') ? `${slot} name` : slot;
  const kind = typeOfSlot(slot);
  const category = slot.startsWith('favourite')
    ? 'preference'
    : /^(?:name|birthday|role|age|employer|residence)$/.test(slot)
      ? 'identity'
      : 'fact';
  const relation =
    kind !== null && (called || isProper(value))
      ? { type: slot.replace(/ name$/, '').replaceAll(' ', '_'), to: { name: value, entityType: kind } }
      : slot === 'employer' && own
        ? { type: 'works_at', to: { name: value, entityType: 'organization' } }
        : null;
  return claim(`${np} is ${value}`, attribute, category, relation);
};

const INSTRUCTION = bounded(
  MAX_CLAUSE,
  /^(?:(?:please|so)(?: ?, ?| ?))?(?:(?<freq>always|never) (?!mind|been|had|knew|thought)(?<what>[a-z].+)|(?:from now on|in (?:the )?future|going forward)(?: ?, ?| ?)(?:please )?(?<now>[a-z].+)|(?<end>[a-z].+?) (?:from now on|in (?:the )?future|going forward))$/i,
);

/** How the assistant is to answer, said as a prohibition. */
const DO_NOT = bounded(
  MAX_CLAUSE,
  /^(?:please )?(?:don't|do not) (?<what>(?:use|call me|include|apologi[sz]e|answer|reply|respond|write in|swear|send me|address me|start your|end your|repeat)\b.+)$/is,
);

const LANGUAGES: ReadonlySet<string> = new Set(
  ['en', 'de'].flatMap((inLanguage) => {
    const names = new Intl.DisplayNames([inLanguage], { type: 'language' });
    return (
      'af ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl he hi hr hu id is it ja ko la lt lv ms nl no pl pt ro ru sk sl ' +
      'sq sr sv sw ta te th tl tr uk ur vi zh'
    )
      .split(' ')
      .map((code) => (names.of(code) ?? code).toLowerCase());
  }),
);

/** `Always answer in German`: the named preference, so that it is the same however it is said or set. */
const LANGUAGE = bounded(
  MAX_CLAUSE,
  /^(?:(?:please|from now on|always|i(?:'d like| want) you to|you should)[\s,]+)*(?:answer|reply|respond|write|speak|talk)(?: (?:to )?me)?(?: always)? (?:only )?in (?<language>\p{L}+)(?:(?: ?, ?| ?)(?:from now on|again|please|in (?:the )?future|always|only))*$/iu,
);

const instructionOf = (clause: string): Extracted | null => {
  const not = DO_NOT.exec(clause)?.groups?.what;
  if (not !== undefined && !/\b(?:this|that|it|here|the (?:file|function|table|word))\b/i.test(not))
    return fact(null, claim(`wants the assistant not to ${trimValue(not)}`, null, 'preference'));
  const language = LANGUAGE.exec(clause.replace(/(?<![.!\s])[.!\s]+$/, ''))?.groups?.language;
  if (language !== undefined && LANGUAGES.has(language.toLowerCase())) {
    const wish = preferenceFact('language', language);
    if (typeof wish !== 'string') return wish;
  }
  const text = clause.replace(/^I(?:'d like| want| need)(?: you)? to (?=always|never)/i, '');
  const groups = INSTRUCTION.exec(text)?.groups;
  if (!groups) return null;
  const what = groups.freq
    ? `${groups.freq.toLowerCase()} ${trimValue(groups.what ?? '')}`
    : trimValue(groups.now ?? groups.end ?? '').replace(/^please /i, '');
  if (/^(?:I|we|he|she|they|it|you|my|our)\b/i.test(what)) return null;
  return fact(null, claim(`wants the assistant to ${what}`, null, 'preference'));
};

const firstPerson = (clause: string): Extracted[] | null => {
  const match =
    /^(?:I'm|I am|we're|we are) (?<am>.+)$|^(?:I've|we've) (?<have>.+)$|^(?:I|we) (?<verb>.+)$/is.exec(
      clause,
    );
  if (!match?.groups) return null;
  const { am, have, verb } = match.groups;
  const predicate = am !== undefined ? `am ${am}` : have !== undefined ? `have ${have}` : (verb ?? '');
  if (/^(?:'d|'ll|will|shall)\b/.test(predicate)) return [];
  const ended = endOfPredicate(predicate);
  if (ended) return [{ kind: 'end', subject: null, ...ended }];
  const found = claimOfPredicate(predicate);
  if (found) return [fact(null, found)];
  const named = AM_NAMED.exec(trimValue(predicate))?.groups?.name;
  if (named !== undefined && !NO_NAME.test(named)) {
    return [
      fact(
        null,
        NATIONALITY.test(named)
          ? claim(`is ${named}`, 'nationality', 'identity')
          : claim(`name is ${named}`, 'name', 'identity'),
      ),
    ];
  }
  return [];
};

/** A sentence in the simple present that no pattern knows, said of something that the author named as theirs. */
const plainly = (predicate: string): Claim | null => {
  const text = trimValue(predicate);
  const verb = /^(?:also |usually |always |often |never )?([a-z]{2,}s)\b/.exec(text)?.[1];
  if (PASSING.test(text) || AT_HAND.test(text.split(' ').slice(0, 1).join(' '))) return null;
  return verb === undefined ||
    /^(?:is|has|was|does|says|thinks|wants|needs|seems|looks|feels|sounds|keeps|works)$/.test(verb) ||
    text.length > 160
    ? null
    : claim(text, null);
};

/** News of somebody: `just got engaged to Marta`, `is getting married`. */
const lately = (predicate: string): Claim | null =>
  /^(?:just |recently |has |was |got |is getting |graduated |moved |bought |started |passed |won )/i.test(
    predicate,
  ) &&
  !PASSING.test(trimValue(predicate.replace(/^(?:is|was|has) /, ''))) &&
  predicate.length <= 160
    ? claim(trimValue(predicate), null)
    : null;

const ofMine = (clause: string): Extracted[] | null => {
  const kin = KIN_SAID.exec(clause.replace(/^My/, 'my').replace(/^Our/, 'our'));
  if (kin?.groups) {
    const { kin: who = '', name = '', predicate = '' } = kin.groups;
    const slot = slotOf(who);
    const entity = { name, entityType: PETS.test(slot) ? 'pet' : 'person' };
    const facts: Extracted[] = [
      fact(null, claim(`${who} is ${name}`, null, 'fact', { type: slot.replaceAll(' ', '_'), to: entity })),
    ];
    const said = claimOfPredicate(predicate) ?? plainly(predicate) ?? lately(predicate);
    if (said) facts.push(fact(entity, said));
    return facts;
  }
  const is = MINE_IS.exec(clause);
  if (is?.groups) {
    const { np = '', value = '' } = is.groups;
    const said = isPastDay(clause, np, value) ? null : slotClaim(np, value, true);
    if (said === null) return [];
    const our = /^our\b/i.test(clause);
    return [fact(null, our ? { ...said, text: `our ${said.text}` } : said)];
  }
  const named = MINE_NAMED.exec(clause.replace(/^My/, 'my').replace(/^Our/, 'our'));
  if (named?.groups) {
    const { np = '', name = '', predicate = '' } = named.groups;
    const first = slotClaim(np, name, true);
    const said = claimOfPredicate(predicate) ?? plainly(predicate);
    const entity = {
      name,
      entityType:
        typeOfSlot(slotOf(np)) ?? (/company|firm|employer|business/.test(np) ? 'organization' : 'thing'),
    };
    return [...(first ? [fact(null, first)] : []), ...(said ? [fact(entity, said)] : [])];
  }
  const runs =
    /^(?:my|our) (?<np>[\p{Ll}-]+(?: [\p{Ll}-]+)?) (?<predicate>(?:starts?|ends?|begins?|closes?|opens?|leaves?|expires?|costs?|lasts?|meets?|takes place|arrives?|launch(?:es)?|departs?|builds?|makes?|sells?|uses?|runs on|happens?)\s.+)$/isu.exec(
      clause,
    );
  if (runs?.groups) {
    const { np = '', predicate = '' } = runs.groups;
    const verb = predicate.split(' ')[0] ?? '';
    return PASSING.test(predicate)
      ? []
      : [fact(null, claim(`${np} ${trimValue(predicate)}`, `${slotOf(np)} ${verb.toLowerCase()}`))];
  }
  const does = MINE_DOES.exec(clause);
  if (does?.groups) {
    const { np = '', predicate = '' } = does.groups;
    const said = claimOfPredicate(predicate) ?? plainly(predicate);
    if (said === null) return [];
    return [
      fact(null, {
        ...said,
        text: `${np} ${said.text}`,
        attribute: said.attribute === null ? null : `${slotOf(np)} ${said.attribute}`,
        relation: null,
        category: 'fact',
      }),
    ];
  }
  const rest = /^(?:my|our) (?<np>[\p{Ll}-]+(?: [\p{Ll}-]+)?) (?<predicate>[\p{Ll}]{2,}s\s.+)$/isu.exec(
    clause,
  )?.groups;
  if (
    rest?.np !== undefined &&
    rest.predicate !== undefined &&
    !AT_HAND.test(rest.np) &&
    !NO_SLOT.test(rest.np)
  ) {
    const said = plainly(rest.predicate);
    return said === null ? [] : [fact(null, { ...said, text: `${rest.np} ${said.text}` })];
  }
  return null;
};

const typeOfName = (name: string): string =>
  /^Project\b|\bProject$/.test(name)
    ? 'project'
    : /^Team\b|\bTeam$/.test(name)
      ? 'team'
      : /\b(?:Inc|Ltd|GmbH|Corp|AG|LLC)\b/.test(name)
        ? 'organization'
        : 'person';

const DATED = bounded(
  MAX_CLAUSE,
  /^(?:launch(?:es|ed)?|starts?|started|begins?|ends?|ended|ships?|is due|is scheduled|is planned|takes? place|will (?:start|end|launch|ship|be)) (?:on|in|for|by|at)? ?(?<when>.+)$/is,
);

const ofNamed = (clause: string): Extracted[] | null => {
  const belongs = NAMED_HAS.exec(clause) ?? THE_OF_NAMED.exec(clause);
  if (belongs?.groups) {
    const name = (belongs.groups.name ?? '').replace(/'s$/, '');
    const { np = '', value = '' } = belongs.groups;
    const said = isPastDay(clause, np, value) ? null : slotClaim(np, value, false);
    return said === null || NO_NAME.test(name)
      ? []
      : [
          fact(
            {
              name,
              entityType:
                /deadline|budget|launch|release|code|version|start|end|status|owner/i.test(np) &&
                typeOfName(name) === 'person'
                  ? 'project'
                  : typeOfName(name),
            },
            said,
          ),
        ];
  }
  const isMine = /^(?<value>.+?) (?:is|are) (?:my|our) (?<np>[\p{L}'-]+(?: [\p{L}'-]+){0,4})$/iu.exec(clause);
  if (isMine?.groups && !NO_NAME.test(isMine.groups.value ?? '')) {
    const said = slotClaim(trimValue(isMine.groups.np ?? ''), isMine.groups.value ?? '', true);
    return said === null ? [] : [fact(null, said)];
  }
  const named = NAMED_SAID.exec(clause);
  if (!named?.groups) return null;
  const { name = '', predicate = '' } = named.groups;
  if (name.split(' ').some((word) => NO_NAME.test(word))) return [];
  const dated = DATED.exec(predicate);
  if (dated?.groups && hasDate(dated.groups.when ?? ''))
    return [
      fact(
        { name, entityType: typeOfName(name) === 'person' ? 'event' : typeOfName(name) },
        claim(trimValue(predicate), `date ${predicate.split(' ')[0]?.toLowerCase()}`),
      ),
    ];
  const entity = { name, entityType: typeOfName(name) };
  const ended = endOfPredicate(predicate);
  if (ended) return [{ kind: 'end', subject: entity, ...ended }];
  const said =
    claimOfPredicate(predicate) ??
    (/^(?:leads|manages|runs|heads|maintains|coordinates|handles|supervises|represents)\s/.test(predicate)
      ? plainly(predicate)
      : null);
  return said === null ? [] : [fact(entity, said)];
};

/** Facts of one clause that its author asserts; empty when it holds none. */
export const factsOfClause = (text: string): Extracted[] => {
  const clause = oneLine(text)
    .trim()
    .replace(/(?<![.!…\s])[.!…\s]+$/u, '')
    .replace(/^[,\s]+/, '');
  const call = CALL_ME.exec(trimValue(clause));
  if (call?.groups?.name && /^\p{Lu}/u.test(call.groups.name))
    return [fact(null, claim(`name is ${call.groups.name}`, 'name', 'identity'))];
  const german = germanClaim(clause);
  if (german) return [fact(null, german)];
  const instruction = instructionOf(clause);
  if (instruction) return [instruction];
  return firstPerson(clause) ?? ofMine(clause) ?? ofNamed(clause) ?? [];
};

/** What a bare text of an observation says (`works at Acme`, `Ada lives in Rome`, `birthday is 3 May`), for its slot. */
export const claimOfObservation = (text: string, entityName: string): Claim | null => {
  let predicate = oneLine(text).trim();
  if (predicate.toLowerCase().startsWith(`${entityName.toLowerCase()} `))
    predicate = predicate.slice(entityName.length + 1);
  const ofSlot =
    /^(?:(?:the|his|her|their|its|my) )?(?<np>(?:favou?rite [\p{L}-]+(?: [\p{L}-]+)?|name|birthday|phone(?: number)?|e-?mail(?: address)?|address|manager|boss|deadline|budget|role|job title|employer|timezone|time zone|status|owner|capital|age|nickname)) (?:is|are|was) (?<value>.+)$/isu.exec(
      predicate,
    );
  if (ofSlot?.groups) return slotClaim(ofSlot.groups.np ?? '', ofSlot.groups.value ?? '', false);
  return claimOfPredicate(predicate.replace(/^(\p{Lu})(?=\p{Ll}+s?\s)/u, (c) => c.toLowerCase()));
};

/**
 * Whom the author takes for known in passing, in any sentence: `Call my assistant Nora`, `Can you write to my manager
 * Priya?`.
 */
export const mentionedPeople = (sentence: string): Extracted[] =>
  [...sentence.matchAll(MENTIONED)].flatMap(({ groups }) => {
    const name = (groups?.name ?? '').replace(/'s$/, '');
    const slot = slotOf(groups?.who ?? '');
    if (!isProper(name)) return [];
    const entity = { name, entityType: PETS.test(slot) ? 'pet' : 'person' };
    return [
      fact(
        null,
        claim(`${groups?.who} is ${name}`, null, 'fact', { type: slot.replaceAll(' ', '_'), to: entity }),
      ),
    ];
  });
