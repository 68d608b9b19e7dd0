import fc from 'fast-check';
import { cleanName } from 'pentarch-prose';
import { describe, expect, it } from 'vitest';
import { claimOfObservation, factsOfClause } from '../../../../packages/memory-patterns/src/clauses.ts';
import { sentencesOf, trimValue } from '../../../../packages/memory-patterns/src/sentences.ts';
import { req } from '../../../test/requirements.ts';
import { explosionOf, pumped } from '../../../test/support/growth.ts';
import { looksSecret } from '../../kernel/text-signs.ts';
import { extract } from './extract.ts';
import { readQuery } from './recall.rules.ts';

const PIECES =
  `talk in f|always|only|from now on|please|in the future|again| |  |,| , |.|!|\n|\t|"|'|“|‘|„|\`|\`\`\`|:|;|I |I'm |my |our |my dog |Rex|Ada of |the |is |are |not |no longer |
and |but |remember that |forget |everything |about me|don't |use |works as |a |at |engineer|head of |moved from |to |named |called |where |what does |work|do |which |because |so |
every |Ich bin |von beruf|mag |nicht |ich |translate |-|1|a|A|é|\u0000|\u2028`
    .split('|')
    .map((piece) => (piece === '\n' ? piece : piece.replace(/^\n/, '')))
    .filter((piece) => piece !== '');

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  extract,
  factsOfClause,
  'a clause of claimOfObservation': (text) => claimOfObservation(text.slice(0, 400), 'Ada'),
  readQuery,
  sentencesOf,
  trimValue: (text) => trimValue(text.slice(0, 600)),
  cleanName,
  looksSecret,
};

describe('time of reading a message', () => {
  for (const [name, read] of Object.entries(READERS)) {
    it(req('MEM-07', `${name}: grows with the text, whatever is repeated in it`), () => {
      fc.assert(
        fc.property(pumped(PIECES), (one) => {
          expect(explosionOf(read, one)).toBeNull();
        }),
        {
          numRuns: 150,
          examples: [
            [{ before: 'talk in f', part: ' always', after: ' s' }],
            [{ before: 'answer in german', part: ' , please', after: '!' }],
            [{ before: 'A’s A', part: ' is t', after: '\n' }],
            [{ before: 'remember', part: '\t', after: 'x' }],
            [{ before: "'", part: '“‘\t', after: '\n' }],
            [{ before: 'D', part: '!SAY\nR', after: 'a' }],
          ],
        },
      );
    });
  }
});
