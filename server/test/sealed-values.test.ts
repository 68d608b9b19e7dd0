import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../src/db/db.ts';
import { replaceSealed, SEALED_PLACES, type SealedPlace, sealedValues } from '../src/db/sealed.ts';
import { openPlatformKeys, type PlatformKeys } from '../src/features/identity/index.ts';
import { composeSealing, keysFit } from '../src/modules/sealing.ts';
import { req } from './requirements.ts';
import { type TestStore, testStores } from './support/stores.ts';

/** Sealed values where they stand: what somebody gets who moves them about in the store. */
const keysOf = (platformKey: string, previousKey: string | null = null): PlatformKeys =>
  openPlatformKeys({ dataDir: '/nowhere', platformKey, previousKey });
const ONE = 'the platform key of before, long enough';
const TWO = 'the platform key of now, which is another';

describe.each(testStores)('sealed values on $name', (engine: TestStore) => {
  let opened: Awaited<ReturnType<TestStore['open']>>;
  let db: Db;
  beforeEach(async () => {
    opened = await engine.open();
    ({ db } = opened);
  });
  afterEach(() => opened.drop());

  const secret = SEALED_PLACES.find((place) => place.column === 'secret') as SealedPlace;
  const endpoint = SEALED_PLACES.find((place) => place.column === 'endpoint') as SealedPlace;
  const addHook = (id: string, tenant_id: string, keys: PlatformKeys) =>
    db.write((tx) =>
      tx
        .insertInto('webhooks')
        .values({
          id,
          tenant_id,
          created_by: 'ann',
          url: 'https://hooks.example.com/',
          events: '["*"]',
          description: null,
          status: 'active',
          disabled_reason: null,
          secret: composeSealing(keys).seal(
            { place: secret, row: { id, tenant_id }, sealed: '' },
            `secret of ${id}`,
          ),
          previous_secret: null,
          previous_secret_until: null,
          failing_since: null,
          created_at: 1,
          updated_at: 1,
        })
        .execute(),
    );
  const addServer = (id: string, keys: PlatformKeys) =>
    db.write((tx) =>
      tx
        .insertInto('mcp_servers')
        .values({
          id,
          tenant_id: 't1',
          name: id,
          title: null,
          transport: 'http',
          enabled: 1,
          endpoint: composeSealing(keys).seal(
            { place: endpoint, row: { id, tenant_id: 't1' }, sealed: '' },
            id,
          ),
          policy: '{}',
          access: '{}',
          timeout_ms: 1,
          created_by: 'ann',
          created_at: 1,
          updated_at: 1,
        })
        .execute(),
    );

  it(
    req(
      'KEYS-04',
      'a secret that is moved to another webhook, its tenant’s or another’s, does not open there',
    ),
    async () => {
      const keys = keysOf(ONE);
      await addHook('a', 't1', keys);
      await addHook('b', 't1', keys);
      await addHook('c', 't2', keys);
      const sealing = composeSealing(keys);
      const values = await sealedValues(db.read, secret, null);
      expect(values.map((value) => sealing.open(value)).sort()).toEqual([
        'secret of a',
        'secret of b',
        'secret of c',
      ]);
      const [first] = values;
      for (const other of values.slice(1))
        await db.write((tx) => replaceSealed(tx, other, { secret: first?.sealed ?? '' }));
      const now = await sealedValues(db.read, secret, null);
      expect(now.filter((value) => sealing.open(value) !== null)).toHaveLength(1);
      expect(now).toHaveLength(3);
    },
  );

  it(req('KEYS-04', 'the endpoint of an MCP server does not open at another'), async () => {
    const keys = keysOf(ONE);
    await addServer('a', keys);
    await addServer('b', keys);
    const [a, b] = await sealedValues(db.read, endpoint, null);
    if (a === undefined || b === undefined) throw new Error('no servers');
    await db.write((tx) => replaceSealed(tx, b, { endpoint: a.sealed }));
    const opening = (await sealedValues(db.read, endpoint, null)).map((value) =>
      composeSealing(keys).open(value),
    );
    expect(opening.filter((plain) => plain !== null)).toHaveLength(1);
  });

  it(
    req(
      ['KEYS-02', 'KEYS-03'],
      'keys fit by the newest value of each kind, with the key of before beside them or not at all',
    ),
    async () => {
      await addHook('a', 't1', keysOf(ONE));
      expect(await keysFit(db.read, keysOf(ONE))).toBe(true);
      expect(await keysFit(db.read, keysOf(TWO))).toBe(false);
      expect(await keysFit(db.read, keysOf(TWO, ONE))).toBe(true);
      const [value] = await sealedValues(db.read, secret, null);
      if (value === undefined) throw new Error('no webhook');
      expect(composeSealing(keysOf(TWO, ONE)).isCurrent(value)).toBe(false);
    },
  );
});
