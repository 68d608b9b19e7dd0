import type { Db } from '../../../db/db.ts';
import { ROLES } from '../../../kernel/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { missingFor } from '../../../kernel/grants.ts';
import type { Audit } from '../../audit/index.ts';
import { findTenant } from '../../tenants/index.ts';
import {
  type AccountEnds,
  changeUser,
  findDirectoryPerson,
  findUserByExternalId,
  findWaiting,
  foldEmail,
  hasLeft,
  leftDirectory,
  rightsOf,
  type UserRow,
  type Waiting,
} from '../../users/index.ts';
import type { ExternalPerson } from './claims.rules.ts';

/** Joins somebody who signs in with the person whom the company's directory has made (features/scim). */

export interface ProvisionedOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  issuer: string;
  accounts: AccountEnds;
  forgetUser(userId: string): void;
}

const clearedOf = { status: 'deactivated', password_hash: null, password_permissions: null } as const;

const rolesOf = (json: string): string => {
  const parsed: unknown = JSON.parse(json);
  return JSON.stringify(ROLES.filter((role) => Array.isArray(parsed) && parsed.includes(role)));
};

export const createProvisioned = (options: ProvisionedOptions) => {
  const { db, clock, audit, accounts, issuer } = options;

  /** The provisioned account is the person's from now on. */
  const takeAccount = (external: string, waiting: Waiting, known: UserRow | undefined) =>
    db.write(async (tx) => {
      const at = clock.now();
      // Whom the directory had removed and has made anew.
      if (known !== undefined) await changeUser(tx, accounts, known, { external_id: null }, at);
      const status = waiting.user.status === 'invited' ? { status: 'active' } : {};
      await changeUser(tx, accounts, waiting.user, { external_id: external, ...status }, at);
      return waiting.user.id;
    });

  /** Whom the provider brought here first keeps the account with all that is in it; the empty one of the directory goes. */
  const keepAccount = (known: UserRow, { person, user }: Waiting) =>
    db.write(async (tx) => {
      const at = clock.now();
      const { email, email_folded, name } = user;
      await changeUser(tx, accounts, user, { ...clearedOf, email_folded: leftDirectory(user.id) }, at);
      await accounts.endAccess(tx, user.id, { keepKeys: false, exceptSessionId: null });
      await tx
        .updateTable('directory_people')
        .set({ user_id: known.id })
        .where('id', '=', person.id)
        .where('tenant_id', '=', known.tenant_id)
        .execute();
      const ends = person.active === 0 || user.status === 'deactivated';
      await changeUser(
        tx,
        accounts,
        known,
        { email, email_folded, name, roles: rolesOf(user.roles), ...(ends ? { status: 'deactivated' } : {}) },
        at,
      );
      if (ends) await accounts.endAccess(tx, known.id, { keepKeys: false, exceptSessionId: null });
      return known.id;
    });

  const note = (userId: string, waiting: Waiting) =>
    db.write((tx) =>
      audit.append(tx, {
        tenantId: waiting.user.tenant_id,
        actorId: null,
        actorType: 'system',
        action: 'user.joined',
        targetType: 'user',
        targetId: userId,
        details: { by: issuer, found_by: waiting.by },
      }),
    );

  /** Whether an account may do more than an ordinary person's, and than the directory's own account for them. */
  const isAbove = async (known: UserRow, { user }: Waiting): Promise<boolean> => {
    const slug = (await findTenant(db.read, known.tenant_id))?.slug ?? '';
    const given: unknown = JSON.parse(user.roles);
    const roles = JSON.stringify(['user', ...(Array.isArray(given) ? given : [])]);
    return missingFor(rightsOf({ ...user, roles }, slug), rightsOf(known, slug)) !== null;
  };

  /** Whether the directory looks after the account. */
  const isManaged = async (userId: string): Promise<boolean> =>
    (await findDirectoryPerson(db.read, userId)) !== undefined;

  return {
    isManaged,

    /** The account that a person has from now on; undefined where the directory waits for nobody like them. */
    async join(
      person: ExternalPerson,
      tenantId: string,
      known: UserRow | undefined,
    ): Promise<UserRow | undefined> {
      const waiting = await findWaiting(db.read, {
        tenantId,
        subjects: [person.subject, ...(person.objectId === null ? [] : [person.objectId])],
        email: person.provedEmail === null ? null : foldEmail(person.provedEmail),
      });
      if (waiting === null) return undefined;
      const external = `${issuer}|${person.subject}`;
      const isFresh = known === undefined || hasLeft(known);
      if (!isFresh && (known.tenant_id !== tenantId || (await isManaged(known.id)))) return undefined;
      // The directory's key could have named anybody's id: it takes no account over that its requests may not.
      if (!isFresh && (await isAbove(known, waiting))) return undefined;
      const userId = isFresh
        ? await takeAccount(external, waiting, known)
        : await keepAccount(known, waiting);
      await note(userId, waiting);
      for (const id of new Set([userId, waiting.user.id, ...(known === undefined ? [] : [known.id])]))
        options.forgetUser(id);
      return findUserByExternalId(db.read, external);
    },
  };
};
