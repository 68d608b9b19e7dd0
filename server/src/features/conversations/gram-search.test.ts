import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { testStores } from '../../../test/support/stores.ts';
import type { Db } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import { pageRequest } from '../../kernel/pagination.ts';
import { createGramSearch, type GramSearch } from './gram-search.ts';
import { dropArchivedBefore } from './index.ts';
import { createConversationStore } from './store.ts';

const TENANT = '0190a000-0000-7000-8000-000000000001';
const OTHER = '0190a000-0000-7000-8000-000000000002';
const scope = { reach: 'own', tenantId: TENANT, userId: 'ada' } as const;
const HOUR_MS = 3_600_000;

describe.each(testStores)('the search in what a person has said, on $name', (store) => {
  let db: Db;
  let drop: () => Promise<void>;
  let search: GramSearch;
  let ahead: number;
  beforeEach(async () => {
    ({ db, drop } = await store.open());
    ahead = 2 * HOUR_MS;
    search = createGramSearch({
      db,
      now: () => Date.now() + ahead,
      pauseMs: 0,
      onError: (error) => {
        throw error;
      },
    });
  });
  afterEach(async () => {
    await search.close();
    await drop();
  });

  const talk = async (userId: string, texts: readonly string[], tenantId = TENANT): Promise<string> => {
    const id = newId();
    const now = Date.now();
    const of = { tenant_id: tenantId, user_id: userId };
    await db.write(async (tx) => {
      await tx
        .insertInto('conversations')
        .values({
          ...of,
          id,
          title: null,
          status: 'active',
          metadata: '{}',
          agent_ids: '[]',
          message_count: texts.length,
          cost_nano: 0,
          created_at: now,
          updated_at: now,
          branched: 0,
        })
        .execute();
      await tx
        .insertInto('messages')
        .values(
          texts.map((content, n) => ({
            ...of,
            id: newId(),
            conversation_id: id,
            role: 'user',
            content,
            cost_nano: 0,
            created_at: now + n,
            active: 1,
          })),
        )
        .execute();
    });
    return id;
  };

  const find = async (q: string, how: GramSearch | null = search): Promise<string[]> => {
    const page = pageRequest({ limit: 100 });
    const { rows, total } = await createConversationStore(db, how).list(scope, { status: 'active', q }, page);
    expect(total).toBe(rows.length);
    return rows.map((row) => row.id);
  };
  const segments = async (): Promise<number> =>
    (await db.read.selectFrom('message_segments').select('segment').execute()).length;
  const words = (n: number): string =>
    `Message ${n} of pine${n % 97}apple and quay${n % 13}, at ${n * 7_919}.`;
  const chunk = (from: number, n: number): string[] => Array.from({ length: n }, (_, i) => words(from + i));

  it(req('CONV-29', 'finds by the index what reading everything finds'), async () => {
    for (let n = 0; n < 60; n++) await talk('ada', chunk(n * 20, 20));
    await talk('bob', chunk(0, 600));
    await talk('ada', chunk(0, 600), OTHER);
    const asked = [
      'pine96apple',
      'QUAY12, at',
      ' 7919.',
      'e5A',
      'ne1',
      'of',
      'nothing of this',
      '%',
      'at 15838',
    ];
    const before = new Map<string, string[]>();
    for (const q of asked) before.set(q, await find(q, null));
    expect(before.get('pine96apple')?.length).toBeGreaterThan(5);
    await find('pine');
    await vi.waitFor(async () => expect(await segments()).toBe(2), 30_000);
    for (const q of asked) expect([q, await find(q)]).toEqual([q, before.get(q)]);
    expect(await search.candidates(scope, 'pine96apple')).not.toBeNull();
    expect((await search.candidates(scope, 'pine96apple'))?.ids.length).toBeLessThan(40);

    // What came after the last segment is found as well, and what is not in the shown branch is not.
    const late = await talk('ada', ['a late word: sesquipedalian', words(95)]);
    expect(await find('sesquipedalian')).toEqual([late]);
    expect(await find('pine95apple')).toEqual([
      late,
      ...(before.get('pine95apple') ?? (await find('pine95apple', null)).slice(1)),
    ]);
    await db.write((tx) =>
      tx.updateTable('messages').set({ active: 0 }).where('content', 'like', '%pine96apple%').execute(),
    );
    expect(await find('pine96apple')).toEqual([]);
  });

  it('takes in whole segments of what does not change any more', async () => {
    await talk('ada', chunk(0, 520));
    ahead = 0;
    await find('pine');
    await search.close();
    expect(await segments()).toBe(0);
  });

  it(req('CONV-29', 'what is deleted leaves nothing in it, and the rest is found'), async () => {
    const first = await talk('ada', chunk(0, 512));
    const second = await talk('ada', chunk(512, 512));
    const third = await talk('ada', chunk(1_024, 512));
    await find('pine');
    await vi.waitFor(async () => expect(await segments()).toBe(3), 30_000);
    const list = createConversationStore(db);
    await list.deleteForGood(scope, [second], () => Promise.resolve());
    expect(await segments()).toBe(1);
    expect(await find('Message 600 ')).toEqual([]);
    expect(await find('Message 1100 ')).toEqual([third]);
    expect(await find('Message 100 ')).toEqual([first]);
    await vi.waitFor(async () => expect(await segments()).toBe(2), 30_000);

    await list.update(scope, first, { status: 'archived', archived_at: 1 });
    expect(await db.write((tx) => dropArchivedBefore(tx, 2, 10))).toEqual([TENANT]);
    expect(await segments()).toBe(0);
    expect(await find('Message 1100 ')).toEqual([third]);
    await vi.waitFor(async () => expect(await segments()).toBe(1), 30_000);
    await list.eraseOf(TENANT, 'ada');
    expect(await segments()).toBe(0);
    expect((await db.read.selectFrom('message_grams').select('page').execute()).length).toBe(0);
  });

  it('a message whose run goes on is not taken in, nor any after it', async () => {
    const id = await talk('ada', chunk(0, 600));
    const [, open] = await db.read.selectFrom('messages').select('id').orderBy('id').limit(2).execute();
    const run = {
      id: newId(),
      tenant_id: TENANT,
      user_id: 'ada',
      conversation_id: id,
      message_id: open?.id ?? '',
      question_id: newId(),
      status: 'awaiting_approval',
      agent_ids: '[]',
      request: '{}',
      cost_nano: 0,
      tool_call_count: 0,
      created_at: 1,
    };
    await db.write((tx) => tx.insertInto('runs').values(run).execute());
    await find('pine');
    await search.close();
    expect(await segments()).toBe(0);
  });
});
