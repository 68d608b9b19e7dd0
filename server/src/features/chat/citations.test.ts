import { describe, expect, it } from 'vitest';
import { citationsOf, type NumberedPassage, quoteFor, renumber } from './citations.rules.ts';

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

  it('beside each other quote for the statement before them, each from its own passage', () => {
    const both = [
      warranty,
      passage(4, 'Pumps are sold in Oslo. A warranty of five years comes with each pump.'),
    ];
    for (const markers of ['[1][4]', '[1] [4]', '[1, 4]', '[1], [4]'])
      expect(
        citationsOf(`The warranty lasts five years ${markers}.`, both).map(({ quote }) => quote),
      ).toEqual([
        'Its warranty lasts five years from delivery.',
        'A warranty of five years comes with each pump.',
      ]);
  });

  it('are of passages by their whole numbers', () => {
    const twelve = passage(12, 'The moon has no air.');
    const of = (content: string) =>
      citationsOf(content, [warranty, holidays, twelve]).map(({ document_id }) => document_id);
    expect(of('It has none [12].')).toEqual(['d12']);
    expect(of('It has none [12, 1].')).toEqual(['d12', 'd1']);
  });

  it('quote two sentences as one text in the order of the passage, where it is short enough for a quote', () => {
    const quoteOf = (text: string) =>
      citationsOf('Its warranty lasts years. [1] The pump is blue. [1]', [passage(1, text)])[0]?.quote;
    const between = (length: number) => `The pump is blue. ${'x'.repeat(length)}. Its warranty lasts years.`;
    expect(quoteOf(between(10))).toBe(between(10));
    const around = between(0).length;
    expect(quoteOf(between(320 - around))).toBe(between(320 - around));
    expect(quoteOf(between(321 - around))).toBe('Its warranty lasts years.');
    // Where in the passage it stands does not matter.
    expect(quoteOf(`${'Lamps. '.repeat(100)}${between(10)}`)).toBe(between(10));
  });

  it('quote at most 320 characters, and no half of one', () => {
    const quote = quoteFor('a very long word', `A very long ${'🐉'.repeat(400)}`);
    expect([...quote]).toHaveLength(320);
    expect(quote.isWellFormed()).toBe(true);
  });

  it('quote the first sentence where the statement says nothing, and the first of two that fit alike', () => {
    expect(quoteFor('So it is.', warranty.text)).toBe('The pump is blue.');
    expect(quoteFor('the lamp', 'The lamp is red. The lamp is old.')).toBe('The lamp is red.');
    expect(quoteFor('the lamp', '  \n \n')).toBe('');
    expect(quoteFor('PUMP Ä', 'It is old. A pump, ä.')).toBe('A pump, ä.');
  });

  it('by markers are all there are, whatever else fits a passage', () => {
    expect(
      citationsOf('Thirty days [2]. The pump is blue and its warranty lasts five years from delivery.', [
        warranty,
        holidays,
      ]).map(({ document_id }) => document_id),
    ).toEqual(['d2']);
  });

  it('without markers need a sentence of four words, of which three in five are in the passage', () => {
    const found = (content: string) => citationsOf(content, [warranty, holidays]).map(({ quote }) => quote);
    const quote = holidays.text;
    expect(found('Thirty holiday days.')).toEqual([]);
    expect(found('Every employee thirty days.')).toEqual([quote]);
    expect(found('Every employee thirty lamps ships.')).toEqual([quote]);
    expect(found('Every employee lamps ships.')).toEqual([]);
    expect(found('It does not say: every employee has thirty days holiday calendar year.')).toEqual([]);
    expect(found('Every employee thirty days. Calendar year holiday days every.')).toEqual([quote]);
    const two = passage(1, 'Lamps burn with oil at night. Ships come in the early morning.');
    expect(
      citationsOf('Lamps burn with oil. Ships come early morning.', [two]).map((one) => one.quote),
    ).toEqual(['Lamps burn with oil at night.']);
  });

  it('are renumbered where a text joins others', () => {
    expect(renumber('Six [1], seven [2,12] and a[x].', 3)).toBe('Six [4], seven [5, 15] and a[x].');
    expect(renumber('Six [7]', 0)).toBe('Six [7]');
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

  it('of a table are by its values alone: the names of its columns are in every row', () => {
    const states = 'Type | Status\nStatus report | open\nInvoice | paid';
    expect(quoteFor('The status of the invoice', states)).toBe('Invoice | paid');
    expect(quoteFor('The type and the status', states)).toBe('Type | Status');
    const regions = 'region | amount\nNorth | 10\nSouth | 20';
    expect(quoteFor('Which amount has region South?', regions)).toBe('South | 20');
    // A value of a single digit is one, and so are numbers with marks within.
    expect(quoteFor('It is 7', 'lamp | hours\nred | 17\nblue | 7')).toBe('blue | 7');
    expect(quoteFor('It is 1,5', 'lamp | hours\nred | 1\nblue | 1,5')).toBe('blue | 1,5');
  });

  it('of a second table use its own head, and of one without a head all of its rows', () => {
    const two = 'Name | Oslo\nAda | 4\n\nSome words.\n\nTown | Name\nOslo | 9\nBonn | 8';
    expect(quoteFor('Oslo 9', two)).toBe('Oslo | 9');
    expect(quoteFor('North and 10', 'North | 10\nSouth | 20')).toBe('North | 10');
    // Years are names of columns over cells that are none, also below a line of dashes.
    const years = 'lamp | 2024 | 2025\n--- | --- | ---\nred | 7 | 8';
    expect(quoteFor('In 2025 the red one had 8', years)).toBe('red | 7 | 8');
    expect(quoteFor('In 2025 2024', years)).toBe('lamp | 2024 | 2025');
    expect(quoteFor('In 2024 and 2025 red had 7', years)).toBe('red | 7 | 8');
    expect(quoteFor('In 2024 and 2025 red had 7', years.replace('--- | --- | ---\n', ''))).toBe(
      'red | 7 | 8',
    );
    // Over years there is no head: both rows are values.
    expect(quoteFor('In 2024 a', 'a | 2024\nb | 2025')).toBe('a | 2024');
    // Lines without words end no table.
    expect(
      quoteFor('The status of the invoice', 'Type | Status\n\nStatus report | open\n\nInvoice | paid'),
    ).toBe('Invoice | paid');
    expect(quoteFor('nothing of it', '--- | ---\nred | 7')).toBe('red | 7');
  });
});
