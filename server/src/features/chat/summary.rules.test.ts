import { describe, expect, it } from 'vitest';
import type { HistoryTurn } from './history.rules.ts';
import { extractSummary } from './summary.rules.ts';

const person = (content: string): HistoryTurn => ({ role: 'user', content });
const agent = (content: string): HistoryTurn => ({ role: 'assistant', content });
/** Room for one of two such sentences. */
const ONE = 14;
const ALL = 1_000;

describe('which sentences a summary keeps', () => {
  it.each<[string, HistoryTurn, HistoryTurn]>([
    ['a person’s before an agent’s', person('Lamps seem rather heavy.'), agent('Lamps seem rather heavy.')],
    [
      'what somebody says of themselves before what is said of others',
      person('My lamps seem rather heavy.'),
      person('The lamps seem rather heavy.'),
    ],
    [
      'no such words of an agent',
      person('Lamps seem rather heavy.'),
      agent('My lamps seem heavy, remember.'),
    ],
    ['a number', person('They bought 7 lamps nearby.'), person('They bought lamps somewhere.')],
    ['a name', person('They bought lamps near Oslo.'), person('They bought lamps nearby.')],
    ['a number of an agent', agent('They bought 7 lamps nearby.'), agent('They bought lamps somewhere.')],
    [
      'what is said before what is asked',
      person('Lamps should become brighter.'),
      person('Should lamps become brighter?'),
    ],
    ['what says something before thanks', agent('Lamps become brighter.'), person('Thanks lamps.')],
    [
      'a person’s three words before four of an agent',
      person('Lamps burn brightly.'),
      agent('Ships arrive tomorrow morning.'),
    ],
    [
      'a longer sentence of new words, as far as its length allows',
      person('Ships harbour lamps become bright.'),
      person('Ships ships ships harbour.'),
    ],
    [
      'few words with a number before more without',
      agent('It was in room 7 as it was.'),
      agent('Rooms were rather open again.'),
    ],
  ])('prefers %s, whichever was first', (_what, better, worse) => {
    const kept = `${better.role === 'user' ? 'Person' : 'Agent'}: ${better.content}`;
    expect(extractSummary(null, [better, worse], ONE)).toBe(kept);
    expect(extractSummary(null, [worse, better], ONE)).toBe(kept);
  });

  it('keeps everything in order where there is room, each sentence once, and nothing without words', () => {
    const turns = [person('It is so. Lamps burn. 12!'), agent('Lamps burn.'), person('Lamps burn.')];
    expect(extractSummary(null, turns, ALL)).toBe('Person: 12!\nAgent: Lamps burn.\nPerson: Lamps burn.');
    expect(extractSummary(' \n', turns.slice(0, 1), ALL)).toBe('Person: Lamps burn.\nPerson: 12!');
    expect(extractSummary(null, [], ALL)).toBe('');
    expect(extractSummary('', [], ALL)).toBe('');
  });

  it('takes what exactly fits, and nothing that does not', () => {
    // A line of 20 characters is 5 tokens and one for its break.
    const turn = person('Lamps burns.');
    expect(extractSummary(null, [turn], 6)).toBe('Person: Lamps burns.');
    expect(extractSummary(null, [turn], 5)).toBe('');
  });

  it('prefers what was kept before to what is said now', () => {
    expect(
      extractSummary('Person: Ships arrive during mornings', [person('Lamps become brighter evenings')], ONE),
    ).toBe('Person: Ships arrive during mornings');
    // By half a point alone: a name of today goes before it.
    expect(
      extractSummary('Person: Ships arrive during mornings', [person('Lamps become brighter in Oslo')], ONE),
    ).toBe('Person: Lamps become brighter in Oslo');
    // Only what was kept before has that, and not the first of what is said now.
    expect(
      extractSummary(
        'Person: Ships arrive during mornings',
        [person('Lamps become brighter evenings'), person('My lamps become brighter evenings')],
        26,
      ),
    ).toBe('Person: Ships arrive during mornings\nPerson: My lamps become brighter evenings');
  });

  it('prefers what was kept before also to a little more that is said now', () => {
    expect(
      extractSummary('Person: Ships arrive mornings', [person('Lamps become brighter evenings')], ONE),
    ).toBe('Person: Ships arrive mornings');
  });

  it('weighs 2,000 sentences against each other, and drops those that say least', () => {
    const word = (n: number) =>
      `${String.fromCharCode(97 + (n % 26), 97 + (Math.trunc(n / 26) % 26))}${n < 676 ? 'lamp' : n < 1352 ? 'ship' : n < 2028 ? 'boat' : 'raft'}`;
    const vague = Array.from({ length: 2_100 }, (_, n) => agent(`${word(n)} seems.`));
    const name = person('My name is Ada Kowalska.');
    expect(extractSummary(null, [...vague, name], 9)).toBe('Person: My name is Ada Kowalska.');
    // Of those that say as much the first.
    expect(extractSummary(null, vague, 6)).toBe(`Agent: ${word(0)} seems.`);
  });

  it('prefers what comes back, over what is said once', () => {
    const turns = [
      person('The harbour needs painting soon.'),
      person('Some breakfast tasted rather salty.'),
      person('The harbour needs cleaning first.'),
    ];
    const text = extractSummary(null, turns, ONE);
    expect(text).toBe('Person: The harbour needs painting soon.');
    expect(extractSummary(null, turns.toReversed(), ONE)).toBe('Person: The harbour needs cleaning first.');
  });

  it('counts nothing for a word of more than half of more than four sentences', () => {
    const everywhere = ['ships', 'boats', 'rafts', 'ferry'].map((word) => person(`Lighthouse near ${word}.`));
    const other = person('Breakfast tasted salty.');
    // Of four sentences the word still counts.
    expect(extractSummary(null, [other, ...everywhere.slice(0, 3)], 9)).toMatch(/Lighthouse/);
    expect(extractSummary(null, [...everywhere, other], 9)).toBe('Person: Breakfast tasted salty.');
  });

  it('takes another subject before more of the same', () => {
    const turns = [
      person('Ships harbour morning today.'),
      person('Ships harbour morning later.'),
      person('Lamps burning somewhere else.'),
    ];
    expect(extractSummary(null, turns, 24)).toBe(
      'Person: Ships harbour morning today.\nPerson: Lamps burning somewhere else.',
    );
  });

  it('cuts a sentence of more than 400 characters, and folds what is white', () => {
    const words = (length: number) => `${'lamp '.repeat(length / 5)}`.trim();
    const whole = `${words(395)} abcde`;
    expect(whole).toHaveLength(400);
    expect(extractSummary(null, [person(whole)], ALL)).toBe(`Person: ${whole}`);
    expect(extractSummary(null, [person(`${whole}f`)], ALL)).toBe(`Person: ${whole} …`);
    expect(extractSummary(null, [person('Lamps  burn\tbrightly.')], ALL)).toBe(
      'Person: Lamps burn brightly.',
    );
  });
});
