import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createAgentStore } from '../src/features/agents/index.ts';
import { createChatStore } from '../src/features/chat/index.ts';
import { NoTransition, type RunTurn } from '../src/features/chat/run-state.rules.ts';
import { moveRun } from '../src/features/chat/run-state.store.ts';
import type { RunStatus } from '../src/features/chat/schema.ts';
import { insertRun } from '../src/features/chat/store.ts';
import { createConversationStore } from '../src/features/conversations/index.ts';
import { createIdempotencyStore, dropKeysOf } from '../src/http/idempotency.store.ts';
import type { StoredAnswer } from '../src/http/idempotency.ts';
import { newId } from '../src/kernel/ids.ts';
import { testStores } from './support/stores.ts';

/** The stores on the real engines: SQLite always, PostgreSQL under test:all. */
describe.each(testStores)('stores on $name', (engine) => {
  let store: Awaited<ReturnType<typeof engine.open>>;
  beforeEach(async () => {
    store = await engine.open();
  });
  afterEach(() => store.drop());

  const own = (userId: string) => ({ tenantId: 't1', userId, reach: 'own' as const });
  const conversation = (userId: string, createdAt: number, title: string) => ({
    id: newId(),
    tenant_id: 't1',
    user_id: userId,
    title,
    status: 'active',
    metadata: '{}',
    agent_ids: '[]',
    message_count: 0,
    cost_nano: 0,
    created_at: createdAt,
    updated_at: createdAt,
    archived_at: null,
    taint: '[]',
    branched: 0,
    pinned: null,
    folder: null,
  });

  const runOf = (conversationId: string, id: string, finishedAt: number | null) => ({
    id,
    tenant_id: 't1',
    user_id: 'u',
    conversation_id: conversationId,
    message_id: newId(),
    question_id: newId(),
    status: finishedAt === null ? 'running' : 'completed',
    agent_id: 'zeus',
    agent_ids: '["zeus"]',
    request: '{"v":1}',
    usage: null,
    cost_nano: 9_007_199_254_740_991,
    error: null,
    journal: null,
    tool_call_count: 0,
    first_token_ms: null,
    created_at: 1_000,
    finished_at: finishedAt,
    credential: null,
    node_id: 'gone',
  });

  describe('idempotency keys', () => {
    const answer: StoredAnswer = { status: 201, headers: { location: '/x' }, body: '{"a":"ü"}' };

    it('lets one of many claims at the same instant through', async () => {
      const keys = createIdempotencyStore(store.db);
      const claims = await Promise.all(Array.from({ length: 20 }, () => keys.claim('u', 'k', 'f', 1_000)));
      const outcomes = claims.map((claim) => claim.outcome).sort();
      expect(outcomes).toEqual(['claimed', ...Array.from({ length: 19 }, () => 'running')]);
    });

    it('gives the stored answer back, to its caller and body alone, for a day', async () => {
      const keys = createIdempotencyStore(store.db);
      await keys.claim('u', 'k', 'f', 1_000);
      await keys.finish('u', 'k', answer);
      expect(await keys.claim('u', 'k', 'f', 2_000)).toEqual({ outcome: 'done', answer });
      expect(await keys.claim('u', 'k', 'other', 2_000)).toEqual({ outcome: 'mismatch' });
      expect(await keys.claim('v', 'k', 'f', 2_000)).toEqual({ outcome: 'claimed' });
      expect(await keys.claim('u', 'k', 'f', 1_000 + 24 * 3_600_000)).toEqual({ outcome: 'claimed' });
    });

    it('frees a released key and keeps a finished one', async () => {
      const keys = createIdempotencyStore(store.db);
      await keys.claim('u', 'k', 'f', 1_000);
      await keys.release('u', 'k', null);
      expect(await keys.claim('u', 'k', 'f', 1_000)).toEqual({ outcome: 'claimed' });
      await keys.finish('u', 'k', answer);
      await keys.release('u', 'k', null);
      await keys.sweep(2_000);
      expect((await keys.claim('u', 'k', 'f', 3_000)).outcome).toBe('done');
    });

    it('keeps the key of a request that has become a run, until that run frees it', async () => {
      const keys = createIdempotencyStore(store.db);
      await keys.claim('u', 'k', 'f', 1_000);
      const talk = conversation('u', 1_000, 'talk');
      await createConversationStore(store.db).insert(talk);
      await store.db.write(async (tx) => {
        // Bound first, as a message is accepted: the run is stored in the same transaction.
        await keys.bind(tx, 'u', 'k', 'run-1');
        await insertRun(tx, runOf(talk.id, 'run-1', null));
      });
      await keys.sweep(2_000);
      await keys.releaseDead(true);
      await keys.release('u', 'k', null);
      await keys.release('u', 'k', 'run-2');
      expect(await keys.claim('u', 'k', 'f', 3_000)).toEqual({ outcome: 'running', runId: 'run-1' });
      await keys.release('u', 'k', 'run-1');
      expect(await keys.claim('u', 'k', 'f', 3_000)).toEqual({ outcome: 'claimed' });
    });

    it('loses the answer of a run with that run, and a late end writes nothing over who has the key then', async () => {
      const keys = createIdempotencyStore(store.db);
      const talk = conversation('u', 1_000, 'talk');
      await createConversationStore(store.db).insert(talk);
      await keys.claim('u', 'k', 'f', 1_000);
      await store.db.write(async (tx) => {
        await keys.bind(tx, 'u', 'k', 'run-1');
        await insertRun(tx, runOf(talk.id, 'run-1', 1_500));
      });
      await keys.finish('u', 'k', answer, 1_000);
      expect(await keys.claim('u', 'k', 'f', 2_000)).toEqual({ outcome: 'done', answer });
      await store.db.write((tx) => tx.deleteFrom('conversations').where('id', '=', talk.id).execute());
      expect(await keys.claim('u', 'k', 'f', 3_000)).toEqual({ outcome: 'claimed' });
      await keys.finish('u', 'k', answer, 1_000);
      expect(await keys.claim('u', 'k', 'f', 4_000)).toEqual({ outcome: 'running', runId: null });
    });

    it('loses all that one person has, by whichever credential, and nothing of another', async () => {
      const keys = createIdempotencyStore(store.db);
      for (const owner of ['p', 'p/token', 'p+roles', 'pq']) {
        await keys.claim(owner, 'k', 'f', 1_000);
        await keys.finish(owner, 'k', answer);
      }
      expect(await store.db.write((tx) => dropKeysOf(tx, 'p'))).toBe(3);
      expect((await keys.claim('pq', 'k', 'f', 2_000)).outcome).toBe('done');
      expect((await keys.claim('p/token', 'k', 'f', 2_000)).outcome).toBe('claimed');
    });
  });

  describe('conversations', () => {
    const page = { page: 1, limit: 2, after: null };
    const all = { status: 'active', q: null } as const;

    it('lists the owner’s, newest first, ties by id, with one row more than asked', async () => {
      const list = createConversationStore(store.db);
      const rows = [1, 2, 2, 3].map((at, i) => conversation('u', at, `c${i}`));
      for (const row of [...rows, conversation('other', 9, 'x')]) await list.insert(row);
      const first = await list.list(own('u'), all, page);
      expect(first.total).toBe(4);
      const tied = [rows[1], rows[2]].sort((a, b) => ((a?.id ?? '') < (b?.id ?? '') ? 1 : -1));
      const order = [rows[3], ...tied, rows[0]].map((row) => row?.id);
      expect(first.rows.map((row) => row.id)).toEqual(order.slice(0, 3));
      const last = first.rows[1];
      const position = { createdAt: last?.created_at ?? 0, id: last?.id ?? '' };
      const rest = await list.list(own('u'), all, { ...page, after: position });
      expect(rest.rows.map((row) => row.id)).toEqual(order.slice(2));
    });

    it('searches without regard to case, and takes wildcards as what they are', async () => {
      const list = createConversationStore(store.db);
      await list.insert(conversation('u', 1, 'Fifty 50% off'));
      await list.insert(conversation('u', 2, 'Fifty 50_ off'));
      const found = async (q: string) =>
        (await list.list(own('u'), { status: 'active', q }, { ...page, limit: 10 })).rows.map(
          (row) => row.title,
        );
      expect(await found('FIFTY')).toEqual(['Fifty 50_ off', 'Fifty 50% off']);
      expect(await found('50%')).toEqual(['Fifty 50% off']);
      expect(await found('50_')).toEqual(['Fifty 50_ off']);
      expect(await found('\\')).toEqual([]);
    });

    it('finds and changes nothing of somebody else', async () => {
      const list = createConversationStore(store.db);
      const row = conversation('u', 1, 'mine');
      await list.insert(row);
      expect(await list.find(own('v'), row.id)).toBeUndefined();
      expect(await list.find({ tenantId: 't2', userId: 'u', reach: 'tenant' }, row.id)).toBeUndefined();
      expect(await list.update(own('v'), row.id, { title: 'theirs' })).toBeUndefined();
      expect(await list.find(own('u'), row.id)).toEqual({ ...row, pinned: null, folder: null });
    });
  });

  it('ends runs that an earlier process left, each once, and moves them by the table of states', async () => {
    const chat = createChatStore(store.db, { nodeId: 'here', alone: false });
    const talk = conversation('u', 1_000, 'talk');
    await createConversationStore(store.db).insert(talk);
    const run = (id: string, finishedAt: number | null) => runOf(talk.id, id, finishedAt);
    const [left, done] = [newId(), newId()];
    await store.db.write(async (tx) => {
      await insertRun(tx, run(left, null));
      await insertRun(tx, run(done, 1_500));
    });
    expect((await chat.adopt(2_000, false)).map((row) => row.id)).toEqual([left]);
    const ended = (error: string, now: number) => ({ error, journal: '{"v":1,"events":[]}', now });
    const nothing = () => Promise.resolve({});
    await chat.interrupt({ id: left, status: 'running' }, ended('{"code":"X"}', 2_000), nothing);
    await chat.interrupt({ id: left, status: 'running' }, ended('{"code":"Y"}', 3_000), nothing);
    expect(await chat.adopt(9_000, true)).toEqual([]);
    expect(await chat.run(own('u'), left)).toMatchObject({
      status: 'failed',
      error: '{"code":"X"}',
      finished_at: 2_000,
      cost_nano: 9_007_199_254_740_991,
    });
    expect(await chat.run(own('v'), left)).toBeUndefined();
    const write = (from: RunStatus, event: RunTurn, id = left) =>
      store.db.write((tx) => moveRun(tx, { id, nodeId: 'here', from, event }, { cost_nano: 1 }));
    // What has ended stays as it is, whatever its writer believes; what the table lacks is a fault of the code.
    expect(await write('running', 'complete')).toBe(false);
    await expect(write('failed', 'complete')).rejects.toThrow(NoTransition);
    const going = newId();
    await store.db.write((tx) => insertRun(tx, { ...run(going, null), node_id: 'here' }));
    // The answer to a write may be lost: a wait and a resume can be written again.
    for (const event of ['wait', 'wait', 'resume', 'resume', 'complete'] as const)
      expect(await write('running', event, going)).toBe(true);
    expect(await write('running', 'fail', going)).toBe(false);
    expect(await chat.run(own('u'), going)).toMatchObject({ status: 'completed', cost_nano: 1 });
  });

  it('keeps the settings of agents by tenant', async () => {
    const agents = createAgentStore(store.db);
    await agents.save('t1', 'zeus', { enabled: false, model: 'a/b', instructions: null, allTools: false }, 1);
    await agents.save(
      't1',
      'zeus',
      { enabled: true, model: null, instructions: 'Be brief — 短く', allTools: true },
      2,
    );
    expect([...(await agents.settings('t1'))]).toEqual([
      ['zeus', { enabled: true, model: null, instructions: 'Be brief — 短く', allTools: true }],
    ]);
    expect(await agents.settings('t2')).toEqual(new Map());
  });

  it('opens again with its schema and its records', async () => {
    await createConversationStore(store.db).insert(conversation('u', 1, 'kept'));
    const again = await store.again();
    expect(await again.read.selectFrom('conversations').select('title').execute()).toEqual([
      { title: 'kept' },
    ]);
  });
});
