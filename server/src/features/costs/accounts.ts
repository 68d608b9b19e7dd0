import type { Queryable, Tx } from '../../db/db.ts';
import type { CostCounterRow } from '../../db/tables/costs.ts';
import { together } from '../../db/together.ts';
import type { Clock } from '../../kernel/clock.ts';
import { iso } from '../../kernel/clock.ts';
import { AppError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { nanoToUsd, sumNano } from '../../kernel/money.ts';
import {
  book as bookCounters,
  counterIds,
  deleteHold,
  insertHold,
  insertLedger,
  MAX_COUNTERS,
  reservedByRun,
  reserveOn,
} from './hot.store.ts';
import { ANY_RUN, leastRoom, roomOf } from './rules.ts';
import { createSubjectCounters, type SubjectCountersOptions } from './subject-counters.ts';
import type { Hold, HoldRequest, LedgerEntry } from './types.ts';

/**
 * Reserve → call → settle. Every function runs inside the caller's write transaction, so that a run's messages and its
 * money stand or fall together. The states of a hold: none → open (row in cost_holds, amount in `reserved` of its
 * counters) → gone (settled, released, or freed by recovery). Only who deletes the row moves the amount, so each ends once.
 */
export interface CostAccountsOptions extends SubjectCountersOptions {
  clock: Clock;
  /** Names this process in its holds. */
  nodeId: string;
  /** More has been spent on these counters; called after the commit. */
  onSpent(counterIds: readonly string[]): void;
  /** A call was refused for want of room on this counter. */
  onRefused(counterId: string, limitNano: number | null): void;
  /** A call has gone into the ledger; called after the commit. */
  onBooked?: ((entry: LedgerEntry) => void) | undefined;
}

const NO_COUNTERS: readonly string[] = [];

const exceeded = (message: string, details: Record<string, unknown>): AppError =>
  new AppError('COST_EXCEEDED', message, { details });

const exceededCounter = (row: CostCounterRow): AppError =>
  exceeded(`the ${row.scope}'s cost limit of this ${row.period} leaves no room for this request`, {
    scope: row.scope,
    subject: row.subject,
    period: row.period,
    limit_usd: nanoToUsd(row.limit_nano ?? 0),
    used_usd: nanoToUsd(row.used_nano),
    reserved_usd: nanoToUsd(row.reserved_nano),
    resets_at: iso(row.ends_at),
  });

const exceededRun = (limit: number, used: number, reserved: number): AppError =>
  exceeded('the cost limit of one run leaves no room for this request', {
    scope: 'run',
    subject: ANY_RUN,
    period: 'run',
    limit_usd: nanoToUsd(limit),
    used_usd: nanoToUsd(used),
    reserved_usd: nanoToUsd(reserved),
    resets_at: null,
  });

/** The counter with the least room among those that lack `amount`. */
const counterWithout = (counters: readonly CostCounterRow[], amount: number): CostCounterRow | null => {
  let tightest: CostCounterRow | null = null;
  let least = amount;
  for (const row of counters) {
    const room = roomOf({
      limitNano: row.limit_nano,
      usedNano: row.used_nano,
      reservedNano: row.reserved_nano,
    });
    if (room === null || room >= least) continue;
    tightest = row;
    least = room;
  }
  return tightest;
};

const takeBack = (tx: Queryable, ids: readonly string[], amount: number): Promise<number> =>
  bookCounters(ids)(tx, { ...counterIds(ids), released: amount, spent: 0 });

export const createCostAccounts = (options: CostAccountsOptions) => {
  const { clock, dialect } = options;
  const { bookOf, idsOf, lock, read } = createSubjectCounters(options);
  const runLimitOf = (counters: readonly CostCounterRow[]): number | null =>
    counters.find((row) => row.run_limit_nano !== null)?.run_limit_nano ?? null;

  const empty = (request: HoldRequest, now: number): Hold => ({
    id: null,
    kind: request.kind,
    tenantId: request.tenantId,
    userId: request.userId,
    agentId: request.agentId,
    conversationId: request.conversationId,
    runId: request.runId,
    requestId: request.requestId,
    amountNano: 0,
    counters: NO_COUNTERS,
    createdAt: now,
  });

  /** The statements of a hold; null, with nothing changed, where a counter is missing or has no room. */
  const tryHold = async (
    tx: Queryable,
    request: HoldRequest,
    ids: readonly string[],
    amount: number,
    now: number,
  ): Promise<Hold | null> => {
    const id = newId();
    const [reserved, made] = await together(
      reserveOn(dialect, ids)(tx, { ...counterIds(ids), amount }),
      insertHold(tx, {
        id,
        tenant: request.tenantId,
        user: request.userId,
        agent: request.agentId,
        run: request.runId,
        node: options.nodeId,
        amount,
        runAmount: request.kind === 'tool' || request.runId === null ? 0 : amount,
        runUsed: request.runUsedNano,
        dayCounter: ids[0] ?? '',
        counters: ids.join('\n'),
        at: now,
      }),
    );
    if (reserved < ids.length || made === 0) {
      if (made > 0) await deleteHold(tx, { id });
      if (reserved > 0) await takeBack(tx, ids, amount);
      return null;
    }
    return { ...empty(request, now), id, amountNano: amount, counters: ids };
  };

  /** What may still be reserved for this subject, null without any limit; and who refuses when it is too little. */
  const measure = async (
    tx: Queryable,
    request: Omit<HoldRequest, 'worstNano' | 'leastNano'>,
    now: number,
  ) => {
    const counters = await read(tx, await bookOf(tx, request.tenantId, now), request, now);
    const runLimit = request.kind === 'tool' || request.runId === null ? null : runLimitOf(counters);
    const runReserved =
      runLimit === null || request.runId === null ? 0 : await reservedByRun(tx, request.runId);
    const room = leastRoom([
      ...counters.map((row) =>
        roomOf({ limitNano: row.limit_nano, usedNano: row.used_nano, reservedNano: row.reserved_nano }),
      ),
      roomOf({ limitNano: runLimit, usedNano: request.runUsedNano, reservedNano: runReserved }),
    ]);
    const refuse = (amount: number): AppError => {
      const refused = counterWithout(counters, amount);
      if (refused !== null) {
        options.onRefused(refused.id, refused.limit_nano);
        return exceededCounter(refused);
      }
      return exceededRun(runLimit ?? 0, request.runUsedNano, runReserved);
    };
    return { ids: counters.map((row) => row.id), room, refuse };
  };

  /** The way of a hold that did not fit at once: counters are made, or the amount is lowered, or it is refused. */
  const holdSlowly = async (tx: Queryable, request: HoldRequest, now: number): Promise<Hold> => {
    const { ids, room, refuse } = await measure(tx, request, now);
    const least = Math.max(1, request.leastNano ?? request.worstNano);
    const amount = room === null ? request.worstNano : Math.min(room, request.worstNano);
    if (amount < least) throw refuse(least);
    const hold = await tryHold(tx, request, ids, amount, now);
    // The counters have been locked since they were read, so this is a fault of ours and no want of money.
    if (hold === null) throw new Error(`a hold of ${amount} did not fit into the room that was measured`);
    return hold;
  };

  const bookAll = async (tx: Tx, ids: readonly string[], released: number, spent: number): Promise<void> => {
    const parts: (readonly string[])[] = [];
    for (let from = 0; from < ids.length; from += MAX_COUNTERS) {
      parts.push(ids.length <= MAX_COUNTERS ? ids : ids.slice(from, from + MAX_COUNTERS));
    }
    await together(
      lock(tx, ids),
      ...parts.map((part) => bookCounters(part)(tx, { ...counterIds(part), released, spent })),
    );
    if (spent > 0) tx.afterCommit(() => options.onSpent(ids));
  };

  const writeLedger = (tx: Queryable, hold: Hold, entry: LedgerEntry, beyond: boolean): Promise<unknown> => {
    const { usage } = entry;
    return insertLedger(tx, {
      id: newId(),
      tenant: hold.tenantId,
      user: hold.userId,
      kind: entry.kind,
      agent: hold.agentId,
      model: entry.model,
      tool: entry.tool,
      conversation: hold.conversationId,
      run: hold.runId,
      request: hold.requestId,
      input: usage?.inputTokens ?? 0,
      output: usage?.outputTokens ?? 0,
      cached: usage?.cachedInputTokens ?? 0,
      cacheWrite: usage?.cacheWriteTokens ?? 0,
      reasoning: usage?.reasoningTokens ?? 0,
      cost: entry.costNanoUsd,
      reported: usage?.reportedNanoUsd ?? null,
      estimated: entry.estimated ? 1 : 0,
      beyond: beyond && entry.costNanoUsd > 0 ? 1 : 0,
      at: hold.createdAt,
    });
  };

  /** Ends the row of the hold; what it carried, or null where recovery has been here before. */
  const endHold = async (tx: Queryable, id: string): Promise<{ ids: string[]; amount: number } | null> => {
    const [row] = await deleteHold(tx, { id });
    return row === undefined ? null : { ids: row.counters.split('\n'), amount: row.amount_nano };
  };

  const settle = async (tx: Tx, hold: Hold, entries: readonly LedgerEntry[]): Promise<void> => {
    const [only] = entries;
    const spent =
      entries.length === 1 && only !== undefined
        ? only.costNanoUsd
        : sumNano(entries.map((e) => e.costNanoUsd));
    if (!Number.isSafeInteger(spent) || spent < 0) throw new RangeError(`not an amount to settle: ${spent}`);
    const beyond = hold.id !== null && spent > hold.amountNano;
    const ledger = () => entries.map((entry) => writeLedger(tx, hold, entry, beyond));
    if (hold.id !== null) {
      const ended = await endHold(tx, hold.id);
      await together(bookAll(tx, ended?.ids ?? hold.counters, ended?.amount ?? 0, spent), ...ledger());
    } else if (spent > 0) {
      const book = await bookOf(tx, hold.tenantId, hold.createdAt);
      const counters = await read(tx, book, hold, hold.createdAt);
      const ids = counters.map((row) => row.id);
      await together(bookAll(tx, ids, 0, spent), ...ledger());
    } else await together(...ledger());
    tx.afterCommit(() => {
      for (const entry of entries) options.onBooked?.(entry);
    });
  };

  return {
    /**
     * Sets aside the worst case of one call against every limit that applies, or throws COST_EXCEEDED with nothing
     * changed (so the transaction may go on). A worst case of 0 is always allowed and writes nothing.
     */
    async hold(tx: Queryable, request: HoldRequest): Promise<Hold> {
      const now = clock.now();
      if (request.worstNano === 0) return empty(request, now);
      if (!Number.isSafeInteger(request.worstNano) || request.worstNano < 0) {
        throw new RangeError(`not an amount to hold: ${request.worstNano}`);
      }
      const ids = idsOf(await bookOf(tx, request.tenantId, now), request);
      const hold = await tryHold(tx, request, ids, request.worstNano, now);
      return hold ?? holdSlowly(tx, request, now);
    },

    /**
     * Ends a hold with what was really spent: releases the reservation, adds to what is used, writes the ledger rows.
     * Settling again only adds its entries; the reservation goes once.
     */
    settle,

    /** Ends a hold of a call that was never made. */
    release: (tx: Tx, hold: Hold): Promise<void> => settle(tx, hold, []),

    /** Nano-dollars that a call of this subject may still reserve; null = unlimited. A snapshot, unless held. */
    async room(tx: Queryable, request: Omit<HoldRequest, 'worstNano' | 'leastNano'>): Promise<number | null> {
      return (await measure(tx, request, clock.now())).room;
    },

    /** Frees a hold whose process is gone. */
    async free(tx: Tx, holdId: string): Promise<boolean> {
      const ended = await endHold(tx, holdId);
      if (ended !== null) await bookAll(tx, ended.ids, ended.amount, 0);
      return ended !== null;
    },
  };
};
