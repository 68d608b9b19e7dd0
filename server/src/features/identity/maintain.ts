import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { dropKeysDeletedBefore } from './keys/store.ts';
import { deleteLinksExpiredBefore } from './links/store.ts';
import { WINDOW_MS } from './passwords/rules.ts';
import { deleteFailuresBefore } from './passwords/store.ts';
import { deleteRecordsExpiredBefore, deleteRecordsOfEndedSessions } from './provider/store.ts';
import { deleteSessionsEndedBefore } from './sessions/store.ts';
import type { SigningKeys } from './signing/keys.ts';
import { deleteAccessTokensExpiredBefore } from './store.ts';

/** Expired rows are kept a while: a replay of a token that has just expired is still known as one of its family. */
const KEEP_MS = 86_400_000;
/** A deleted key is told from one that never was for this long. */
const KEEP_DELETED_KEYS_MS = 30 * 86_400_000;

export const maintain = async (options: { db: Db; clock: Clock; keys: SigningKeys }): Promise<void> => {
  const { db, clock, keys } = options;
  await keys.read();
  await keys.begin();
  await db.write(async (tx) => {
    const now = clock.now();
    const before = now - KEEP_MS;
    await deleteRecordsExpiredBefore(tx, before);
    await deleteAccessTokensExpiredBefore(tx, before);
    await deleteRecordsOfEndedSessions(tx, before);
    await deleteSessionsEndedBefore(tx, before);
    await dropKeysDeletedBefore(tx, now - KEEP_DELETED_KEYS_MS);
    await deleteLinksExpiredBefore(tx, now);
    await deleteFailuresBefore(tx, now - WINDOW_MS);
  });
};
