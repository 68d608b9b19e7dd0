import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { createMemory, type Memory } from '../../src/features/memory/index.ts';
import { req } from '../requirements.ts';
import { nodeOf } from '../support/cluster.ts';
import { callerOf } from '../support/memory.ts';

/** Told in one conversation, asked in another: what is said first, the question, and what the recall must show. */
interface Dialog {
  told: readonly string[];
  asked: string;
  /** Stands in one of the three best facts. */
  wanted: string;
  /** Stands in none of the facts. */
  unwanted?: string;
}

const dialogs: readonly Dialog[] = [
  { told: ['My name is Anna Kowalska.'], asked: 'What is my name?', wanted: 'Anna Kowalska' },
  {
    told: ["Hi, I'm Jonas. Can you help me plan a trip?"],
    asked: 'Do you remember who I am?',
    wanted: 'Jonas',
  },
  { told: ['Please call me Max.'], asked: 'How should you call me?', wanted: 'Max' },
  { told: ['I work at Siemens as a project manager.'], asked: 'Where do I work?', wanted: 'Siemens' },
  {
    told: ['I just started a new job at Initech.'],
    asked: 'Which company am I employed by?',
    wanted: 'Initech',
  },
  { told: ["I'm a paediatric nurse."], asked: 'What is my job?', wanted: 'nurse' },
  { told: ['I work as a baker.'], asked: 'What do I do for a living?', wanted: 'baker' },
  { told: ['I live in Lisbon.'], asked: 'Which city do I live in?', wanted: 'Lisbon' },
  {
    told: ['We talked about rent. I moved from Hamburg to Munich.'],
    asked: 'Where am I based?',
    wanted: 'Munich',
  },
  { told: ['I am originally from Nairobi.'], asked: 'Where am I from?', wanted: 'Nairobi' },
  { told: ['My birthday is on 3 May.'], asked: 'When is my birthday?', wanted: '3 May' },
  { told: ['I was born on March 12, 1988.'], asked: 'When was I born?', wanted: 'March 12, 1988' },
  { told: ["I'm 42 years old."], asked: 'How old am I?', wanted: '42' },
  { told: ['My favorite color is teal.'], asked: "What's my favourite colour?", wanted: 'teal' },
  { told: ['My favourite food is ramen.'], asked: 'What food do I love most?', wanted: 'ramen' },
  { told: ['Dune is my favourite book.'], asked: 'What is my favorite book?', wanted: 'Dune' },
  { told: ['I prefer tea over coffee.'], asked: 'Do I prefer tea or coffee?', wanted: 'tea over coffee' },
  {
    told: ["I can't stand olives."],
    asked: 'Suggest a pizza for dinner, what do I dislike?',
    wanted: 'olives',
  },
  { told: ['I love hiking in the Alps.'], asked: 'What do I enjoy doing?', wanted: 'hiking' },
  { told: ["I'm allergic to peanuts."], asked: 'Do I have any allergies?', wanted: 'peanuts' },
  { told: ["I'm vegetarian."], asked: 'Suggest a recipe for me tonight', wanted: 'vegetarian' },
  { told: ["I don't eat pork."], asked: 'What should I not eat?', wanted: 'pork' },
  { told: ['My sister Julia lives in Hamburg.'], asked: 'Where does Julia live?', wanted: 'Hamburg' },
  { told: ['My sister Julia lives in Hamburg.'], asked: "What is my sister's name?", wanted: 'Julia' },
  { told: ['My dog is called Bello.'], asked: "What is my dog's name?", wanted: 'Bello' },
  { told: ['I have a cat named Miso.'], asked: 'What is my cat called?', wanted: 'Miso' },
  { told: ['I have two kids.'], asked: 'How many kids do I have?', wanted: 'two kids' },
  { told: ['My manager is Priya Patel.'], asked: 'Who is my boss?', wanted: 'Priya Patel' },
  { told: ['I report to Sandra.'], asked: 'Who is my manager?', wanted: 'Sandra' },
  { told: ['My wife is a pilot.'], asked: 'What does my wife do?', wanted: 'pilot' },
  { told: ['Alice works at Acme.'], asked: 'Where does Alice work?', wanted: 'Acme' },
  { told: ['Bob Miller is the CFO of Globex.'], asked: 'What is the role of Bob Miller?', wanted: 'CFO' },
  { told: ['Bob Miller is the CFO of Globex.'], asked: 'Who is the CFO of Globex?', wanted: 'Bob Miller' },
  { told: ["Carla's birthday is 7 June."], asked: 'When is the birthday of Carla?', wanted: '7 June' },
  {
    told: ['The deadline for Project Apollo is 30 September.'],
    asked: 'When is Project Apollo due?',
    wanted: '30 September',
  },
  {
    told: ['Project Apollo starts on 3 March 2027.'],
    asked: 'When does Project Apollo begin?',
    wanted: '3 March 2027',
  },
  { told: ['Our office is in Zurich.'], asked: 'Where is our office?', wanted: 'Zurich' },
  {
    told: ['Remember that the wifi network is Falcon.'],
    asked: 'What is the wifi network?',
    wanted: 'Falcon',
  },
  {
    told: ['Keep in mind that deliveries come on Tuesdays.'],
    asked: 'When do deliveries arrive?',
    wanted: 'Tuesdays',
  },
  { told: ['My locker is 42.'], asked: 'Which locker is mine? I mean my locker', wanted: '42' },
  { told: ['My phone number is 030 1234567.'], asked: "What's my phone number?", wanted: '030 1234567' },
  { told: ['I speak Polish and Dutch.'], asked: 'Which languages do I speak?', wanted: 'Polish' },
  { told: ['I play the violin.'], asked: 'Which instrument do I play?', wanted: 'violin' },
  { told: ['I drive a red Vespa.'], asked: 'What do I drive?', wanted: 'Vespa' },
  { told: ["I'm learning Rust."], asked: 'Which programming language am I learning?', wanted: 'Rust' },
  { told: ['I studied physics in Heidelberg.'], asked: 'What did I study?', wanted: 'physics' },
  {
    told: ['Always answer in bullet points.'],
    asked: 'Which preferences of mine do you know?',
    wanted: 'bullet points',
  },
  {
    told: ['I live in Oslo, and my wife is allergic to shellfish.'],
    asked: 'Is my wife allergic to anything?',
    wanted: 'shellfish',
  },
  { told: ['My team is called "Night Owls".'], asked: 'What is my team called?', wanted: 'Night Owls' },
  { told: ['Ich wohne in Köln.'], asked: 'Wo wohne ich?', wanted: 'Köln' },
  { told: ['Ich arbeite bei Bosch.'], asked: 'Where do I work?', wanted: 'Bosch' },
  // Corrections, ends, forgetting.
  {
    told: ['My favourite colour is red.', 'Actually, my favourite colour is blue.'],
    asked: 'What is my favourite colour?',
    wanted: 'blue',
    unwanted: 'red',
  },
  {
    told: ['My flight is on Monday.', "Sorry, it's Tuesday, not Monday."],
    asked: 'When is my flight?',
    wanted: 'Tuesday',
    unwanted: 'Monday',
  },
  {
    told: ['I work at Acme.', 'I work at Globex now.'],
    asked: 'Where do I work?',
    wanted: 'Globex',
    unwanted: 'Acme',
  },
  {
    told: ['I live in Berlin.', 'I moved to Porto.'],
    asked: 'Where do I live?',
    wanted: 'Porto',
    unwanted: 'Berlin',
  },
  {
    told: ['I like cilantro and I live in Rome.', "I don't like cilantro any more."],
    asked: 'Do I like cilantro?',
    wanted: 'does not like cilantro',
    unwanted: ': likes cilantro',
  },
  {
    told: ['I work at Nokia and I live in Turku.', 'I no longer work at Nokia.'],
    asked: 'Where do I live and work?',
    wanted: 'Turku',
    unwanted: 'Nokia',
  },
  {
    told: ['My phone number is 555 123.', 'My dog is called Rex.', 'Forget my phone number.'],
    asked: 'What is my phone number, and my dog called?',
    wanted: 'Rex',
    unwanted: '555',
  },
  {
    told: ['Alice works at Acme.', 'Alice works at Initech.'],
    asked: 'Where does Alice work?',
    wanted: 'Initech',
    unwanted: 'Acme',
  },
  {
    told: ['My name is Tom.', 'No, my name is Thomas.'],
    asked: 'What is my name?',
    wanted: 'Thomas',
    unwanted: 'is Tom (',
  },
  {
    told: ['I am vegan.', 'Actually I am vegetarian.'],
    asked: 'What is my diet?',
    wanted: 'vegetarian',
    unwanted: 'vegan',
  },
];

/** Written before the patterns knew their forms, in whatever words came to mind: told, asked, wanted. */
const freely: readonly (readonly [string, string, string])[] = [
  ['I am Maria and I run a small bakery in Porto.', 'What kind of business do I run?', 'bakery'],
  ['My daughter Emma starts school in September.', "What's my daughter's name?", 'Emma'],
  ['We are planning our wedding for 12 June 2027.', 'When is our wedding?', '12 June'],
  ['I usually wake up at 6 am.', 'When do I wake up?', '6 am'],
  ['My car is a Toyota Corolla.', 'What car do I have?', 'Toyota'],
  ['I take my coffee black without sugar.', 'How do I like my coffee?', 'black'],
  ['My flight to Tokyo is on 14 April.', 'When do I fly to Tokyo?', '14 April'],
  ["I'm a backend developer working mostly with Go.", 'Which programming language do I use?', 'Go'],
  ['My company, Nimbus Labs, builds weather drones.', 'What does my company build?', 'drones'],
  ['I hate early meetings.', 'Should you schedule a meeting at 7am for me?', 'early meetings'],
  ['Our sprint ends every second Friday.', 'When does our sprint end?', 'Friday'],
  ['My doctor is Dr. Weiss.', 'Who is my doctor?', 'Weiss'],
  ['I support Liverpool FC.', 'Which football club do I support?', 'Liverpool'],
  ['My shoe size is 43.', 'What is my shoe size?', '43'],
  ['I have been working as an architect for ten years.', 'What is my profession?', 'architect'],
  ['My partner is called Sam.', "What's the name of my partner?", 'Sam'],
  ['Peter is my accountant.', 'Who does my accounts? Who is my accountant?', 'Peter'],
  ['The project Falcon has a budget of 40000 euros.', 'What is the budget of project Falcon?', '40000'],
  [
    "The server's IP address is 10.0.0.5, please remember that.",
    'What is the IP address of the server?',
    '10.0.0.5',
  ],
  ['Please remember my anniversary: 9 August.', 'When is my anniversary?', '9 August'],
  [
    'Remember: the door code for the garage is blue-seven.',
    'What is the door code for the garage?',
    'blue-seven',
  ],
  ['My preferred language is French.', 'Which language do I prefer?', 'French'],
  ['I am lactose intolerant.', 'Can I have milk?', 'lactose'],
  ['I go running every Sunday.', 'What do I do on Sundays?', 'running'],
  ['My mother lives in Graz.', 'Where does my mother live?', 'Graz'],
  ['Tom is the head of marketing at Globex.', 'Who leads marketing at Globex?', 'Tom'],
  ['My favorite programming language is Haskell.', 'Which programming language do I like most?', 'Haskell'],
  ['I grew up in Cork.', 'Where did I grow up?', 'Cork'],
  ['My hobby is beekeeping.', 'What is my hobby?', 'beekeeping'],
  ['My laptop is a ThinkPad X1.', 'What laptop do I have?', 'ThinkPad'],
  ['I need my reports in PDF.', 'In which format do I need reports?', 'PDF'],
  ['My son Ben is five years old.', 'How old is Ben?', 'five'],
  ["I'm moving to Madrid next month.", 'Where am I moving?', 'Madrid'],
  ['My time zone is CET.', 'What is my time zone?', 'CET'],
  ['I like my steak medium rare.', 'How do I like my steak?', 'medium rare'],
  ['Call my assistant Nora if something is urgent.', 'Who is my assistant?', 'Nora'],
  ['My employee number is 88213.', 'What is my employee number?', '88213'],
  ['I was promoted to senior manager.', 'What is my position?', 'senior manager'],
  ['I teach maths at a secondary school in Leeds.', 'Which subject do I teach?', 'maths'],
  ['My landlord is Mr. Okafor.', 'Who is my landlord?', 'Okafor'],
  ['I have a flat in Valencia.', 'Where do I have a flat?', 'Valencia'],
  ['My passport expires in March 2029.', 'When does my passport expire?', 'March 2029'],
  ["I'm a night owl and work best after 10 pm.", 'When do I work best?', '10 pm'],
  ['My favourite band is Radiohead, but I also like Portishead.', 'Which band do I like most?', 'Radiohead'],
  ["We've got three cats.", 'How many cats do we have?', 'three'],
  ['My brother Leo just got engaged to Marta.', 'Who is Leo engaged to?', 'Marta'],
  ['I mostly code in TypeScript.', 'What language do I code in?', 'TypeScript'],
  ['I do yoga on Mondays.', 'What do I do on Mondays?', 'yoga'],
  ['My username on GitHub is kestrel9.', 'What is my GitHub username?', 'kestrel9'],
  ['For the record, our main supplier is Hartmann GmbH.', 'Who is our main supplier?', 'Hartmann'],
  ['The kickoff for Orion is on 2 February.', 'When is the Orion kickoff?', '2 February'],
  ['Nadia leads the design team.', 'Who leads the design team?', 'Nadia'],
  ["Please don't use emojis when you answer me.", 'What preferences do I have?', 'emojis'],
  ['I want all my summaries in bullet points.', 'How do I want my summaries?', 'bullet points'],
  ['I have diabetes.', 'Do I have any health conditions?', 'diabetes'],
  ["I can't eat gluten.", 'Any food I must avoid?', 'gluten'],
  ['My wedding anniversary is 21 August.', 'When is my wedding anniversary?', '21 August'],
  ['I was born and raised in Naples.', 'Where was I born?', 'Naples'],
  ['My blood type is O negative.', 'What is my blood type?', 'O negative'],
  ['Remember I park on level 4.', 'Where do I park?', 'level 4'],
  ['Note to self: the spare key is under the blue pot.', 'Where is the spare key?', 'blue pot'],
  ['My grandmother turns 90 on 5 October.', 'When does my grandmother turn 90?', '5 October'],
  ['I joined the company in 2018.', 'When did I join the company?', '2018'],
  ["My son's teacher is Mrs. Lindqvist.", "Who is my son's teacher?", 'Lindqvist'],
  ['My commute takes 45 minutes.', 'How long is my commute?', '45'],
  ['Ich bin Lehrerin in Bremen.', 'What is my job?', 'Lehrerin'],
  ['Mein Hund heißt Waldi.', 'Wie heißt mein Hund?', 'Waldi'],
  ['I am the mother of twins.', 'Do I have children? How many kids?', 'twins'],
];

const all: readonly Dialog[] = [
  ...dialogs,
  ...freely.map(([told, asked, wanted]) => ({ told: [told], asked, wanted })),
];

export const memoryDialogSuite = (store: string, openDb: () => Promise<Db>): void => {
  describe(`memory dialogues (${store})`, () => {
    let db: Db;
    let memory: Memory;
    let now = Date.parse('2026-03-01T10:00:00Z');
    beforeAll(async () => {
      db = await openDb();
      memory = createMemory({ db, cluster: nodeOf(db), clock: { now: () => now++ } });
    });
    afterAll(() => db.close());

    const tell = async (user: string, text: string, conversationId: string) => {
      now += 60_000;
      return memory.observeTurn({ caller: callerOf(user), conversationId, messageId: `m-${now}`, text });
    };
    const ask = async (user: string, question: string) =>
      (await memory.recall({ tenantId: 't1', userId: user }, question, 10)).map((fact) => fact.text);

    it(`has ${all.length} dialogues`, () => {
      expect(all.length).toBeGreaterThanOrEqual(60);
    });

    it(req('MEM-05', 'recalls at least nine of ten facts in a later conversation'), async () => {
      const missed: string[] = [];
      for (const [index, dialog] of all.entries()) {
        const user = `d${index}`;
        for (const [turn, text] of dialog.told.entries()) await tell(user, text, `told-${index}-${turn}`);
        const facts = await ask(user, dialog.asked);
        if (!facts.slice(0, 3).some((fact) => fact.includes(dialog.wanted)))
          missed.push(`${dialog.asked} → ${JSON.stringify(facts)}`);
      }
      expect(missed.length / all.length, missed.join('\n')).toBeLessThanOrEqual(0.1);
    });

    it(req('MEM-05', 'honours every correction'), async () => {
      for (const [index, { asked, unwanted }] of all.entries()) {
        if (unwanted === undefined) continue;
        const facts = await ask(`d${index}`, asked);
        expect([asked, facts.filter((fact) => fact.includes(unwanted))]).toEqual([asked, []]);
      }
    });

    it(req('MEM-05', 'never shows a user what another one said'), async () => {
      for (const [index, { wanted }] of all.entries()) {
        const neighbour = all[index === 0 ? 1 : 0];
        if (neighbour === undefined || neighbour.told.join(' ').includes(wanted)) continue;
        const stranger = `d${index === 0 ? 1 : 0}`;
        for (const question of [all[index]?.asked ?? '', wanted, 'What do you know about me?']) {
          const facts = await ask(stranger, question);
          expect(facts.filter((fact) => fact.includes(wanted))).toEqual([]);
        }
      }
      // Nobody at all without having said anything, an administrator neither.
      expect(await ask('nobody', 'What do you know about me?')).toEqual([]);
      expect(await ask('nobody', 'Where does Julia live?')).toEqual([]);
    });

    it('finds nothing for questions that are about something else', async () => {
      await tell('q', 'My favourite colour is green. I live in Oslo. My manager is Priya.', 'c1');
      for (const question of [
        'Write a poem on the sea.',
        'How do I sort a list in Python?',
        'Translate this into French: the train is late',
      ])
        expect([question, await ask('q', question)]).toEqual([question, []]);
    });

    it('says who told a fact and when', async () => {
      await tell('src', 'I work at Acme.', 'c1');
      const [fact] = await memory.recall({ tenantId: 't1', userId: 'src' }, 'Where do I work?', 5);
      expect(fact?.text).toMatch(/^The user: works at Acme \(told by the user, 2026-03-0\d\)$/);
      expect(fact?.source).toMatchObject({ kind: 'message', conversationId: 'c1', userId: 'src' });
      expect(fact?.source?.messageId).toMatch(/^m-/);
    });

    it('gives the preferences for every prompt', async () => {
      await tell(
        'prf',
        'Always answer in German. I prefer short answers. My name is Kai. I live in Kiel.',
        'c1',
      );
      const lines = await memory.preferences({ tenantId: 't1', userId: 'prf' });
      expect(lines.map(({ text }) => text.replace(/ \(.*/, ''))).toEqual(
        expect.arrayContaining([
          'The user: wants answers in German',
          'The user: prefers short answers',
          'The user: name is Kai',
        ]),
      );
      expect(lines).toHaveLength(3);
    });

    it('does the same message twice without a change', async () => {
      const turn = {
        caller: callerOf('twice'),
        conversationId: 'c',
        messageId: 'm',
        text: 'I live in Oslo and I work at Acme.',
      };
      expect((await memory.observeTurn(turn)).added).toBe(2);
      expect((await memory.observeTurn(turn)).added).toBe(0);
    });

    it('remembers nothing of whom may not write', async () => {
      const turn = {
        caller: callerOf('ro', 'readonly'),
        conversationId: 'c',
        messageId: 'm',
        text: 'I live in Oslo.',
      };
      expect((await memory.observeTurn(turn)).added).toBe(0);
    });

    it('forgets everything on demand', async () => {
      await tell('gone', 'I live in Oslo. My sister Julia lives in Bergen.', 'c1');
      expect(await ask('gone', 'What do you know about me?')).not.toEqual([]);
      await tell('gone', 'Please forget everything you know about me.', 'c2');
      expect(await ask('gone', 'What do you know about me?')).toEqual([]);
      expect(await ask('gone', 'Where does Julia live?')).toEqual([]);
    });
  });
};
