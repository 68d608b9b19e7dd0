import { describe, expect, test } from 'vitest';
import { ANSWERABLE, PASSAGES, UNANSWERABLE } from '../test/answers.ts';
import { MORE_ANSWERABLE, MORE_PASSAGES, MORE_UNANSWERABLE } from '../test/answers-more.ts';
import { describeNoAnswer, extractAnswer } from './extract.ts';
import { smallTalk } from './smalltalk.ts';
import { contentTerms, likeness, stem } from './words.ts';

const flat = (text: string) => text.replace(/\s+/g, ' ');

describe('questions that a passage answers', () => {
  test.each(ANSWERABLE)('%s', (question, fact, n) => {
    const answer = extractAnswer(question, [], PASSAGES);
    expect(answer?.content).toContain(fact);
    expect(answer?.cited[0]).toBe(n);
    expect(answer?.content).toContain(`[${n}]`);
  });

  test('prose is quoted word for word, with a mark after each sentence', () => {
    for (const [question] of ANSWERABLE) {
      const { content = '', cited = [] } = extractAnswer(question, [], PASSAGES) ?? {};
      const quotes = content.split(/ \[\d+\] ?/);
      expect(quotes.pop()).toBe('');
      expect(quotes.length).toBeGreaterThanOrEqual(cited.length);
      for (const quote of quotes) {
        const isRow = quote.includes('Rank: ');
        expect(isRow || PASSAGES.some((p) => flat(p.text).includes(quote))).toBe(true);
      }
    }
  });
});

describe('questions that no passage answers', () => {
  test.each(UNANSWERABLE)('%s', (question) => {
    expect(extractAnswer(question, [], PASSAGES)).toBeNull();
  });

  test('no passages, no terms', () => {
    expect(extractAnswer('Who built the tower?', [], [])).toBeNull();
    expect(extractAnswer('and why?', [], PASSAGES)).toBeNull();
  });

  test('the passages that come closest are quoted with their numbers, and told from an answer', () => {
    expect(describeNoAnswer([])).toContain('found nothing');
    const told = describeNoAnswer(PASSAGES.slice(0, 2));
    expect(told).toMatch(/^I found no sentence that answers this/);
    expect(told).toMatch(/Keeper's Handbook: “.+” \[1\]/);
    expect(describeNoAnswer(PASSAGES.map((passage) => ({ ...passage, score: 0.1 })))).toContain(
      'found nothing',
    );
  });
});

describe('a second set, by share', () => {
  test('at least 0.9 of the answerable ones have the right fact and number', () => {
    const missed = MORE_ANSWERABLE.filter(([question, fact, n]) => {
      const answer = extractAnswer(question, [], MORE_PASSAGES);
      return !answer?.content.includes(fact) || !answer.cited.includes(n);
    });
    expect(missed.length, JSON.stringify(missed)).toBeLessThanOrEqual(MORE_ANSWERABLE.length * 0.1);
  });
  test('at least 0.9 of the others are refused', () => {
    const answered = MORE_UNANSWERABLE.filter((question) => extractAnswer(question, [], MORE_PASSAGES));
    expect(answered.length, JSON.stringify(answered)).toBeLessThanOrEqual(MORE_UNANSWERABLE.length * 0.1);
  });
});

describe('questions that lean on the one before', () => {
  test.each([
    ['How high is it?', 'Who built the tower?', '41 metres'],
    ['And when?', 'Who built the tower?', '1874'],
    ['How long are they kept?', 'When do full backups run?', '90 days'],
  ])('%s after %s', (question, before, fact) => {
    expect(extractAnswer(question, [before], PASSAGES)?.content).toContain(fact);
  });
});

test('rows of a table without its head are not named by one another', () => {
  const text = 'First assistant | 3,480 crowns | 34\nSecond assistant | 2,990 crowns | 30';
  const passages = [{ n: 1, title: 'Pay of keepers', page: null, text, score: 1 }];
  expect(extractAnswer('How much does the second assistant earn?', [], passages)?.content).toBe(
    'Second assistant | 2,990 crowns | 30 [1]',
  );
});

test('hostile text is only text', () => {
  const passages = [
    { n: 1, title: 'x', page: null, text: `${'a|'.repeat(5000)}\n\n${'('.repeat(5000)}`, score: 1 },
  ];
  expect(extractAnswer('$& (a+)+$ [1] __proto__ constructor?', ['toString'], passages)).toBeNull();
});

describe('small talk', () => {
  test.each([
    'Hello',
    'hi there!',
    'Good morning',
    'Thanks a lot!',
    'help',
    'What can you do?',
    'Who are you?',
    'which model are you?',
    'Hallo',
  ])('%s has its rule', (message) => expect(smallTalk(message)).not.toBeNull());
  test.each(['What is 12 * 7?', '3 plus 4', 'calculate (2+3)*4'])('%s is not pretended', (message) =>
    expect(smallTalk(message)).toMatch(/cannot calculate/),
  );
  test('nor is the date', () => expect(smallTalk('What time is it?')).toMatch(/no clock/));
  test.each([
    'Hello world was written by whom?',
    'Who built the tower?',
    'What is the date of the meeting?',
    'help desk phone number?',
  ])('%s is a question', (message) => expect(smallTalk(message)).toBeNull());
  test('a way to a real model is named', () =>
    expect(smallTalk('What can you do?')).toMatch(/MODEL.*OPENAI_API_KEY|OPENAI_API_KEY.*MODEL/));
});

describe('words', () => {
  test.each([
    ['engineers', 'engineer'],
    ['batteries', 'battery'],
    ['booked', 'booking'],
    ['costs', 'cost'],
    ['running', 'runs'],
  ])('%s and %s are alike', (one, other) => expect(likeness(stem(one), stem(other))).toBeGreaterThan(0.6));
  test.each([
    ['light', 'lamp'],
    ['station', 'state'],
    ['tower', 'power'],
  ])('%s and %s are not the same', (one, other) => expect(likeness(stem(one), stem(other))).toBeLessThan(1));
  test('terms leave out what carries no meaning, and know names', () => {
    expect(contentTerms('Who was the mayor of Lyon in 1990?').map((t) => [t.word, t.isName])).toEqual([
      ['mayor', false],
      ['Lyon', true],
      ['1990', true],
    ]);
  });
});

describe('statements without a full stop, number words, spans of time', () => {
  const passage = (text: string) => [{ n: 1, title: 'Notes', page: null, text, score: 1 }];
  test.each([
    [
      'What is the giraffe quota?',
      'First slide\n\nSecond slide says the giraffe quota is ninety two',
      'the giraffe quota is ninety two',
    ],
    ['How many giraffes are there?', 'The park keeps ninety giraffes.', 'ninety giraffes'],
    [
      'After how many months is a mooring rope replaced?',
      'A mooring rope is replaced after eighteen months.',
      'eighteen months',
    ],
    [
      'How many months does a mooring rope last?',
      'A mooring rope is replaced after 18 months.\n\nAnchors are painted in spring.',
      '18 months',
    ],
    ['東京タワーの高さは？', '東京タワーの高さは333メートルです。', '333メートル'],
  ])('%s', (question, text, fact) => {
    expect(extractAnswer(question, [], passage(text))?.content).toContain(fact);
  });
});
