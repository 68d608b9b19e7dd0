import { expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { createTestAccounts } from '../../../test/support/app.ts';
import type { Db } from '../../db/db.ts';
import { createReadings, type ReadBy, readersAfter, readersOf } from './readers.ts';

const accounts = createTestAccounts();
const person = async (token: string) => {
  const caller = await accounts.caller(token);
  if (caller === null) throw new Error(token);
  return caller;
};
const row = (readers: string | null): ReadBy => ({
  tenant_id: 't1',
  created_by: 'ann',
  credential: null,
  readers,
});
const tx = {} as Db['read'];

it(req('CRED-05', 'a webhook has its maker for a reader where none is listed'), () => {
  for (const listed of [null, '[]'])
    expect(readersOf(row(listed))).toEqual([{ user_id: 'ann', credential: null }]);
});

it(
  req('CRED-05', 'what a webhook is told is bounded by every reader, and ends with one that is gone'),
  async () => {
    const ann = await person('ann.admin.t1');
    const eve = await person('eve.user.t1');
    const needs = { tenantId: 't1', userId: 'ann', reach: 'own', permission: 'conversations:read' } as const;
    const both = { ...row(null), ...readersAfter(row(null), eve) };
    expect(readersOf(both).map((one) => one.user_id)).toEqual(['ann', 'eve']);
    const readings = (eveIs: typeof eve | 'key_deleted' | 'tenant_suspended') =>
      createReadings((_tenantId, userId) => Promise.resolve(userId === 'ann' ? ann : eveIs));
    expect(await readings(eve).verdict(tx, both, needs)).toBe('may_not');
    expect(await readings(eve).verdict(tx, row(null), needs)).toBe('may');
    expect(await readings(ann).verdict(tx, both, needs)).toBe('may');
    expect(await readings('key_deleted').verdict(tx, both, needs)).toBe('key_deleted');
    expect(await readings('tenant_suspended').gone(tx, both)).toBe('tenant_suspended');
  },
);

it(
  req('HOOK-08', 'who switches a webhook on stands in for what is gone, with no more than both could'),
  async () => {
    const ann = await person('ann.admin.t1');
    const eve = await person('eve.user.t1');
    const readings = createReadings((_tenantId, userId) =>
      Promise.resolve(userId === 'ann' ? 'key_deleted' : eve),
    );
    const made = { ...row(null), ...readersAfter(row(null), ann) };
    const taken = await readings.takenOver(tx, made, eve);
    const [reader, ...others] = readersOf({ ...made, ...taken });
    expect(others).toEqual([]);
    expect(reader?.user_id).toBe('eve');
    expect(reader?.credential?.permissions).toEqual(
      [...eve.permissions].filter((one) => ann.permissions.has(one)).sort(),
    );
    expect(await createReadings(() => Promise.resolve(ann)).takenOver(tx, made, eve)).toBeNull();
  },
);
