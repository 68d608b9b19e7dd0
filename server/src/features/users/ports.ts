import type { Queryable } from '../../db/db.ts';
import type { AccountRights } from '../../kernel/grants.ts';

/** What the users feature needs of the identity feature. */
export interface AccountPort {
  hashPassword(password: string): Promise<string>;
  /** Throws VALIDATION_ERROR naming `field`. */
  assertPassword(password: string, field: string): void;
  endAccess(
    tx: Queryable,
    userId: string,
    how: { keepKeys: boolean; exceptSessionId: string | null },
  ): Promise<void>;
  /** Ends the machine keys that a credential fetched which has less than `rights`; how many. */
  endMachineKeys(tx: Queryable, userId: string, rights: AccountRights): Promise<number>;
  /** Ends the account's open links; how many. */
  endLinks(tx: Queryable, userId: string): Promise<number>;
  /**
   * Makes a link for one use, good for no more than the account may by `user`, and returns its address. `maker`: what the
   * credential can that is shown it (`permissionsOfMaker`).
   */
  addLink(
    tx: Queryable,
    user: { id: string; roles: string; permissions: string },
    purpose: 'invitation' | 'password_reset',
    maker: string | null,
  ): Promise<string>;
  mailLink(
    user: { email: string; name: string },
    purpose: 'invitation' | 'password_reset',
    url: string,
  ): Promise<void>;
  /** True when a mail server is set: links are then not shown to whoever asked for them. */
  mailDelivers: boolean;
  /** Roles, tier or status changed: the next request of the account sees it. */
  changed(userId: string): void;
}

/** Who is exported or erased. */
export interface Person {
  tenantId: string;
  userId: string;
  type: 'person' | 'service';
}

/** A feature that keeps content of people registers how to hand it out and how to erase it. */
export interface PersonalData {
  /** Key in the export: `conversations`, `documents`. */
  name: string;
  /** JSON of everything of the person, as the API would show it. */
  exportData(person: Person): Promise<unknown>;
  /** Erases it for good; returns how many records went. */
  eraseData(person: Person): Promise<number>;
  /** Ends what is going on for the person, which would else write on after the erasure. */
  settle?(person: Person): Promise<void>;
  /** Ids of what `eraseData` is about to erase: others may hold copies of what it says. */
  recordIds?(person: Person): Promise<string[]>;
}

/** A feature that sends on to others what records of a person say. */
export interface CopyHolder {
  /** Name of the copies in what the erasure answers: `webhook_deliveries`. */
  name: string;
  /** Erases what others were sent of these records; how many. */
  erase(person: Person, recordIds: ReadonlySet<string>): Promise<number>;
}
