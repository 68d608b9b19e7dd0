import type { Db } from '../../db/db.ts';
import { acrossTenants } from '../../db/scope.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Audit } from './service.ts';

/** A request that was turned away before its work began. */
export interface Refusal {
  /** Null where nobody is known: it stands in the chain of the tenant `default`. */
  tenantId: string | null;
  actorId: string | null;
  actorType: 'user' | 'service';
  address: string | null;
  requestId: string | null;
  /** Method and template of the path, without the request's own values. */
  operation: string;
  status: number;
  /** TOKEN_EXPIRED, FORBIDDEN, …; null where the door says no more than its status. */
  reason: string | null;
  /** The permission that was lacking. */
  required: string | null;
}

/**
 * Refusals in the audit chain without a way to fill the disk by them: equal ones of one minute are two rows at most, the
 * first at once and the rest as a number when the minute is over; beyond `MAX_KINDS` different ones of a tenant in a
 * minute there is one number for all others.
 */
export interface Refusals {
  note(refusal: Refusal): void;
  /** Writes what has been counted, and waits for all that is under way. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export interface RefusalsOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  defaultTenantId(): Promise<string | null>;
  onError(error: unknown): void;
  windowMs?: number;
}

const WINDOW_MS = 60_000;
const MAX_KINDS = 60;

interface Kind {
  /** The newest of them. */
  refusal: Refusal;
  /** Those that no row tells of yet. */
  untold: number;
}

const kindOf = (r: Refusal): string =>
  r.actorId === null
    ? `${r.address} ${r.status} ${r.reason}`
    : `${r.actorId} ${r.operation} ${r.status} ${r.reason} ${r.required}`;

export const createRefusals = (options: RefusalsOptions): Refusals => {
  const { db, clock, audit } = options;
  const windowMs = options.windowMs ?? WINDOW_MS;
  /** By tenant, then by kind. */
  let kinds = new Map<string | null, Map<string, Kind>>();
  let endsAt = 0;
  let timer: NodeJS.Timeout | null = null;
  /** One after the other: the chain has them in their order, and a flood holds one connection. */
  let written: Promise<void> = Promise.resolve();
  let defaultTenant: string | null = null;

  const write = (r: Refusal, count: number, others: boolean): void => {
    const append = async (): Promise<void> => {
      defaultTenant ??= await options.defaultTenantId();
      const tenantId = r.tenantId ?? defaultTenant;
      if (tenantId === null) return;
      await db.write((tx) =>
        audit.append(tx, {
          tenantId,
          actorId: others ? null : r.actorId,
          actorType: others ? 'system' : r.actorType,
          action: 'access.refused',
          outcome: 'refused',
          targetType: 'operation',
          targetId: others ? null : r.operation,
          requestId: others ? null : r.requestId,
          address: others ? null : r.address,
          details: others
            ? { count, others: true }
            : { status: r.status, reason: r.reason, required: r.required, count },
        }),
      );
    };
    // In nobody's scope: those of several tenants are counted together.
    written = written.then(() => acrossTenants(append)).catch(options.onError);
  };

  const endWindow = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const ended = kinds;
    kinds = new Map();
    for (const ofTenant of ended.values()) {
      for (const [key, kind] of ofTenant)
        if (kind.untold > 0) write(kind.refusal, kind.untold, key === OTHERS);
    }
  };

  const flush = async (): Promise<void> => {
    endWindow();
    await written;
  };

  return {
    note(refusal) {
      const now = clock.now();
      if (now >= endsAt) {
        endWindow();
        endsAt = now + windowMs;
      }
      if (timer === null) {
        timer = setTimeout(endWindow, windowMs);
        timer.unref();
      }
      let ofTenant = kinds.get(refusal.tenantId);
      if (ofTenant === undefined) {
        ofTenant = new Map();
        kinds.set(refusal.tenantId, ofTenant);
      }
      const key = kindOf(refusal);
      const known = ofTenant.get(key);
      if (known !== undefined) {
        known.refusal = refusal;
        known.untold += 1;
      } else if (ofTenant.size < MAX_KINDS) {
        ofTenant.set(key, { refusal, untold: 0 });
        write(refusal, 1, false);
      } else {
        const others = ofTenant.get(OTHERS) ?? { refusal, untold: 0 };
        others.untold += 1;
        ofTenant.set(OTHERS, others);
      }
    },
    flush,
    close: flush,
  };
};

/** No kind has this name: those of a known caller begin with an id, the others with an address. */
const OTHERS = 'others';
