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
 * Refusals in the audit chain without a way to fill the disk by them: the first of equal ones is a row at once, the rest a
 * number when the minute is over. While they go on the next numbers come after 4 minutes, 16 and then every hour, so that a
 * client that asks in vain for ever is some 27 rows a day. Beyond `MAX_KINDS` different ones of a tenant in a minute there
 * is one number for all others.
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
/** In windows: how long equal refusals that go on are counted into one row. */
const LONGEST_COUNT = 60;
const COUNT_GROWS_BY = 4;
const MAX_KINDS = 60;

interface Kind {
  /** The newest of them. */
  refusal: Refusal;
  /** Those that no row tells of yet. */
  untold: number;
  /** In windows: over how many they are counted, and how many of these are left. */
  span: number;
  left: number;
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
  /** Kinds that are new in this window, by tenant. */
  let fresh = new Map<string | null, number>();
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

  /** What is kept of a kind for the next window, after its number is written where its time has come. */
  const goOn = (key: string, kind: Kind, all: boolean): Kind | null => {
    const left = kind.left - 1;
    if (left > 0 && !all) return { ...kind, left };
    if (kind.untold === 0) return null;
    write(kind.refusal, kind.untold, key === OTHERS);
    if (key === OTHERS) return null;
    const span = Math.min(kind.span * COUNT_GROWS_BY, LONGEST_COUNT);
    return { refusal: kind.refusal, untold: 0, span, left: span };
  };

  /** `all`: whatever has been counted is written now. */
  const endWindow = (all: boolean): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const ended = kinds;
    kinds = new Map();
    fresh = new Map();
    endsAt = clock.now() + windowMs;
    for (const [tenantId, ofTenant] of ended) {
      const kept = new Map<string, Kind>();
      for (const [key, kind] of ofTenant) {
        const next = goOn(key, kind, all);
        if (next !== null) kept.set(key, next);
      }
      if (kept.size > 0) kinds.set(tenantId, kept);
    }
    if (kinds.size > 0 && !all) wait();
  };

  const wait = (): void => {
    timer = setTimeout(() => endWindow(false), windowMs);
    timer.unref();
  };

  const flush = async (): Promise<void> => {
    endWindow(true);
    await written;
  };

  return {
    note(refusal) {
      if (clock.now() >= endsAt) endWindow(false);
      if (timer === null) wait();
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
      } else if ((fresh.get(refusal.tenantId) ?? 0) < MAX_KINDS) {
        fresh.set(refusal.tenantId, (fresh.get(refusal.tenantId) ?? 0) + 1);
        ofTenant.set(key, { refusal, untold: 0, span: 1, left: 1 });
        write(refusal, 1, false);
      } else {
        const others = ofTenant.get(OTHERS) ?? { refusal, untold: 0, span: 1, left: 1 };
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
