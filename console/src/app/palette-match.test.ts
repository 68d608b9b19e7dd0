import { expect, it } from 'vitest';
import { matches } from './palette-match.ts';

it.each([
  ['', 'Chat', true],
  ['aud', 'Audit log', true],
  ['log aud', 'Audit log', true],
  ['AÜDIT', 'Audit', true],
  ['resume', 'Résumé', true],
  ['udit', 'Audit', false],
  ['audit web', 'Audit log', false],
  ['api-k', 'API keys', true],
  ['  ', 'Chat', true],
])('“%s” is looked for in “%s”: %s', (typed, text, found) => {
  expect(matches(typed, text)).toBe(found);
});
