import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Audit } from '../../audit/index.ts';
import { type AccountEnds, changeUser, directoryGivesRoles, type UserRow } from '../../users/index.ts';
import type { ExternalPerson } from './claims.rules.ts';

/** How often it is noted when the provider last spoke, where nothing has changed: each time would be a write for each token. */
const NOTE_EVERY_MS = 60_000;

export interface Said {
  /** Epoch ms: when the provider said it. Null: that is not known. */
  saidAt: number | null;
}

/** Whether something newer has been said of the person: then roles of before do not come back. */
export const isOutdated = (user: UserRow, { saidAt }: Said): boolean =>
  saidAt !== null && user.claims_at !== null && saidAt < user.claims_at;

interface FollowOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  issuer: string;
  accounts: AccountEnds;
}

/** Keeps an account in step with what a token says; whether something has changed. */
export const createFollow = (
  { db, clock, audit, issuer, accounts }: FollowOptions,
  provisioned: { isManaged(userId: string): Promise<boolean> },
) => {
  /** The provider is right about names and, where it names them, roles. */
  const follow = async (user: UserRow, person: ExternalPerson, said: Said): Promise<boolean> => {
    if (isOutdated(user, said)) return false;
    // What the directory says of its people counts; roles it may leave to the provider.
    const managed = await provisioned.isManaged(user.id);
    if (managed && (await directoryGivesRoles(db.read, user.tenant_id))) return false;
    const { name, email } = managed ? user : person;
    const roles = person.roles === null ? user.roles : JSON.stringify(person.roles);
    const same = user.name === name && user.email === email && user.roles === roles;
    const isNews = said.saidAt !== null && said.saidAt - (user.claims_at ?? 0) >= NOTE_EVERY_MS;
    if (same && !isNews) return false;
    await db.write(async (tx) => {
      const changes = {
        name,
        email,
        roles,
        claims_at: said.saidAt ?? user.claims_at,
      };
      const ended = await changeUser(tx, accounts, user, changes, clock.now());
      if (ended === undefined || roles === user.roles) return;
      await audit.append(tx, {
        tenantId: user.tenant_id,
        actorId: null,
        actorType: 'system',
        action: 'user.updated',
        targetType: 'user',
        targetId: user.id,
        details: { by: issuer, roles_before: user.roles, roles_after: roles, ...ended.details },
      });
    });
    return !same;
  };

  return follow;
};
