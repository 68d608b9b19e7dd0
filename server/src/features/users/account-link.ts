import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { conflict } from '../../kernel/errors.ts';
import { assertMayGrant } from '../../kernel/grants.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import type { AccountLookup } from './lookup.ts';
import type { AccountPort } from './ports.ts';
import { permissionsOfMaker } from './raised.ts';

export interface AccountLinkOptions {
  db: Db;
  audit: Audit;
  accounts: AccountPort;
  lookup: Pick<AccountLookup, 'find' | 'rightsOfRow'>;
}

/** A new invitation or reset link. Answers its address where no mail server is set. */
export const createAccountLink =
  ({ db, audit, accounts, lookup }: AccountLinkOptions) =>
  async (
    caller: Caller,
    id: string,
    purpose: 'invitation' | 'password_reset',
    requestId: string,
  ): Promise<{ url: string | null }> => {
    const row = await lookup.find(caller, id);
    // Whoever opens the link has the account.
    assertMayGrant(caller, await lookup.rightsOfRow(row));
    if (row.type !== 'person' || row.status !== (purpose === 'invitation' ? 'invited' : 'active')) {
      throw conflict(
        purpose === 'invitation'
          ? 'this account is not waiting for an invitation'
          : 'this account has no password to reset',
      );
    }
    const url = await db.write(async (tx) => {
      // What goes by mail is seen by nobody else.
      const maker = accounts.mailDelivers ? null : permissionsOfMaker(caller);
      const made = await accounts.addLink(tx, row, purpose, maker);
      await audit.append(tx, {
        ...actorOf(caller),
        action: `user.${purpose}_link_created`,
        targetType: 'user',
        targetId: row.id,
        requestId,
      });
      return made;
    });
    if (!accounts.mailDelivers) return { url };
    await accounts.mailLink(row, purpose, url);
    return { url: null };
  };
