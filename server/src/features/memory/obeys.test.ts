import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { nodeOf } from '../../../test/support/cluster.ts';
import { callerOf } from '../../../test/support/memory.ts';
import { createBuiltinEmbedder } from '../../adapters/embeddings/builtin.ts';
import type { Db } from '../../db/db.ts';
import { openSqlite } from '../../db/open.ts';
import { createMemory, type Memory } from './index.ts';

/** Told one after the other, asked, what the recall shows, and what it must not show any more. */
type Dialog = readonly [told: readonly string[], asked: string, wanted: string, unwanted: string];

const CORRECTED: readonly Dialog[] = [
  [
    ["I'm allergic to peanuts.", 'No peanut allergy, it is shellfish.'],
    'What am I allergic to?',
    'shellfish',
    'peanut',
  ],
  [
    ['I have a peanut allergy.', 'I have no peanut allergy, it is shellfish.'],
    'Which allergy do I have?',
    'shellfish',
    'peanut',
  ],
  [
    ['The summer party is on 7 July.', 'Actually the summer party moved to 14 July.'],
    'When is the summer party?',
    '14 July',
    '7 July',
  ],
  [
    [
      'Our summer party takes place on Friday in the garden.',
      'They had to postpone it. The summer party was postponed to Saturday.',
    ],
    'When is the summer party?',
    'Saturday',
    'Friday',
  ],
  [
    ['The marketing budget is 50,000 euros.', 'The budget was cut to 40,000.'],
    'What is the marketing budget?',
    '40,000',
    '50,000',
  ],
  [
    ['Our budget for the trade fair is 12000.', 'The trade fair budget went up from 12000 to 15000.'],
    'What is our budget for the trade fair?',
    '15000',
    '12000 ',
  ],
  [
    ['Jan leads the project Falcon.', 'Maria took over the project from Jan.'],
    'Who leads the project Falcon?',
    'Maria',
    'Jan',
  ],
  [
    ['Jan is in charge of the warehouse migration.', 'Maria took over the warehouse migration from Jan.'],
    'Who is in charge of the warehouse migration?',
    'Maria',
    'Jan:',
  ],
  [
    ['Jan is our contact at Hapag.', 'Lena replaces Jan as contact at Hapag.'],
    'Who is our contact at Hapag?',
    'Lena',
    'jan:',
  ],
  [
    ['I work at Acme.', "I no longer work at Acme, I'm with Initech now."],
    'Where do I work?',
    'Initech',
    'Acme',
  ],
  [
    ['My flight leaves on Monday at 9.', "Scratch that, it's Tuesday."],
    'When does my flight leave?',
    'Tuesday',
    'Monday',
  ],
  [
    ['My daughter Maya starts school in September.', "My daughter's name is spelled Maja."],
    "What is my daughter's name?",
    'Maja',
    'Maya',
  ],
  [
    ['We use Slack for chat.', 'We switched from Slack to Teams.'],
    'Which chat tool do we use?',
    'Teams',
    'use Slack',
  ],
  [
    ['Our team chat is Slack.', 'We switched from Slack to Teams last week.'],
    'What is our team chat?',
    'Teams',
    'is Slack',
  ],
  [
    ['My dentist appointment is on 3 May.', 'My dentist appointment was moved to 10 May.'],
    'When is my dentist appointment?',
    '10 May',
    '3 May',
  ],
  [
    ['Nadia from accounting handles our invoices.', 'Tom took over the invoices from Nadia.'],
    'Who handles our invoices?',
    'Tom',
    'handles our invoices (told by the user, 2026-03-01)\nThe user: said: Nadia',
  ],
  [['I drive a Golf.', 'I swapped the Golf for a Tesla.'], 'What do I drive?', 'Tesla', 'drives a Golf'],
  [
    ['We meet in room Oslo.', 'We meet in room Bergen now, not Oslo.'],
    'Where do we meet?',
    'Bergen',
    'room Oslo ',
  ],
  [['Our office is in Zurich.', 'Our office moved to Basel.'], 'Where is our office?', 'Basel', 'Zurich'],
  [
    ['The release is planned for 3 March.', 'The release slipped to 17 March.'],
    'When is the release?',
    '17 March',
    ' 3 March',
  ],
  [
    ['My gym class is on Tuesdays.', 'My gym class is on Thursdays now.'],
    'When is my gym class?',
    'Thursday',
    'Tuesday',
  ],
  [
    ['Das Sommerfest ist am 7. Juli.', 'Das Sommerfest wurde auf den 14. Juli verschoben.'],
    'Wann ist das Sommerfest?',
    '14. Juli',
    ' 7. Juli',
  ],
  [
    ['Unser Budget ist 50.000 Euro.', 'Das Budget wurde auf 40.000 Euro gekürzt.'],
    'Wie hoch ist unser Budget?',
    '40.000',
    '50.000',
  ],
  [
    ['Ich bin allergisch gegen Nüsse.', 'Nein, nicht Nüsse, sondern Fisch.'],
    'Wogegen bin ich allergisch?',
    'Fisch',
    'Nüsse',
  ],
  [
    ['Ich arbeite bei Bosch.', 'Ich arbeite nicht mehr bei Bosch, sondern bei Siemens.'],
    'Wo arbeite ich?',
    'Siemens',
    'Bosch',
  ],
  [
    ['Jan leitet das Projekt Falke.', 'Maria hat das Projekt Falke von Jan übernommen.'],
    'Wer leitet das Projekt Falke?',
    'Maria',
    'Jan leitet',
  ],
  [
    ["La fête d'été est le 7 juillet.", "La fête d'été a été reportée au 14 juillet."],
    "Quand est la fête d'été ?",
    '14 juillet',
    'le 7 juillet',
  ],
  [
    ['Mon anniversaire est le 3 mai.', 'Non, mon anniversaire est le 5 mai.'],
    'Quand est mon anniversaire ?',
    '5 mai',
    '3 mai',
  ],
  [
    ['Notre budget est de 50000 euros.', 'Le budget a été réduit à 40000 euros.'],
    'Quel est notre budget ?',
    '40000',
    '50000',
  ],
  [
    ['La fiesta de verano es el 7 de julio.', 'La fiesta de verano se ha aplazado al 14 de julio.'],
    '¿Cuándo es la fiesta de verano?',
    '14 de julio',
    'el 7 de julio',
  ],
  [
    ['Nuestro presupuesto es de 50000 euros.', 'El presupuesto se redujo a 40000 euros.'],
    '¿Cuál es nuestro presupuesto?',
    '40000',
    '50000',
  ],
  [['Mi color favorito es azul.', 'No azul, sino verde.'], '¿Cuál es mi color favorito?', 'verde', 'azul'],
  [
    ['Our quarterly review is on 12 June.', 'Sorry, the quarterly review has been pushed back to 19 June.'],
    'When is our quarterly review?',
    '19 June',
    '12 June',
  ],
  [['My rent is 900 euros.', 'My rent was raised to 980 euros.'], 'How much is my rent?', '980', '900'],
  [
    ['We have 12 people in the team.', 'We have 15 people in the team now.'],
    'How many people are in the team?',
    '15',
    '12',
  ],
  [
    ['Paula runs the bookshop project.', 'Paula handed the bookshop project over to Erik.'],
    'Who runs the bookshop project?',
    'Erik',
    'Paula',
  ],
  [
    ['My supervisor is Dr Klein.', 'Dr Klein retired; my new supervisor is Dr Abadi.'],
    'Who is my supervisor?',
    'Abadi',
    'is Dr Klein',
  ],
  [['I live in Leeds.', 'Correction: I live in York, not Leeds.'], 'Where do I live?', 'York', 'Leeds'],
  [['My son is called Luka.', "Actually it's spelled Luca."], 'What is my son called?', 'Luca', 'Luka'],
  [
    ['We deploy on Fridays.', "We don't deploy on Fridays any more, we deploy on Tuesdays."],
    'When do we deploy?',
    'Tuesday',
    'said: we deploy on fridays',
  ],
  [
    ["I'm vegetarian.", "I'm not vegetarian any more, I eat fish now."],
    'Am I vegetarian?',
    '',
    'is vegetarian',
  ],
  [
    ['Our supplier for paper is Mondi.', 'We changed our paper supplier from Mondi to Stora.'],
    'Who is our supplier for paper?',
    'Stora',
    'is Mondi',
  ],
  [
    ['The kickoff starts at 10:00.', 'The kickoff was moved from 10:00 to 11:30.'],
    'When does the kickoff start?',
    '11:30',
    'at 10:00',
  ],
  [
    ['My phone number is 030 555 12.', 'Wait, my phone number is 030 555 21.'],
    'What is my phone number?',
    '030 555 21',
    '030 555 12',
  ],
  [['Ich wohne in Kiel.', 'Ich bin nach Jena gezogen.'], 'Wo wohne ich?', 'Jena', 'Kiel'],
  [
    ['Mein Zahnarzttermin ist am 3. Mai.', 'Mein Zahnarzttermin wurde auf den 10. Mai verlegt.'],
    'Wann ist mein Zahnarzttermin?',
    '10. Mai',
    'am 3. Mai',
  ],
  [
    ['Unser Ansprechpartner ist Herr Wolf.', 'Frau Berg ersetzt Herrn Wolf als Ansprechpartner.'],
    'Wer ist unser Ansprechpartner?',
    'Berg',
    'ist Herr Wolf',
  ],
  [
    ["J'habite à Lyon.", "Je n'habite plus à Lyon, j'habite à Nantes."],
    "Où est-ce que j'habite ?",
    'Nantes',
    "said: J'habite à Lyon",
  ],
  [['La réunion est à 10h.', 'La réunion a été déplacée à 14h.'], 'Quand est la réunion ?', '14h', 'à 10h'],
  [
    ['La reunión es a las 10.', 'La reunión se ha movido a las 12.'],
    '¿Cuándo es la reunión?',
    '12',
    'las 10',
  ],
  [
    ['My best friend is Tom.', "My best friend's name is Tim, not Tom."],
    'Who is my best friend?',
    'Tim',
    'is Tom',
  ],
  [
    ['Our launch date is 1 October.', 'The launch has slipped by two weeks, it is now 15 October.'],
    'When is our launch?',
    '15 October',
    ' 1 October',
  ],
  [
    ['I take the bus to work.', 'I cycle to work instead of taking the bus.'],
    'How do I get to work?',
    'cycle',
    'the user: said: i take the bus',
  ],
];

const FORGOTTEN: readonly Dialog[] = [
  [
    [
      'My favourite colour is teal.',
      'I painted the hall teal since teal is the colour I love most.',
      'Forget my favourite colour.',
    ],
    'What is my favourite colour?',
    '',
    'teal',
  ],
  [
    ['I take 50 mg of sertraline every morning.', 'Forget what I said about my medication.'],
    'Which medication do I take?',
    '',
    'sertraline',
  ],
  [
    ['My ex Daniel still calls me every week.', 'Forget what I said about my ex.'],
    'Who calls me every week?',
    '',
    'Daniel',
  ],
  [
    [
      'Project Falcon launches in May.',
      'The budget of project Falcon is 40000.',
      'I like tea.',
      'Forget everything about project Falcon.',
    ],
    'What do you know about project Falcon?',
    '',
    '40000',
  ],
  [['Meine Adresse ist Lindenweg 5.', 'Vergiss meine Adresse.'], 'Wie ist meine Adresse?', '', 'Lindenweg'],
  [['Mi cumpleaños es el 3 de mayo.', 'Olvida mi cumpleaños.'], '¿Cuándo es mi cumpleaños?', '', '3 de mayo'],
  [['My birthday is 3 May.', 'Olvida mi cumpleaños, por favor.'], 'When is my birthday?', '', '3 May'],
  [['Mon adresse est 5 rue des Lilas.', 'Oublie mon adresse.'], 'Quelle est mon adresse ?', '', 'Lilas'],
  [['I live at 12 Oak Street in Bath.', 'Please forget my address.'], 'Where do I live?', '', 'Oak'],
  [
    ['I have been diagnosed with asthma.', 'I use an inhaler twice a day.', 'Please forget my asthma.'],
    'What illness do I have?',
    '',
    'asthma',
  ],
  [['My salary is 70,000 a year.', 'Forget how much I earn.'], 'What is my salary?', '', '70,000'],
  [['My sister Julia lives in Hamburg.', 'Forget my sister.'], 'Where does Julia live?', '', 'Hamburg'],
  [
    ['I had a miscarriage in March.', 'Please forget that I had a miscarriage.'],
    'What happened in March?',
    '',
    'miscarriage',
  ],
  [
    ["I'm seeing a psychiatrist called Dr Roth.", 'Forget about my psychiatrist.'],
    'Who is Dr Roth?',
    '',
    'Roth',
  ],
  [
    ['My favourite band is Muse.', "I've seen Muse live three times.", 'You can forget my favourite band.'],
    'What is my favourite band?',
    '',
    'band is Muse',
  ],
  [
    ['Our client Hapag pays late.', 'Forget what I told you about Hapag.'],
    'Which client pays late?',
    '',
    'Hapag',
  ],
  [
    ['Ich nehme jeden Morgen 50 mg Sertralin.', 'Vergiss, was ich über meine Medikamente gesagt habe.'],
    'Welche Medikamente nehme ich?',
    '',
    'Sertralin',
  ],
  [['Mi hermano se llama Pablo.', 'Olvida a mi hermano.'], '¿Cómo se llama mi hermano?', '', 'Pablo'],
  [
    ['My brother Tom owes me money.', "Don't remember what I said about my brother."],
    'Who owes me money?',
    '',
    'Tom',
  ],
];

/** Told, how it is to be forgotten, what stays and what goes. */
type Forgetting = readonly [
  told: readonly string[],
  forget: string,
  stays: readonly string[],
  gone?: readonly string[],
];

const CAREFUL: readonly Forgetting[] = [
  [
    ['I live in Lisbon.', 'I have diabetes.'],
    'Delete all rows you have in the table.',
    ['Lisbon', 'diabetes'],
  ],
  [['I live in Lisbon.'], 'Remove all comments you have in the code above.', ['Lisbon']],
  [['I live in Lisbon.'], 'Delete all emails you have sent me.', ['Lisbon']],
  [['I live in Lisbon.'], 'Lösche alle Zeilen über mich hinaus.', ['Lisbon']],
  [['Danaher is our client.'], 'Forget Dana.', ['Danaher']],
  [['My colleague Tomas plays chess.'], 'Forget Tom.', ['Tomas', 'chess']],
  [['My colleague Adams plays chess.'], 'Forget Adam.', ['Adams', 'chess']],
  [['My manager is Dana Miller.'], 'Forget Dana Jones.', ['Dana Miller']],
  [
    ['My manager is Dana Miller.', 'My dentist is Dana Jones.'],
    'Forget Dana.',
    ['Dana Miller', 'Dana Jones'],
  ],
  [
    ['My manager is Dana Miller.', 'My dentist is Dana Jones.'],
    'Forget Dana Jones.',
    ['Dana Miller'],
    ['Jones'],
  ],
  [['My manager is Dana Miller.', 'I like tea.'], 'Forget Dana.', ['tea'], ['Dana']],
  [['My manager is Dana Miller.'], 'Forget Miller.', [], ['Dana']],
  [['My sister Clara lives in Bonn.'], 'Forget the weather, tell me about Clara.', ['Clara', 'Bonn']],
  [['My sister Clara lives in Bonn.'], 'Forget Clara, tell me about the weather.', ['Clara', 'Bonn']],
  [['I live in Lisbon.'], 'Forget about work, let us talk about Lisbon.', ['Lisbon']],
  [['I live in Lisbon.', 'I like pizza.'], 'Forget the weather.', ['Lisbon', 'pizza']],
  [['I live in Lisbon.', "I'm vegetarian."], 'Forget the local restaurant.', ['Lisbon', 'vegetarian']],
  [['I work at Acme.', 'Our colleague Dana works at Globex.'], 'Forget about work.', ['Acme', 'Globex']],
  [
    ['My sister Clara has diabetes.', 'I live in Lisbon.'],
    "Forget Clara's diabetes.",
    ['Lisbon'],
    ['diabetes'],
  ],
  [['I prefer tea over coffee.'], 'Forget the coffee machine.', ['coffee']],
  [['My favourite city is Lisbon.', 'I live in Lisbon.'], 'Forget my favourite city.', ['lives in Lisbon']],
  [
    ['My favourite band is Muse.', "I've seen Muse live three times."],
    'Forget my favourite band.',
    ['three'],
  ],
  [['I have diabetes.'], 'Forget my illness.', ['diabetes']],
  [['I make 70k a year.'], 'Erase what you know about my income.', ['70k']],
  [['My sister Clara lives in Bonn.', 'I like tea.'], 'Forget my sister Clara.', ['tea'], ['Clara', 'Bonn']],
  [['My sister Clara lives in Bonn.'], 'Forget everything about my sister Clara.', [], ['Clara', 'Bonn']],
  [['My dog Rex is 4.', 'My cat Miso is 6.'], 'Forget my dog Rex.', ['Miso'], ['Rex']],
  [['My dog is called Rex.'], 'Forget my dog Rex.', [], ['Rex']],
  [
    ['My manager is Dana Miller.', 'My sister is Dana Jones.'],
    'Forget my manager Dana.',
    ['Jones'],
    ['Miller'],
  ],
  [['My friend is Clara.', 'My sister is Julia.'], 'Forget my sister Clara.', ['Clara', 'Julia']],
  [['I live in Lisbon.', 'My sister lives in Lisbon.'], 'Forget where I live.', ['sister lives in Lisbon']],
  [['My sister lives in Lisbon.'], 'Forget that I live in Lisbon.', ['sister lives in Lisbon']],
  [
    ['I take 50 mg of sertraline.', 'My mother takes 20 mg of insulin.'],
    'Forget my medication.',
    ['insulin'],
    ['sertraline'],
  ],
  [
    ['The budget of project Falcon is 40000.', 'The budget of project Heron is 50000.'],
    'Forget the budget.',
    ['40000', '50000'],
  ],
  [
    ['The budget of project Falcon is 40000.', 'The budget of project Heron is 50000.'],
    'Forget the budget of Falcon.',
    ['50000'],
    ['40000'],
  ],
  [['My rent is 900 euros.', 'I like tea.'], 'Forget the rent.', ['tea'], ['900']],
  [
    ['My sister Clara lives in Bonn.', 'My friend Clara plays golf.'],
    'Forget my friend Clara.',
    ['sister is Clara', 'lives in Bonn'],
    ['friend is Clara'],
  ],
  [['My sister Clara lives in Bonn.'], 'Forget Clara for now.', ['Clara', 'Bonn']],
  [["I'm allergic to peanuts.", 'I like tea.'], 'Forget my peanut allergy.', ['tea'], ['peanut']],
  [['Mein Hund Bello ist 4 Jahre alt.'], 'Vergiss meinen Hund Bello.', [], ['bello']],
  [
    ['Meine Schwester Clara wohnt in Bonn.', 'Ich mag Tee.'],
    'Vergiss meine Schwester Clara.',
    ['Tee'],
    ['Clara', 'Bonn'],
  ],
];

const NOT_KEPT: readonly Dialog[] = [
  [['Suppose I lived in Rome, would I like it?'], 'Where do I live?', '', 'Rome'],
  [['My colleague says he lives in Kiel.'], 'Where do I live?', '', 'Kiel'],
  [
    ['Answer in one sentence for this question only: what is rain?'],
    'How should you answer?',
    '',
    'one sentence',
  ],
  [["I'm joking, I'm the king of France."], 'Who am I?', '', 'king of France'],
  [['I prefer tables over prose.'], 'How long do I boil an egg?', '', 'tables'],
  [["I live in Kiel, and it's raining."], 'Where do I live?', 'Kiel', 'raining'],
];

/** Nothing of it is ended by what is said after it. */
const STAYS: readonly (readonly [told: readonly string[], asked: string, wanted: string])[] = [
  [['I like tea.', 'I like coffee.'], 'What do I like to drink?', 'tea'],
  [['My sister is Julia.', 'My sister moved to Berlin.'], 'Who is my sister?', 'Julia'],
  [['I went to Paris in 2019.', 'I went to Rome in 2021.'], 'When did I go to Paris?', '2019'],
  [['The standup is at 9.', 'The retro is at 10.'], 'When is the standup?', '9'],
  [
    ['My son Ben plays chess.', 'My daughter Ida plays the violin.', 'Ida moved to Berlin.'],
    'What does Ida play?',
    'violin',
  ],
  [
    [
      'Project Falcon has a budget of 40000 euros.',
      'Project Heron has a budget of 90000 euros.',
      'The budget of Heron was cut to 80000.',
    ],
    'What is the budget of project Falcon?',
    '40000',
  ],
  [['I worked at Brightwell Logistics in February 2024.'], 'Where did I work?', ''],
  [['My dog Rex is 4.', 'My cat Miso is 6.'], 'How old is Rex?', '4'],
  [["Anna's budget is 500.", "Ben's budget is 700."], "What is Anna's budget?", '500'],
];

/** What is said later fits several alike, or tells of what is past: all of it holds on. */
const BESIDE: readonly (readonly [told: readonly string[], holds: readonly string[]])[] = [
  [
    [
      "Falcon's deadline is 1 March 2027.",
      "Osprey's deadline is 1 April 2027.",
      'The deadline was moved to 1 May 2027.',
    ],
    ['1 March 2027', '1 April 2027', 'The deadline was moved to 1 May 2027'],
  ],
  [
    [
      'The deadline of project Falcon is 1 March 2027.',
      'The deadline of project Osprey is 1 April 2027.',
      'The deadline was moved to 1 May 2027.',
    ],
    ['1 March 2027', '1 April 2027', '1 May 2027'],
  ],
  [
    [
      'Falcon has a deadline of 1 March 2027.',
      'The deadline of project Osprey is 1 April 2027.',
      'The deadline was moved to 1 May 2027.',
    ],
    ['1 March 2027', '1 April 2027', '1 May 2027'],
  ],
  [
    ['Our marketing budget is 500.', 'Our travel budget is 700.', 'The budget was cut to 400.'],
    ['500', '700', '400'],
  ],
  [
    ['Nadia handles the invoices.', 'Ben handles the invoices.', 'Tom took over the invoices.'],
    ['Nadia', 'Ben'],
  ],
  [
    ['Dana was in our office on Monday.', 'Dana was in our office on Tuesday.'],
    ['office on Monday', 'office on Tuesday'],
  ],
  [
    ['Dana was in our office on Monday.', 'Dana is in our office on Friday.'],
    ['office on Monday', 'office on Friday'],
  ],
  [
    ['Dana had 3 meetings on Monday.', 'Dana had 4 meetings on Tuesday.'],
    ['3 meetings', '4 meetings'],
  ],
  [
    ['My flight was on Monday.', 'My flight was on Friday.'],
    ['Monday', 'Friday'],
  ],
  [
    ["Dana's visit was on 3 May.", "Dana's visit was on 9 May."],
    ['3 May', '9 May'],
  ],
  [
    ['Falcon launched on 3 May 2025.', 'Falcon launched on 9 June 2026.'],
    ['3 May 2025', '9 June 2026'],
  ],
  [
    ['Dana war am Montag im Büro.', 'Dana war am Dienstag im Büro.'],
    ['Montag', 'Dienstag'],
  ],
];

describe('memory that obeys', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-obeys-'));
  const embedder = createBuiltinEmbedder();
  let db: Db;
  let memory: Memory;
  let now = Date.parse('2026-03-01T10:00:00Z');
  let people = 0;
  beforeAll(async () => {
    db = await openSqlite({ file: path.join(folder, 'memory.sqlite'), synchronous: 'normal' });
    memory = createMemory({
      db,
      cluster: nodeOf(db),
      clock: { now: () => now++ },
      embedder: { ...embedder, embed: (_payer, texts) => embedder.embed(texts) },
    });
  });
  afterAll(async () => {
    await db.close();
    await embedder.close();
    rmSync(folder, { recursive: true });
  });

  const tell = (user: string, text: string, messageId = `m-${now++}`) =>
    memory.observeTurn({ caller: callerOf(user), conversationId: `c-${user}`, messageId, text });
  const recalled = async (user: string, question: string): Promise<string> =>
    (await memory.recall({ tenantId: 't1', userId: user }, question, 6)).map(({ text }) => text).join('\n');
  const after = async (told: readonly string[], asked: string): Promise<string> => {
    const user = `u${people++}`;
    for (const text of told) await tell(user, text);
    return recalled(user, asked);
  };

  /** Names and statements, without ids and times, whose figures may be those of a statement. */
  const linesOf = async (
    user: string,
    wanted: (observation: { valid_to: string | null }) => boolean,
  ): Promise<string[]> => {
    const { entities } = (await memory.exportPersonal({ tenantId: 't1', userId: user })) as {
      entities: { name: string; observations: { text: string; valid_to: string | null }[] }[];
    };
    return entities.flatMap(({ name, observations }) => [
      name,
      ...observations.filter(wanted).map(({ text }) => `${name}: ${text}`),
    ]);
  };

  it.each(CORRECTED)(
    req('MEM-11', 'a correction ends the old value: %j'),
    async (told, asked, wanted, unwanted) => {
      const shown = await after(told, asked);
      expect(shown).toContain(wanted);
      expect(shown.toLowerCase()).not.toContain(unwanted.toLowerCase());
    },
  );

  it.each(FORGOTTEN)(
    req('MEM-12', 'what is to be forgotten is gone: %j'),
    async (told, asked, _wanted, unwanted) => {
      const user = `u${people++}`;
      const kept = async () =>
        JSON.stringify(await memory.exportPersonal({ tenantId: 't1', userId: user })).toLowerCase();
      for (const text of told.slice(0, -1)) await tell(user, text);
      expect(await kept()).toContain(unwanted.toLowerCase());
      await tell(user, told.at(-1) ?? '');
      expect(await kept()).not.toContain(unwanted.toLowerCase());
      expect((await recalled(user, asked)).toLowerCase()).not.toContain(unwanted.toLowerCase());
    },
  );

  it.each(CAREFUL.map(([told, forget, stays, gone = []]) => [told, forget, stays, gone] as const))(
    req('MEM-12', 'nothing but what is meant for certain goes: %j %j'),
    async (told, forget, stays, gone) => {
      const user = `u${people++}`;
      const kept = async () => (await linesOf(user, () => true)).join('\n');
      for (const text of told) await tell(user, text);
      for (const words of [...stays, ...gone]) expect(await kept()).toContain(words);
      await tell(user, forget);
      for (const words of stays) expect(await kept()).toContain(words);
      for (const words of gone) expect(await kept()).not.toContain(words);
    },
  );

  it.each(NOT_KEPT)('is no lasting fact, or none that answers: %j', async (told, asked, wanted, unwanted) => {
    const shown = await after(told, asked);
    expect(shown).toContain(wanted);
    expect(shown.toLowerCase()).not.toContain(unwanted.toLowerCase());
  });

  it.each(STAYS)('stays beside what is said later: %j', async (told, asked, wanted) => {
    expect(await after(told, asked)).toContain(wanted);
  });

  it.each(BESIDE)(req('MEM-11', 'ends nothing where it is not certain what: %j'), async (told, holds) => {
    const user = `u${people++}`;
    for (const text of told) await tell(user, text);
    const lines = await linesOf(user, ({ valid_to }) => valid_to === null);
    for (const words of holds) expect(lines.join('\n')).toContain(words);
  });

  it('keeps the old value as history', async () => {
    await tell('history', 'The marketing budget is 50,000 euros.');
    await tell('history', 'The marketing budget was cut to 40,000 euros.');
    const { entities } = (await memory.exportPersonal({ tenantId: 't1', userId: 'history' })) as {
      entities: { observations: { text: string; valid_to: string | null }[] }[];
    };
    const observations = entities.flatMap((entity) => entity.observations);
    expect(observations.filter(({ text }) => text.includes('50,000'))).toMatchObject([
      { valid_to: expect.any(String) },
    ]);
    expect(observations.filter(({ text }) => text.includes('40,000'))).toMatchObject([{ valid_to: null }]);
  });

  it(req('MEM-12', 'what was forgotten does not come back from the message that said it'), async () => {
    await tell('again', 'I was diagnosed with asthma in March 2020. My locker is number 14.', 'first');
    await tell('again', 'Forget my asthma.');
    expect(
      await tell('again', 'I was diagnosed with asthma in March 2020. My locker is number 14.', 'first'),
    ).toEqual({
      added: 0,
      ended: 0,
      forgotten: 0,
    });
    expect(await recalled('again', 'Do I have asthma?')).not.toContain('asthma');
    expect(await recalled('again', 'What number is my locker?')).toContain('14');
  });

  it(req('MEM-11', 'an older message that is read again does not bring its old value back'), async () => {
    await tell('older', 'I work at Acme.', 'old');
    await tell('older', 'I work at Initech now.');
    await tell('older', 'I work at Acme.', 'old');
    expect(await recalled('older', 'Where do I work?')).not.toContain('Acme');
  });

  it('of one it touches nothing of another', async () => {
    await tell('one', 'My flight leaves on Monday.');
    await tell('two', 'My flight leaves on Monday.');
    await tell('two', "Scratch that, it's Tuesday.");
    await tell('two', 'Forget my flight.');
    expect(await recalled('one', 'When does my flight leave?')).toContain('Monday');
  });
});
