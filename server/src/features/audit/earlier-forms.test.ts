import { expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type AuditFields, earlierForms } from './rules.ts';

const row: AuditFields = {
  id: '1',
  tenantId: 't1',
  seq: 1,
  actorId: null,
  actorType: 'user',
  action: 'tool.called',
  outcome: 'success',
  targetType: 'tool',
  targetId: 'a\uFFFDb\uFFFD',
  requestId: null,
  address: null,
  details: '{}',
  createdAt: 1,
};
const targets = (target: string): (string | null)[] =>
  [...earlierForms({ ...row, targetId: target })].map((form) => form.targetId);

it(req('OPS-13', 'a row with U+FFFD may have said U+0000 in any of their places'), () => {
  expect(targets('a\uFFFDb\uFFFD')).toEqual(['a\u0000b\uFFFD', 'a\uFFFDb\u0000', 'a\u0000b\u0000']);
  expect(targets('plain')).toEqual([]);
  expect(targets('\uFFFD'.repeat(40))).toEqual(['\u0000'.repeat(40)]);
});
