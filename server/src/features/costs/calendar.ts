import type { Queryable } from '../../db/db.ts';
import { isBudgetTimeZone, periodAround, type Span } from './periods.rules.ts';

/** The running day and month of a tenant, in its time zone. */
export interface TenantCalendar {
  zone: string;
  day: Span;
  month: Span;
  /** Epoch ms after which it is read again. */
  staleAt: number;
}

/** How long another node's change of a tenant's time zone may go unseen. */
const CALENDAR_TTL_MS = 30_000;

/** Keeps calendars, so that the hot path neither reads settings nor computes with dates. */
export const createCalendars = (timeZoneOf: (db: Queryable, tenantId: string) => Promise<string>) => {
  const known = new Map<string, TenantCalendar>();

  const load = async (db: Queryable, tenantId: string, now: number): Promise<TenantCalendar> => {
    const wanted = await timeZoneOf(db, tenantId);
    const zone = isBudgetTimeZone(wanted) ? wanted : 'UTC';
    const day = periodAround(zone, 'day', now);
    const month = periodAround(zone, 'month', now);
    const calendar = { zone, day, month, staleAt: Math.min(day.end, now + CALENDAR_TTL_MS) };
    known.set(tenantId, calendar);
    return calendar;
  };

  return {
    /** `db` is the caller's transaction or the reader: what is not known is read there. */
    at(db: Queryable, tenantId: string, now: number): TenantCalendar | Promise<TenantCalendar> {
      const calendar = known.get(tenantId);
      const fresh = calendar !== undefined && now < calendar.staleAt && now >= calendar.day.start;
      return fresh ? calendar : load(db, tenantId, now);
    },
    forget: (tenantId: string): void => {
      known.delete(tenantId);
    },
  };
};

export type Calendars = ReturnType<typeof createCalendars>;
