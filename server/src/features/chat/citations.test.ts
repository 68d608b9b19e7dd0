import { describe, expect, it } from 'vitest';
import { citationsOf, type NumberedPassage, quoteFor } from './citations.rules.ts';

const passage = (n: number, text: string): NumberedPassage => ({
  n,
  documentId: `d${n}`,
  chunkId: `c${n}`,
  title: `Document ${n}`,
  page: n,
  text,
  score: 1,
});

const warranty = passage(
  1,
  'The pump is blue. Its warranty lasts five years from delivery. Call us for service.',
);
const holidays = passage(2, 'Every employee has thirty days of holiday in a calendar year.');

describe('citations', () => {
  it('follow the markers, each passage once, in order of use', () => {
    const citations = citationsOf('Thirty days of holiday [2]. The warranty lasts five years [1][2].', [
      warranty,
      holidays,
    ]);
    expect(citations.map((c) => c.document_id)).toEqual(['d2', 'd1']);
    expect(citations[1]).toMatchObject({ page: 1, quote: 'Its warranty lasts five years from delivery.' });
  });

  it('quote the sentence before a marker that stands behind its full stop', () => {
    const [citation] = citationsOf('The warranty lasts five years from delivery. [1]', [warranty]);
    expect(citation?.quote).toBe('Its warranty lasts five years from delivery.');
  });

  it('keep a decimal number whole', () => {
    const lens = passage(3, 'The lens was ground in Paris and weighs 2.4 tonnes. It is old.');
    const [citation] = citationsOf('It weighs 2.4 tonnes. [3]', [lens]);
    expect(citation?.quote).toBe('The lens was ground in Paris and weighs 2.4 tonnes.');
  });

  it('quote from the first to the last of near sentences that rest on one passage', () => {
    const [citation, ...others] = citationsOf('The pump is blue. [1] The warranty lasts five years. [1]', [
      warranty,
    ]);
    expect(others).toEqual([]);
    expect(citation?.quote).toBe('The pump is blue. Its warranty lasts five years from delivery.');
  });

  it('are none of a sentence that says that the documents do not answer', () => {
    expect(
      citationsOf(
        'The documents do not say how many days of holiday every employee has in a calendar year.',
        [holidays],
      ),
    ).toEqual([]);
  });

  it('ignore numbers that no passage has', () => {
    expect(citationsOf('See [7] and array[3].', [warranty])).toEqual([]);
  });

  it('are found by overlap when the model set no marker', () => {
    const citations = citationsOf('Every employee has thirty days of holiday each calendar year.', [
      warranty,
      holidays,
    ]);
    expect(citations.map((c) => c.document_id)).toEqual(['d2']);
  });

  it('are not made up for an answer that rests on nothing', () => {
    expect(
      citationsOf('I could not find anything about parking spaces in your documents.', [warranty, holidays]),
    ).toEqual([]);
  });

  it('quote the passage unchanged', () => {
    expect(warranty.text).toContain(quoteFor('How long is the warranty?', warranty.text));
  });

  it('quote the row with the fact, never the head of the table', () => {
    const table = 'region | amount\nNorth | 10.5\nSouth | 20\nEast | 20.5';
    expect(quoteFor('region: South, amount: 20', table)).toBe('South | 20');
    expect(quoteFor('region: North, amount: 10.5', table)).toBe('North | 10.5');
    expect(quoteFor('The amount of the region East is 20.5.', `Sales of the year.\n\n${table}`)).toBe(
      'East | 20.5',
    );
    expect(quoteFor('South has 20', '| Region | Amount |\n|---|---|\n| North | 10 |\n| South | 20 |')).toBe(
      '| South | 20 |',
    );
  });
});
