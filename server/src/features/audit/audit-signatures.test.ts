import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { type TestStore, testStores } from '../../../test/support/stores.ts';
import type { Db } from '../../db/db.ts';
import {
  type AuditSigner,
  createAudit,
  createAuditSigner,
  resignChains,
  signChains,
  type VerifyOptions,
  verifyAllAudits,
  verifyAudit,
} from './index.ts';
import { chainText, GENESIS } from './rules.ts';
import { sha256Hex } from './store.ts';

/** The chain against somebody who writes to the store as they like, hashes of SHA-256 included, and has no key. */
const TENANT = 't1';
const clock = { now: () => 1_800_000_000_000 };

describe.each(testStores)('the signed audit chain on $name', (engine: TestStore) => {
  let opened: Awaited<ReturnType<TestStore['open']>>;
  let db: Db;
  beforeEach(async () => {
    opened = await engine.open();
    ({ db } = opened);
  });
  afterEach(() => opened.drop());

  const OLD = createAuditSigner(['the key of before']);
  const NEW = createAuditSigner(['the key of now', 'the key of before']);
  const NEW_ALONE = createAuditSigner(['the key of now']);

  const append = async (
    signer: AuditSigner | null,
    count: number,
    onBroken = (): void => {},
    began = true,
  ) => {
    const audit = createAudit(clock, signer === null ? null : { signer, began: () => began, onBroken });
    for (let i = 0; i < count; i += 1) {
      await db.write((tx) =>
        audit.append(tx, {
          tenantId: TENANT,
          actorId: 'ann',
          actorType: 'user',
          action: 'user.created',
          details: { i },
        }),
      );
    }
  };
  const rows = () =>
    db.read.selectFrom('audit_events').selectAll().where('tenant_id', '=', TENANT).orderBy('seq').execute();
  const head = () => db.read.selectFrom('audit_heads').selectAll().executeTakeFirstOrThrow();
  const verify = (signer: AuditSigner, how: Partial<VerifyOptions> = {}) =>
    verifyAudit(db, TENANT, { signer, began: true, ...how });

  /** The guard of the store falls to whoever owns it. */
  const dropGuard = () =>
    db.write(async (tx) => {
      if (db.dialect === 'postgres')
        await sql`drop trigger audit_events_append_only on audit_events`.execute(tx);
      else {
        await sql`drop trigger audit_events_no_update`.execute(tx);
        await sql`drop trigger audit_events_no_delete`.execute(tx);
      }
    });

  /** Writes the chain anew from `from` on, with hashes that fit; `change` is done to each row before. */
  const rewrite = async (
    change: (row: Awaited<ReturnType<typeof rows>>[number]) => void,
    setHead = true,
  ): Promise<void> => {
    let previous = GENESIS;
    let seq = 0;
    for (const row of await rows()) {
      change(row);
      const hash = sha256Hex(
        chainText(previous, {
          id: row.id,
          tenantId: row.tenant_id,
          seq: row.seq,
          actorId: row.actor_id,
          actorType: row.actor_type,
          action: row.action,
          outcome: row.outcome,
          targetType: row.target_type,
          targetId: row.target_id,
          requestId: row.request_id,
          address: row.address,
          details: row.details,
          createdAt: row.created_at,
        }),
      );
      await db.write((tx) =>
        tx
          .updateTable('audit_events')
          .set({ action: row.action, mac: row.mac, previous_hash: previous, hash })
          .where('id', '=', row.id)
          .execute(),
      );
      previous = hash;
      seq = row.seq;
    }
    if (setHead) await db.write((tx) => tx.updateTable('audit_heads').set({ seq, hash: previous }).execute());
  };
  const cut = async (): Promise<Awaited<ReturnType<typeof rows>>[number]> => {
    const all = await rows();
    const [before, last] = all.slice(-2);
    if (before === undefined || last === undefined) throw new Error('no rows');
    await db.write(async (tx) => {
      await tx.deleteFrom('audit_events').where('id', '=', last.id).execute();
      await tx.updateTable('audit_heads').set({ seq: before.seq, hash: before.hash }).execute();
    });
    return before;
  };

  it(req('AUDIT-04', 'a row that is changed, with all hashes made to fit, is found'), async () => {
    await append(OLD, 4);
    expect(await verify(OLD)).toMatchObject({ ok: true, events: 4, signed: 4 });
    await dropGuard();
    await rewrite((row) => {
      if (row.seq === 2) row.action = 'nothing.happened';
    });
    // Without the key the hashes alone say that all is well: that was the fault.
    expect(await verifyAudit(db, TENANT)).toMatchObject({ ok: true });
    expect(await verify(OLD)).toMatchObject({
      ok: false,
      broken_at: 2,
      reason: expect.stringContaining('signature'),
    });
  });

  it(
    req('AUDIT-04', 'the newest row cannot be cut off, whatever of the store is put under the head'),
    async () => {
      await append(OLD, 4);
      await dropGuard();
      const before = await cut();
      expect(await verifyAudit(db, TENANT)).toMatchObject({ ok: true });
      expect(await verify(OLD)).toMatchObject({ ok: false, reason: expect.stringContaining('cut off') });
      for (const seal of [before.mac, null]) {
        await db.write((tx) => tx.updateTable('audit_heads').set({ seal }).execute());
        expect(await verify(OLD)).toMatchObject({ ok: false });
      }
    },
  );

  it(req('AUDIT-04', 'signatures that are taken away are missed'), async () => {
    await append(OLD, 3);
    await dropGuard();
    await rewrite((row) => {
      row.mac = null;
    });
    await db.write((tx) => tx.updateTable('audit_heads').set({ seal: null }).execute());
    expect(await verify(OLD)).toMatchObject({ ok: false, reason: expect.stringContaining('signs all') });
  });

  it(
    req(
      'AUDIT-04',
      'the platform does not sign over a chain that somebody changed: the row before says so for good',
    ),
    async () => {
      await append(OLD, 3);
      await dropGuard();
      for (const tamper of [
        () => rewrite((row) => void Object.assign(row, { action: 'x' })),
        async () => {
          await rewrite((row) => void Object.assign(row, { mac: null, action: 'y' }));
          await db.write((tx) => tx.updateTable('audit_heads').set({ seal: null }).execute());
        },
      ]) {
        await tamper();
        let said = 0;
        await append(OLD, 1, () => {
          said += 1;
        });
        expect(said).toBe(1);
        expect((await rows()).map((row) => row.action)).toContain('audit.seal_broken');
        expect(await verify(OLD)).toMatchObject({ ok: false });
      }
      // Nor does a start.
      expect(await signChains({ db, clock, signer: OLD, began: true })).toMatchObject({ begun: 0 });
      expect(await verify(OLD)).toMatchObject({ ok: false });
    },
  );

  it(
    req('AUDIT-04', 'rows of before there were signatures stay proved: a row says where signing begins'),
    async () => {
      await append(null, 3);
      expect(await verifyAudit(db, TENANT)).toMatchObject({ ok: true, events: 3, signed: 0 });
      expect(await signChains({ db, clock, signer: OLD, began: false })).toMatchObject({
        begun: 1,
        broken: [],
      });
      await append(OLD, 2);
      expect(await verify(OLD)).toMatchObject({ ok: true, events: 6, signed: 3 });
      expect((await rows())[3]).toMatchObject({ action: 'audit.signing_began' });
      await dropGuard();
      await rewrite((row) => {
        if (row.seq === 1) row.action = 'x';
      });
      expect(await verify(OLD)).toMatchObject({ ok: false, broken_at: 4 });
    },
  );

  it(req('AUDIT-04', 'goes over to a new key, and is proved when the old one is gone'), async () => {
    await append(OLD, 2);
    await append(NEW, 2);
    expect((await rows()).map((row) => row.action)).toContain('audit.key_changed');
    expect(await verify(NEW)).toMatchObject({ ok: true, signed: 5 });
    expect(await verify(NEW_ALONE)).toMatchObject({ ok: true, signed: 5 });
    // A key that nobody knows is nobody's.
    await append(createAuditSigner(['a key of somebody']), 1);
    expect(await verify(NEW_ALONE)).toMatchObject({ ok: false });
  });

  it(req(['AUDIT-04', 'KEYS-01'], 'after lost keys it goes on by the word of the operator'), async () => {
    await append(OLD, 2);
    expect(await verify(NEW_ALONE)).toMatchObject({ ok: false });
    const fits = async (): Promise<boolean> => (await verifyAudit(db, TENANT)).ok;
    expect(await resignChains({ db, clock, signer: NEW_ALONE, fits })).toBe(1);
    await append(NEW_ALONE, 1);
    expect(await verify(NEW_ALONE)).toMatchObject({ ok: true });
  });

  it(req('AUDIT-05', 'a head that was noted is in the chain, until that is rewritten'), async () => {
    await append(OLD, 3);
    const noted = (await head()).hash;
    await append(OLD, 2);
    const seen = async (): Promise<boolean> => {
      let found = false;
      await verify(OLD, { onRow: (hash) => (found ||= hash === noted) });
      return found;
    };
    expect(await seen()).toBe(true);
    await dropGuard();
    await rewrite((row) => {
      if (row.seq === 1) row.action = 'x';
    });
    expect(await seen()).toBe(false);
  });

  it(req('AUDIT-04', 'a chain whose head was taken away is broken, whatever its rows say'), async () => {
    await append(OLD, 3);
    await db.write((tx) => tx.deleteFrom('audit_heads').execute());
    for (const signer of [OLD, null])
      expect(await verifyAllAudits(db, { signer, began: true })).toMatchObject([
        { tenantId: TENANT, verdict: { ok: false, reason: expect.stringContaining('no head') } },
      ]);
    await dropGuard();
    await rewrite((row) => void Object.assign(row, { mac: null, action: 'x' }), false);
    expect(await verifyAllAudits(db, { signer: OLD, began: true })).toMatchObject([
      { verdict: { ok: false } },
    ]);
  });

  const DISPLACED: [string, (tx: Parameters<Parameters<Db['write']>[0]>[0]) => Promise<unknown>][] = [
    ['gone', (tx) => tx.deleteFrom('audit_heads').execute()],
    [
      'set back to the beginning',
      (tx) => tx.updateTable('audit_heads').set({ seq: 0, hash: GENESIS }).execute(),
    ],
    ['set back by one', (tx) => tx.updateTable('audit_heads').set({ seq: 2 }).execute()],
    ['set back, without a seal', (tx) => tx.updateTable('audit_heads').set({ seq: 1, seal: null }).execute()],
  ];
  it.each(DISPLACED)(
    'a head that is %s: the next row goes behind the newest, and says so',
    async (_, displace) => {
      for (const began of [true, false]) {
        let said = 0;
        if ((await rows()).length === 0) await append(OLD, 3);
        await db.write(displace);
        const before = (await rows()).length;
        const onBroken = (): void => {
          said += 1;
        };
        await append(OLD, 2, onBroken, began);
        expect(said).toBe(1);
        expect((await rows()).slice(before).map((row) => row.action)).toEqual([
          'audit.seal_broken',
          'user.created',
          'user.created',
        ]);
        expect(await verify(OLD)).toMatchObject({ ok: false, broken_at: 4 });
      }
    },
  );

  it.each(DISPLACED.slice(0, 2))(
    'a start finds a head that is %s, and marks the chain once',
    async (_, displace) => {
      await db.write((tx) =>
        tx
          .insertInto('tenants')
          .values({
            id: TENANT,
            slug: TENANT,
            name: TENANT,
            tier: 'free',
            status: 'active',
            settings: '{}',
            external_id: null,
            created_at: 1,
            updated_at: 1,
          })
          .execute(),
      );
      await append(OLD, 3);
      for (const began of [true, false]) {
        await db.write(displace);
        const before = (await rows()).length;
        expect(await signChains({ db, clock, signer: OLD, began })).toMatchObject({
          begun: 0,
          broken: [TENANT],
        });
        expect((await rows()).slice(before).map((row) => row.action)).toEqual(['audit.seal_broken']);
        await signChains({ db, clock, signer: OLD, began: true });
        expect(await rows()).toHaveLength(before + 1);
      }
      expect(await verify(OLD)).toMatchObject({ ok: false, broken_at: 4 });
    },
  );

  it('two writers that find no head go on one after the other', async () => {
    await append(OLD, 2);
    await db.write((tx) => tx.deleteFrom('audit_heads').execute());
    await Promise.all([append(OLD, 2), append(OLD, 2)]);
    expect((await rows()).map((row) => row.seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('rows before the first are found', async () => {
    await append(OLD, 2);
    const [row] = await rows();
    if (row === undefined) throw new Error('no rows');
    await db.write((tx) =>
      tx
        .insertInto('audit_events')
        .values({ ...row, id: 'x', seq: -5 })
        .execute(),
    );
    expect(await verify(OLD)).toMatchObject({ ok: false, broken_at: 1 });
  });

  const WRONG = [
    'details',
    'action',
    'actor_id',
    'address',
    'mac',
    'hash',
    'previous_hash',
    'created_at',
    'seq',
  ];
  it.each(WRONG)(
    'a value of the wrong type in %s is the first changed row; other chains are proved',
    async (column) => {
      // PostgreSQL's columns hold no other type.
      if (db.dialect === 'postgres') return;
      await append(OLD, 3);
      await db.write((tx) =>
        createAudit(clock, { signer: OLD, began: () => true }).append(tx, {
          tenantId: 't2',
          actorId: null,
          actorType: 'system',
          action: 'x',
        }),
      );
      await dropGuard();
      for (const value of [sql`x'efbfbd00'`, sql`9223372036854775807`]) {
        await db.write((tx) =>
          sql`update audit_events set ${sql.ref(column)} = ${value} where tenant_id = 't1' and id = (select id from audit_events where tenant_id = 't1' order by rowid limit 1 offset 1)`.execute(
            tx,
          ),
        );
        expect(await verifyAllAudits(db, { signer: OLD, began: true })).toMatchObject([
          { tenantId: TENANT, verdict: { ok: false, broken_at: 2 } },
          { tenantId: 't2', verdict: { ok: true, events: 1 } },
        ]);
      }
    },
  );

  it('a row that says that the key was changed, with details that are no JSON, is broken', async () => {
    await append(OLD, 2);
    await dropGuard();
    await rewrite((row) => {
      if (row.seq === 2) Object.assign(row, { action: 'audit.key_changed', mac: 'foreign.x', details: '{' });
    });
    await db.write((tx) =>
      tx.updateTable('audit_events').set({ details: '{' }).where('seq', '=', 2).execute(),
    );
    expect(await verify(OLD)).toMatchObject({ ok: false, broken_at: 2 });
  });
});
