import type { Tx } from '../../db/db.ts';
import { isTaken } from '../../db/faults.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import {
  findUserByEmail,
  findUserByExternalId,
  foldEmail,
  insertUser,
  type UserRow,
  userCreated,
} from '../users/index.ts';
import { type Afterwards, type Asker, addressTaken, type DirectoryAccounts } from './accounts.ts';
import type { Resource } from './attributes.ts';
import { noAddress, personColumns, type Wanted, wantedOf } from './person-rows.ts';
import { DEFAULT_ROLE } from './reach.ts';
import { taken } from './refusals.ts';
import type { DirectoryPersonRow, ScimStore } from './store.ts';

export interface NewPersonOptions {
  store: ScimStore;
  clock: Clock;
  audit: Audit;
  accounts: DirectoryAccounts;
  /** Address of the external provider; null with the embedded one. */
  issuer: string | null;
  invite(tx: Tx, user: UserRow): Promise<Afterwards['invitation']>;
}

export const nameTaken = () => taken('a person with this userName exists already');

/** A person whom the directory names for the first time: with a new account, or the one that they have had. */
export const createNewPerson = (options: NewPersonOptions) => {
  const { store, clock, audit, accounts } = options;

  /** An account of the tenant that the new person of the directory already has. Throws CONFLICT where it is not to be had. */
  const findOwn = async (
    tx: Tx,
    { caller }: Asker,
    wanted: Wanted,
    externalId: string | null,
  ): Promise<UserRow | undefined> => {
    const signedIn =
      options.issuer === null || externalId === null
        ? undefined
        : await findUserByExternalId(tx, `${options.issuer}|${externalId}`);
    const byAddress = wanted.email === null ? undefined : await findUserByEmail(tx, wanted.email);
    const row =
      signedIn?.tenant_id === caller.tenantId && signedIn.status !== 'deactivated' ? signedIn : byAddress;
    if (row === undefined) return undefined;
    const isFree =
      row.tenant_id === caller.tenantId &&
      row.type === 'person' &&
      (await store.personOf(tx, caller.tenantId, row.id)) === undefined;
    if (!isFree) throw addressTaken();
    if (!(await accounts.reach.covers(tx, caller, row, null)))
      throw taken(
        'this address is the account of somebody who may do more than a user, which a directory does not take over: an administrator gives it the role user first',
      );
    return row;
  };

  const newAccount = async (
    tx: Tx,
    { caller, requestId }: Asker,
    wanted: Wanted,
    personId: string,
  ): Promise<UserRow> => {
    const at = clock.now();
    const email = wanted.email ?? noAddress(personId);
    const row: UserRow = {
      id: newId(),
      tenant_id: caller.tenantId,
      type: 'person',
      email,
      email_folded: foldEmail(email),
      name: wanted.name,
      password_hash: null,
      password_permissions: null,
      roles: JSON.stringify([DEFAULT_ROLE]),
      permissions: '[]',
      tier: null,
      status: wanted.active ? (options.issuer === null ? 'invited' : 'active') : 'deactivated',
      external_id: null,
      created_at: at,
      updated_at: at,
      last_seen_at: null,
      claims_at: null,
      placed_by_admin: null,
    };
    await insertUser(tx, row).catch((error: unknown) => {
      throw isTaken(error) ? addressTaken() : error;
    });
    await tx.emit(userCreated(row, requestId));
    return row;
  };

  const add = async (tx: Tx, asker: Asker, resource: Resource) => {
    const { caller, requestId } = asker;
    const wanted = wantedOf(resource);
    const columns = personColumns(resource);
    const [known] = await store.people(
      caller.tenantId,
      { nameFolded: columns.user_name_folded },
      { offset: 0, limit: 1 },
    );
    if (known !== undefined) throw nameTaken();
    const own = await findOwn(tx, asker, wanted, columns.external_id);
    const id = newId();
    const user = own ?? (await newAccount(tx, asker, wanted, id));
    const at = clock.now();
    const person: DirectoryPersonRow = {
      id,
      tenant_id: caller.tenantId,
      user_id: user.id,
      ...columns,
      version: 1,
      created_at: at,
      updated_at: at,
    };
    await store.insertPerson(tx, person).catch((error: unknown) => {
      throw isTaken(error) ? nameTaken() : error;
    });
    await audit.append(tx, {
      ...actorOf(caller),
      action: own === undefined ? 'user.created' : 'user.adopted',
      targetType: 'user',
      targetId: user.id,
      requestId,
      details: { by: 'scim', roles: user.roles },
    });
    // Whom an administrator has switched off stays off.
    const followed =
      own === undefined ? null : await accounts.follow(tx, asker, { person, wanted, was: null });
    const invitation =
      own === undefined && user.status === 'invited' && wanted.email !== null
        ? await options.invite(tx, user)
        : null;
    return { person, done: [followed, { userId: user.id, invitation }] };
  };

  return add;
};
