import fc from 'fast-check';
import { outermostBraces, withoutEnd } from 'pentarch-prose';
import { describe, expect, it } from 'vitest';
import { pickTool } from '../../../packages/builtin-model/src/pick-tool.ts';
import { readQuestion } from '../../../packages/builtin-model/src/question.ts';
import { RULES } from '../../../packages/builtin-model/src/request-table.ts';
import { smallTalk } from '../../../packages/builtin-model/src/smalltalk.ts';
import { looksLikeQuestion } from '../../src/features/agents/index.ts';
import { asksThePlatform } from '../../src/features/agents/router.rules.ts';
import { scanText } from '../../src/features/audit/scan.rules.ts';
import { audienceIn } from '../../src/features/governance/voting/audience.rules.ts';
import { parseVote } from '../../src/features/governance/voting/prompt.rules.ts';
import { isSuspicious } from '../../src/features/mcp/suspicion.rules.ts';
import { injectionSigns } from '../../src/kernel/text-signs.ts';
import { explosionOf, pumped } from '../support/growth.ts';

/** What reads texts of others on the event loop takes time in the order of the text, whatever is repeated in it. */

const PIECES = [
  ...['ignore ', 'all ', 'instructions', 'never ', 'tell ', 'user ', 'before ', 'using ', 'first ', 'call '],
  ...['you must ', 'send ', 'file', 'password', 'password: ', 'a@', 'b.', '@', '.', '-', '_', 'sk-', 'eyJ'],
  ...[
    '<',
    '</',
    ' ',
    '\t',
    '\n',
    '>',
    '<|',
    '|>',
    '#',
    '![',
    '](http://',
    '?',
    '1',
    '1,',
    '1.',
    ' - ',
    '+49 ',
  ],
  ...[
    'how much is ',
    'what ',
    'weight ',
    'costs ',
    'my ',
    'tasks ',
    'correct ',
    ' is ',
    ' not ',
    'average of ',
  ],
  ...['x.csv', 'forget ', 'subject: ', 'text: ', 'half past ', '```', 'json', '{', '}', '"', 'é', 'A', 'Aa '],
];
const TOOLS = [...new Set(RULES.map(({ tool }) => tool))].map((name) => ({
  name,
  description: '',
  inputSchema: {},
}));
const context = { now: 0, zone: 'UTC' };

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  scanText,
  injectionSigns: (text) => injectionSigns(text, 'proposal'),
  audienceIn: (text) => audienceIn([text]),
  isSuspicious: (text) => isSuspicious({ name: 'x', title: null, description: text, inputSchema: {} }),
  asksThePlatform,
  looksLikeQuestion,
  readQuestion: (text) => readQuestion(text, [text]),
  pickTool: (text) => pickTool(text.slice(0, 1_500), TOOLS, context),
  smallTalk,
  parseVote: (text) => parseVote('zeus' as Parameters<typeof parseVote>[0], text),
  outermostBraces,
  withoutEnd: (text) => withoutEnd(text, ' .'),
};

describe('time of reading what others wrote', () => {
  for (const [name, read] of Object.entries(READERS)) {
    it(`${name} grows with the text`, () => {
      fc.assert(
        fc.property(pumped(PIECES), (one) => {
          expect(explosionOf(read, one)).toBeNull();
        }),
        {
          numRuns: 40,
          examples: [
            [{ before: '```json', part: ' ', after: 'x' }],
            [{ before: '', part: '{', after: '' }],
            [{ before: 'x', part: '<\t', after: '' }],
            [{ before: '', part: 'a.', after: '@' }],
          ],
        },
      );
    });
  }
});
