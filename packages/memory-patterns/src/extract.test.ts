import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createExtract } from './extract.ts';

const extract = createExtract((text) => /\b(?:password|pin)\b|\d{4} \d{4}/i.test(text));

/** Time of this thread alone, whatever else the machine does. */
const ownMs = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

/** Facts as `subject: text [slot]`, for reading. */
const shown = (message: string): string[] =>
  extract(message)
    .flatMap((found) => (found.kind === 'revise' && found.form === 'stated' ? found.otherwise : [found]))
    .map((found) => {
      if (found.kind === 'revise')
        return `${found.form}: ${found.topic} | ${found.before ?? ''} | ${found.after}`;
      if (found.kind === 'fact')
        return `${found.subject?.name ?? 'me'}: ${found.text} [${found.attribute ?? ''}]`;
      if (found.kind === 'end')
        return `${found.subject?.name ?? 'me'} ends ${found.attribute ?? ''} (${found.words})`;
      if (found.kind === 'replace') return `replace ${found.before} by ${found.after}`;
      return found.everything ? 'forget everything' : `forget ${found.words}`;
    });

const FACTS: readonly [string, ...string[]][] = [
  ['My name is Anna Kowalska.', 'me: name is Anna Kowalska [name]'],
  ["Hi, I'm Jonas and I work at Siemens.", 'me: name is Jonas [name]', 'me: works at Siemens [employer]'],
  ['Please call me Max.', 'me: name is Max [name]'],
  ['I work at Acme Corp as a data scientist.', 'me: works at Acme Corp as a data scientist [employer]'],
  ['I work as a nurse at St. Mary Hospital.', 'me: works as a nurse [role]'],
  ["I'm a software engineer.", 'me: is a software engineer [role]'],
  ['I am the CTO of Globex.', 'me: is the CTO of Globex [role]'],
  ['I just started a new job at Initech.', 'me: works at Initech [employer]'],
  ['I live in Berlin and work at Acme.', 'me: lives in Berlin [residence]', 'me: works at Acme [employer]'],
  ['I live in Oslo and the trams are loud.', 'me: lives in Oslo [residence]'],
  ["I've lived in Rome since 2019.", 'me: lives in Rome [residence]'],
  ['I live in Berlin with my wife.', 'me: lives in Berlin [residence]'],
  ["I'm based in Lisbon these days.", 'me: lives in Lisbon [residence]'],
  ['I moved from Hamburg to Munich.', 'me: lives in Munich [residence]'],
  ["I'm originally from Kraków.", 'me: is from Kraków [origin]'],
  ["I'm 34 years old.", 'me: is 34 years old [age]'],
  ['My birthday is on 3 May.', 'me: birthday is 3 May [birthday]'],
  ['I was born on March 12, 1988.', 'me: birthday is March 12, 1988 [birthday]'],
  ['I was born in Vienna.', 'me: was born in Vienna [birthplace]'],
  ['My favorite color is green.', 'me: favorite color is green [favourite colour]'],
  ['My favourite books are Dune and Emma.', 'me: favourite books is Dune and Emma [favourite books]'],
  ['Lasagne is my favourite food.', 'me: favourite food is Lasagne [favourite food]'],
  ['I prefer tea over coffee.', 'me: prefers tea over coffee [prefers coffee tea]'],
  ['I prefer short answers.', 'me: prefers short answers []'],
  ['I love hiking in the Alps.', 'me: loves hiking in the Alps [opinion hiking in alps]'],
  ["I don't like cilantro.", 'me: does not like cilantro [opinion cilantro]'],
  [
    "I can't stand meetings before noon.",
    'me: cannot stand meetings before noon [opinion meetings before noon]',
  ],
  ["I'm allergic to peanuts.", 'me: is allergic to peanuts [allergy peanuts]'],
  ["I'm vegetarian.", 'me: is vegetarian [diet]'],
  ['I am a vegan, by the way.', 'me: is vegan [diet]'],
  ["I don't eat pork.", 'me: does not eat pork [habit eat pork]'],
  ['Please always answer in German.', 'me: wants answers in German [language]'],
  ['Answer me in German.', 'me: wants answers in German [language]'],
  ['Forget the French, answer me in English again.', 'me: wants answers in English [language]'],
  ['We moved house last month, to Whitby.', 'me: lives in Whitby [residence]'],
  [
    'The gate code at the depot is 7714, please keep that in mind.',
    'me: noted: The gate code at the depot is 7714 [gate code at depot]',
  ],
  ['Nadia from accounting keeps the keys.', 'me: said: Nadia from accounting keeps the keys []'],
  [
    'My sister Vera repairs clocks in Ulm.',
    'me: sister is Vera []',
    'Vera: repairs clocks in Ulm []',
    'me: said: My sister Vera repairs clocks in Ulm []',
  ],
  ['Never use emojis.', 'me: wants the assistant to never use emojis []'],
  ['From now on, use metric units.', 'me: wants the assistant to use metric units []'],
  ['I have a dog named Rex.', 'me: has a dog named Rex []'],
  ['I have two kids.', 'me: has two kids []'],
  ['My dog is called Bello.', 'me: dog is Bello [dog name]'],
  ["My sister's name is Julia.", "me: sister's name is Julia [sister name]"],
  [
    'My sister Julia lives in Hamburg.',
    'me: sister is Julia []',
    'Julia: lives in Hamburg [residence]',
    'me: said: My sister Julia lives in Hamburg []',
  ],
  ['My manager is Priya Patel.', 'me: manager is Priya Patel [manager]'],
  ['My brother is a doctor.', 'me: brother is a doctor [brother role]'],
  ['My phone number is 030 1234567.', 'me: phone number is 030 1234567 [phone]'],
  ['My email address is anna@example.com.', 'me: email address is anna@example.com [email]'],
  ['I speak Polish and English.', 'me: speaks Polish and English []'],
  ['I drive an electric car.', 'me: drives an electric car []'],
  ['I play the violin.', 'me: plays the violin []'],
  ["I'm learning Rust.", 'me: is learning Rust []'],
  ['I studied physics in Heidelberg.', 'me: studied physics in Heidelberg []'],
  ['I used to work at Nokia.', 'me: used to work at Nokia []'],
  ['I report to Sandra.', 'me: manager is Sandra [manager]'],
  ['Alice works at Acme.', 'Alice: works at Acme [employer]'],
  ['Bob Miller is the CFO of Globex.', 'Bob Miller: is the CFO of Globex [role]'],
  ["Carla's birthday is 7 June.", 'Carla: birthday is 7 June [birthday]'],
  ['The deadline for Project Apollo is 30 September.', 'Project Apollo: deadline is 30 September [deadline]'],
  ['Project Apollo starts on 3 March 2027.', 'Project Apollo: starts on 3 March 2027 [date starts]'],
  ['Our office is in Zurich.', 'me: our office is in Zurich [office]'],
  ['Remember that the wifi network is Falcon.', 'me: noted: the wifi network is Falcon [wifi network]'],
  ["Don't forget that I'm allergic to nuts!", 'me: is allergic to nuts [allergy nuts]'],
  ['Keep in mind that deliveries come on Tuesdays.', 'me: noted: deliveries come on Tuesdays []'],
  ['Please remember: my locker is 42.', 'me: locker is 42 [locker]'],
  ['My team is called "Night Owls".', 'me: team is Night Owls [team name]'],
  ['Actually, my favourite colour is blue.', 'me: favourite colour is blue [favourite colour]'],
  ["Sorry, it's blue, not green.", 'contrast:  | green | blue'],
  ['No, I meant Tuesday, not Monday.', 'contrast:  | Monday | Tuesday'],
  ['I no longer work at Acme.', 'me ends employer (Acme)'],
  ["I don't live in Berlin anymore.", 'me ends residence (Berlin)'],
  ['I sold my car.', 'me ends  (car)'],
  ['Forget my phone number.', 'forget my phone number'],
  ['Please forget that I live in Berlin.', 'forget I live in Berlin'],
  ['Forget everything you know about me.', 'forget everything'],
  ['Ich heiße Lena.', 'me: name is Lena [name]'],
  ['Ich wohne in Köln.', 'me: lives in Köln [residence]'],
  ['Ich arbeite bei Bosch.', 'me: works at Bosch [employer]'],
  ['Meine Lieblingsfarbe ist Rot.', 'me: favourite colour is Rot [favourite colour]'],
  ['Ich mag keinen Spinat.', 'me: does not like Spinat [opinion spinat]'],
  ['Ich habe am 3. Mai Geburtstag.', 'me: birthday is 3. Mai [birthday]'],
  ['Merk dir, dass ich allergisch gegen Nüsse bin.', 'me: noted: ich allergisch gegen Nüsse bin []'],
  ['Vergiss meine Telefonnummer.', 'forget meine Telefonnummer'],
];

const HABITS: readonly [string, ...string[]][] = [
  ['I run a small bakery in Porto.', 'me: runs a small bakery in Porto []'],
  ['I go running every Sunday.', 'me: goes running every Sunday []'],
  ['We are planning our wedding for 12 June 2027.', 'me: is planning our wedding for 12 June 2027 []'],
  ['I need my reports in PDF.', 'me: needs reports in PDF [way reports]'],
  ["I can't eat gluten.", 'me: cannot eat gluten [habit eat gluten]'],
  ['I was promoted to senior manager.', 'me: works as senior manager [role]'],
  [
    "Please don't use emojis when you answer me.",
    'me: wants the assistant not to use emojis when you answer me []',
  ],
  ['Can you write to my manager Priya about Monday?', 'me: manager is Priya []'],
  ['The code is blue-seven, please remember that.', 'me: noted: The code is blue-seven [code]'],
  ['The project Falcon has a budget of 40000 euros.', 'Falcon: budget is 40000 euros [budget]'],
];

const NOTHING: readonly string[] = [
  'Our servers are overloaded right now.',
  'I read your answer and it makes sense.',
  'My code does not compile.',
  'The invoice is attached.',
  'I get an error when I run npm test.',
  'Please make the text shorter.',
  'I think we should deploy on Friday.',
  'I just finished the draft.',
  'I am looking for a hotel in Rome.',
  'I want to buy a bike.',
  'This file uses tabs.',
  'Python uses indentation.',
  'I am working on the slides, give me a minute.',
  'The customer wants a refund.',
  'He lives in Berlin.',
  'Show me all invoices from March 2024.',
  'I have a question about the contract.',
  'I run the script and it crashes.',
  'Paris is the capital of France.',
  'I build the app with cargo build.',
  'I write this in a hurry.',
  'My internet is down.',

  'Where do I work?',
  'Do I live in Berlin?',
  'do I like coffee',
  'What is my name?',
  'Is Alice working at Acme?',
  'If I lived in Paris, I would speak French.',
  'Suppose I work at NASA.',
  "Imagine I'm a pirate.",
  'I might move to Oslo.',
  'Maybe my favourite colour is red.',
  'I wish I lived in Rome.',
  'I would like to book a table.',
  'He said "I work at Acme".',
  'Anna said that I live in Prague.',
  'The article says my name is Bond.',
  'Translate: I live in Berlin.',
  'Please proofread this:\nI work at Acme and my name is Tom.',
  'Write a story in which the hero says things:\nMy name is Arthur. I live in Camelot.',
  '> I live in Madrid',
  '`my name is root`',
  'My computer is broken.',
  'My question is how to sort a list.',
  'My order is late.',
  'I am tired.',
  "I'm not sure about this.",
  'I like it.',
  'I love how this works!',
  'Thanks, that is great.',
  'Forget the weather, tell me about Clara.',
  'Forget about work, let us talk about Lisbon.',
  'Forget my address and explain how tides work.',
  'Forget Tom, what is the capital of Peru?',
  'Vergiss das Wetter, erzähle mir von Clara.',
  'Forget it.',
  'Forget about it, never mind.',
  'Remember to call me at five.',
  'Remember when we talked about ships?',
  'Everyone likes pizza.',
  'This works at last.',
  'My password is hunter2.',
  'Remember that my PIN is 1234.',
  'Remember that my card is 4111 1111 1111 1111.',
  'I need a summary of the report.',
  'I have a meeting at three.',
  'Wenn ich in Berlin wohne, fahre ich Rad.',
  'Wo wohne ich?',
  'For example, my name is Foo.',
];

const ALL_OF_ME = [
  'Forget everything you know about me.',
  'Please forget everything you have learned about me.',
  'Delete everything you have stored about me.',
  'Erase all you remember about me, please.',
  'Forget everything about me!',
  'Delete all my data.',
  'Delete all of my memories.',
  'Delete all data about me.',
  'Erase everything you know about me from your memory.',
  "Forget everything I've ever told you.",
  'Forget everything I told you about me.',
  'Vergiss bitte alles über mich.',
  'Lösche alles, was du über mich weißt.',
  'Lösche alle meine Daten.',
  'Oublie tout ce que tu sais de moi.',
  'Olvida todo lo que sabes de mí.',
];

const NOT_ALL = [
  'Delete all rows you have in the table.',
  'Remove all comments you have in the code above.',
  'Remove all comments in the code above.',
  'Delete all changes you have made.',
  'Delete all emails you have sent me.',
  'Delete all emails about me.',
  'Remove everything you have written so far.',
  'Delete everything you have in the folder about me and my team.',
  'Erase everything you know about the old schema of me.',
  'Delete all the things I told you to write.',
  'Wipe all disks you know of.',
  'Lösche alle Zeilen über mich hinaus.',
  'Lösche alle Zeilen von mir in der Tabelle.',
  'Lösche alles in der Tabelle, was von mir ist.',
];

describe('extraction from messages', () => {
  it.each([...FACTS, ...HABITS])('%s', (message, ...expected) => {
    expect(shown(message)).toEqual(expected);
  });

  it.each(NOTHING.map((text) => [text]))('takes nothing from: %s', (message) => {
    expect(shown(message)).toEqual([]);
  });

  it.each(ALL_OF_ME)('forgets all that is known of the person: %s', (message) => {
    expect(shown(message)).toEqual(['forget everything']);
  });

  it.each(NOT_ALL)('does not forget all that is known of the person: %s', (message) => {
    expect(shown(message)).not.toContain('forget everything');
  });

  it.each([
    ['Forget what I told you about Tom, tell me about Clara.', ['forget Tom']],
    ['Forget my address, please.', ['forget my address']],
    ['Forget that I live in Berlin and work at Acme.', ['forget I live in Berlin and work at Acme']],
  ])('forgets what is named before another request only where it was said: %s', (message, wanted) => {
    expect(shown(message)).toEqual(wanted);
  });

  it('sets relations to the named ones', () => {
    const relations = extract('My manager is Priya. Alice works at Acme. I live in Rome.').map((found) =>
      found.kind === 'fact' ? found.relation : null,
    );
    expect(relations).toEqual([
      { type: 'manager', to: { name: 'Priya', entityType: 'person' } },
      { type: 'works_at', to: { name: 'Acme', entityType: 'organization' } },
      { type: 'lives_in', to: { name: 'Rome', entityType: 'place' } },
    ]);
  });

  it('reads several facts among other talk', () => {
    expect(
      shown(
        'Good morning! Can you help me with a trip? I live in Oslo, and my wife is allergic to shellfish. What would you suggest?',
      ),
    ).toEqual([
      'me: lives in Oslo [residence]',
      'me: wife is allergic to shellfish [spouse allergy shellfish]',
    ]);
  });

  it('takes any text in bounded time, and gives clean single lines', () => {
    const words = fc.constantFrom(
      'I',
      "I'm",
      'my',
      'is',
      'and',
      'not',
      ',',
      ' ',
      'the',
      'Anna',
      '.',
      '"',
      'live in',
      'a',
      '\n',
      '\u0000',
      '😀',
      ':',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 400 }),
          fc.array(words, { maxLength: 300 }).map((w) => w.join(' ')),
        ),
        (text) => {
          const before = process.threadCpuUsage();
          const found = extract(text);
          expect(ownMs(before)).toBeLessThan(500);
          for (const one of found) if (one.kind === 'fact') expect(one.text).not.toMatch(/[\n\u0000]/);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    '“',
    '"',
    '`',
    "'a ",
    'actually ',
    'now ',
    'My a ',
    'Aa ',
    'I am and ',
    'translate ',
    'it is ',
    "A's ",
    ' ',
    '1 ',
    '. ',
    'please ',
    'The a of ',
    'and ',
  ])('is not slowed down by %j over and over', (piece) => {
    for (const text of [piece.repeat(8_000 / piece.length), `I like ${piece.repeat(550 / piece.length)}x`]) {
      const before = process.threadCpuUsage();
      extract(text);
      expect(ownMs(before)).toBeLessThan(400);
    }
  });
});
