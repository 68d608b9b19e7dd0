import type { Db } from '../../db/db.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import type { PersonalData } from '../users/index.ts';
import { listAllKeys } from './keys/store.ts';
import { forgetSessionOrigins, listSessions } from './sessions/store.ts';

/** What sign-ins leave behind of a person: addresses and programs. Erasing keeps the bare sessions, which are in use. */
export const personalDataOf = (db: Db): PersonalData => ({
  name: 'identity',
  async exportData({ userId }) {
    const [sessions, keys] = await Promise.all([listSessions(db.read, userId), listAllKeys(db.read, userId)]);
    return {
      sessions: sessions.map((row) => ({
        id: row.id,
        client_id: row.client_id,
        address: row.address,
        user_agent: row.user_agent,
        created_at: iso(row.created_at),
        ended_at: isoOrNull(row.revoked_at),
      })),
      keys: keys.map((row) => ({
        id: row.id,
        kind: row.kind,
        name: row.name,
        created_at: iso(row.created_at),
        last_used_at: isoOrNull(row.last_used_at),
      })),
    };
  },
  eraseData: ({ userId }) => db.write((tx) => forgetSessionOrigins(tx, userId)),
});
