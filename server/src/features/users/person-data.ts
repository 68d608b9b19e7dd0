import type { Db, Tx } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import { forbidden, notFound } from '../../kernel/errors.ts';
import { assertMayGrant } from '../../kernel/grants.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import type { AccountLookup } from './lookup.ts';
import type { AccountPort, CopyHolder, Person, PersonalData } from './ports.ts';
import { type UserRow, updateUser } from './store.ts';

const personOf = (row: UserRow): Person => ({
  tenantId: row.tenant_id,
  userId: row.id,
  type: row.type === 'service' ? 'service' : 'person',
});

export interface PersonDataOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  accounts: AccountPort;
  lookup: AccountLookup;
}

/** Export and erasure of all that is kept of a person, over all features. */
export const createPersonData = ({ db, clock, audit, accounts, lookup }: PersonDataOptions) => {
  const { find, view, rightsOfRow } = lookup;
  const personalData: PersonalData[] = [];
  const copyHolders: CopyHolder[] = [];

  /** Their own data, or an admin's business; for everybody else the account does not exist. */
  const findPerson = async (caller: Caller, id: string, permission: string): Promise<UserRow> => {
    const row = await find(caller, id);
    if (id === caller.userId) {
      if (!caller.permissions.has(permission)) throw forbidden(permission);
    } else if (!caller.permissions.has('users:manage')) {
      // Not 403: that would tell accounts that exist from those that do not.
      throw notFound('user');
    }
    // All that the account may read or delete: no less a credential gets it in one piece.
    assertMayGrant(caller, await rightsOfRow(row));
    return row;
  };

  const note =
    (caller: Caller, row: UserRow, action: string, requestId: string, details?: Record<string, unknown>) =>
    (tx: Tx) =>
      audit.append(tx, {
        ...actorOf(caller),
        action,
        targetType: 'user',
        targetId: row.id,
        requestId,
        ...(details === undefined ? {} : { details }),
      });

  return {
    registerPersonalData(data: PersonalData): void {
      personalData.push(data);
    },
    registerCopies(holder: CopyHolder): void {
      copyHolders.push(holder);
    },

    async exportData(caller: Caller, id: string, requestId: string) {
      const row = await findPerson(caller, id, 'keys:read');
      const person = personOf(row);
      const data: Record<string, unknown> = {};
      for (const part of personalData) data[part.name] = await part.exportData(person);
      await db.write(note(caller, row, 'user.data_exported', requestId));
      return { user: await view(row), exported_at: iso(clock.now()), data };
    },

    /** Erases the person's content; of a deactivated account the name and e-mail too. Safe to repeat after a failure. */
    async eraseData(caller: Caller, id: string, requestId: string) {
      const row = await findPerson(caller, id, 'profile:write');
      const person = personOf(row);
      const erased: Record<string, number> = {};
      // Of many transactions: that it began stands in the chain before the first of them.
      await db.write(note(caller, row, 'user.erasure_started', requestId));
      const recordIds = new Set([row.id]);
      const collect = async (part: PersonalData): Promise<void> => {
        for (const id of (await part.recordIds?.(person)) ?? []) recordIds.add(id);
      };
      const eraseCopies = async (): Promise<void> => {
        for (const holder of copyHolders)
          erased[holder.name] = (erased[holder.name] ?? 0) + (await holder.erase(person, recordIds));
      };
      // The copies first: whoever repeats this after a failure must find the ids of what they are copies of.
      for (const part of personalData) await collect(part);
      await eraseCopies();
      // Backwards, since tasks start conversations: what makes new records goes before what it makes.
      for (const part of personalData.toReversed()) {
        await part.settle?.(person);
        await collect(part);
        erased[part.name] = await part.eraseData(person);
      }
      // What was told to others meanwhile.
      await eraseCopies();
      const gone = `erased-${row.id}@invalid`;
      await db.write(async (tx) => {
        if (row.status === 'deactivated') {
          await updateUser(
            tx,
            { id: row.id, tenantId: row.tenant_id },
            { name: 'Erased', email: gone, email_folded: gone, password_hash: null, external_id: null },
            clock.now(),
          );
        }
        await note(caller, row, 'user.data_erased', requestId, { erased })(tx);
      });
      accounts.changed(row.id);
      return { user_id: row.id, erased };
    },
  };
};
