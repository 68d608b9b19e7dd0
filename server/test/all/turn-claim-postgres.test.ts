import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/open.ts';
import { TurnTaken } from '../../src/features/chat/queue.ts';
import { createClaimTurn } from '../../src/features/chat/queued.store.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** A run begins only after all that was said in its conversation, also where another node said it meanwhile. */
describe('the claim of a turn', () => {
  let db: Db;
  let database: { url: string; drop(): Promise<void> };

  const say = (id: string, runId: string | null, at: number) =>
    db.write((tx) =>
      sql`insert into messages (id, tenant_id, user_id, conversation_id, role, content, cost_nano, run_id, created_at)
        values (${id}, 'north', 'ann', 'c', 'user', ${id}, 0, ${runId}, ${at})`.execute(tx),
    );
  const claim = (lastSaid?: Parameters<ReturnType<typeof createClaimTurn>>[1]['lastSaid']): Promise<void> =>
    db.write((tx) =>
      createClaimTurn({ nodeId: 'here', alone: false })(tx, {
        conversationId: 'c',
        runId: 'mine',
        ...(lastSaid === undefined ? {} : { lastSaid }),
      }),
    );

  beforeAll(async () => {
    database = await newDatabase(postgresServer ?? '');
    db = await openPostgres({ url: database.url, maxConnections: 2, unscoped: 'all' });
  });
  afterAll(async () => {
    await db?.close();
    await database?.drop();
  });
  beforeEach(() =>
    db.write(async (tx) => {
      await sql`delete from messages`.execute(tx);
      await sql`delete from conversations`.execute(tx);
      await sql`insert into conversations (id, tenant_id, user_id, status, metadata, agent_ids, message_count, cost_nano,
        created_at, updated_at) values ('c', 'north', 'ann', 'active', '{}', '[]', 0, 0, 1, 1)`.execute(tx);
    }),
  );

  it('is refused where another run has answered since the history was loaded', async () => {
    await say('q', 'other', 10);
    const asked = { created_at: 10, id: 'q' };
    await claim(asked);
    await say('r', 'other', 10);
    await expect(claim(asked)).rejects.toThrow(TurnTaken);
    await expect(claim(null)).rejects.toThrow(TurnTaken);
    await claim({ created_at: 10, id: 'r' });
  });

  it('holds beside its own question and those that wait', async () => {
    await say('own', 'mine', 20);
    await say('waits', 'other', 5e14 + 30);
    await claim(null);
  });

  it('is refused by a message of no run, and not for a run that has begun before', async () => {
    await say('imported', null, 20);
    await expect(claim(null)).rejects.toThrow(TurnTaken);
    await claim();
  });
});
