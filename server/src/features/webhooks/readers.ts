import type { Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type EventNeeds, mayReceive } from '../../kernel/may-receive.ts';
import {
  type ActorFor,
  type ActorGone,
  credentialOf,
  narrowedTo,
  readCredential,
  type StoredCredential,
} from '../../kernel/stored-credential.ts';
import type { WebhookDeliveryRow, WebhookRow } from './store.ts';

/** Whose rights bound what a webhook is told: all of them, its maker and whoever has changed what it sends where. */
export interface Reader {
  user_id: string;
  credential: StoredCredential | null;
}

export type ReadBy = Pick<WebhookRow, 'tenant_id' | 'created_by' | 'credential' | 'readers'>;

/** Never nobody: what no reader bounds would be told of everything. */
export const readersOf = (row: ReadBy): Reader[] => {
  const listed = row.readers === null ? [] : (JSON.parse(row.readers) as Reader[]);
  return listed.length > 0
    ? listed
    : [{ user_id: row.created_by, credential: readCredential(row.credential) }];
};

const changed = (made: StoredCredential | null, caller: Caller): StoredCredential =>
  made === null ? credentialOf(caller) : narrowedTo(made, caller);

/** What the row keeps; `credential` beside it is for nodes of the release before, which know the maker alone. */
const kept = (row: ReadBy, readers: readonly Reader[]): Pick<WebhookRow, 'credential' | 'readers'> => {
  const maker = readers.find((one) => one.user_id === row.created_by);
  const alone = readers.length === 1 && maker !== undefined;
  const credential = maker?.credential ?? null;
  return {
    credential: credential === null ? row.credential : JSON.stringify(credential),
    readers: alone ? null : JSON.stringify(readers),
  };
};

/** After a change of what is sent where: the caller's rights bound it too. */
export const readersAfter = (row: ReadBy, caller: Caller): Pick<WebhookRow, 'credential' | 'readers'> => {
  const readers = readersOf(row);
  const known = readers.some((one) => one.user_id === caller.userId);
  return kept(row, [
    ...readers.map((one) =>
      one.user_id === caller.userId ? { ...one, credential: changed(one.credential, caller) } : one,
    ),
    ...(known ? [] : [{ user_id: caller.userId, credential: credentialOf(caller) }]),
  ]);
};

/** Who switches on a webhook that has lost a reader stands in for that one, with what both could. */
const inPlaceOf = (lost: StoredCredential | null, caller: Caller): StoredCredential => {
  const { kind, keyId } = credentialOf(caller);
  return { ...changed(lost, caller), kind, keyId };
};

export interface Readings {
  /** Why one of the readers cannot act any more; null while all can. */
  gone(tx: Queryable, row: ReadBy): Promise<ActorGone | null>;
  /** Whether all readers may read a record, or why one of them cannot act. */
  verdict(tx: Queryable, row: ReadBy, needs: EventNeeds): Promise<'may' | 'may_not' | ActorGone>;
  /** The readers after a caller has switched it on: in place of those that are gone, the caller. */
  takenOver(
    tx: Queryable,
    row: ReadBy,
    caller: Caller,
  ): Promise<Pick<WebhookRow, 'credential' | 'readers'> | null>;
}

/** A deleted key or an ended account says more than a suspended tenant, which comes back as it was. */
const worse = (one: ActorGone | null, other: ActorGone): ActorGone =>
  one === null || one === 'tenant_suspended' ? other : one;

export const createReadings = (actorFor: ActorFor<Queryable>): Readings => {
  const actors = async (tx: Queryable, row: ReadBy): Promise<(Caller | ActorGone)[]> => {
    const found: (Caller | ActorGone)[] = [];
    for (const { user_id, credential } of readersOf(row)) {
      found.push(await actorFor(row.tenant_id, user_id, credential, tx));
    }
    return found;
  };
  return {
    async gone(tx, row) {
      let gone: ActorGone | null = null;
      for (const actor of await actors(tx, row)) if (typeof actor === 'string') gone = worse(gone, actor);
      return gone;
    },
    async verdict(tx, row, needs) {
      let gone: ActorGone | null = null;
      let all = true;
      for (const actor of await actors(tx, row)) {
        if (typeof actor === 'string') gone = worse(gone, actor);
        else all &&= mayReceive(actor, needs);
      }
      return gone ?? (all ? 'may' : 'may_not');
    },
    async takenOver(tx, row, caller) {
      const readers = readersOf(row);
      const found = await actors(tx, row);
      const lost = readers.filter((_, i) => typeof found[i] === 'string');
      if (lost.length === 0) return null;
      const own = readers.find((one) => one.user_id === caller.userId && !lost.includes(one));
      let credential = own?.credential ?? null;
      for (const one of lost) {
        const stands = inPlaceOf(one.credential, caller);
        credential =
          credential === null
            ? stands
            : {
                ...credential,
                whole: credential.whole && stands.whole,
                permissions: credential.permissions.filter((each) => stands.permissions.includes(each)),
              };
      }
      const others = readers.filter((one) => one !== own && !lost.includes(one));
      return kept(row, [...others, { user_id: caller.userId, credential }]);
    },
  };
};

/** By the event's type, for deliveries of earlier releases, which do not say it. */
const EARLIER: Readonly<Record<string, string>> = {
  'conversation.completed': 'conversations:read',
  'message.created': 'conversations:read',
  'proposal.created': 'governance:read',
  'proposal.decided': 'governance:read',
  'task.completed': 'tasks:read',
  'task.failed': 'tasks:read',
  'document.indexed': 'knowledge:read',
  'document.failed': 'knowledge:read',
  'cost.alert': 'costs:read',
  'cost.limit_reached': 'costs:read',
  'agent.state_changed': 'agents:read',
  'user.created': 'users:read',
  notification: 'notifications:read',
  'webhook.test': 'webhooks:read',
};

/**
 * What a stored delivery asks of its readers. Of one of an earlier release the owner is not known: it is for those who read the
 * whole tenant.
 */
export const needsOf = (
  row: Pick<WebhookDeliveryRow, 'tenant_id' | 'event' | 'permission' | 'reach' | 'owner'>,
): EventNeeds =>
  row.permission === null
    ? { tenantId: row.tenant_id, userId: null, reach: 'own', permission: EARLIER[row.event] ?? '' }
    : {
        tenantId: row.tenant_id,
        userId: row.owner,
        reach: row.reach === 'tenant' ? 'tenant' : 'own',
        permission: row.permission,
      };
