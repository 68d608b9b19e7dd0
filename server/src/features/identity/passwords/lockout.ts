import { hash } from 'node:crypto';
import type { Db } from '../../../db/db.ts';
import { addressGroup } from '../../../kernel/address.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { AppError } from '../../../kernel/errors.ts';
import { attemptsLeft, failuresInWindow, lockedForS, MAX_FAILURES } from './rules.ts';
import { clearFailures, lockAccount, readFailures, writeFailures } from './store.ts';

/** Keeps guesses below the limit, those that run at the same time included. */
export interface Lockout {
  /**
   * Runs `check` (null = wrong password) as one counted attempt at the account of an e-mail from an address. Throws
   * RATE_LIMITED without running it while either is locked. Accounts that do not exist are counted alike.
   */
  attempt<T>(
    who: { email: string; address: string | null },
    check: () => Promise<T | null>,
  ): Promise<T | null>;
}

interface Counter {
  attempt<T>(key: string, check: () => Promise<T | null>): Promise<T | null>;
}

interface CounterOptions {
  db: Db;
  clock: Clock;
  max: number;
  /** A right password clears the failures before it. */
  clears: boolean;
  refusal: string;
}

const createCounter = (options: CounterOptions): Counter => {
  const { db, clock, max } = options;
  /** Attempts being checked by account, and those that wait because they could pass the limit. */
  const running = new Map<string, { count: number; waiting: (() => void)[] }>();

  const enter = async (account: string): Promise<void> => {
    for (;;) {
      const times = await readFailures(db.read, account);
      const retryAfterS = lockedForS(times, clock.now(), max);
      if (retryAfterS > 0) {
        throw refusal(retryAfterS);
      }
      const state = running.get(account) ?? { count: 0, waiting: [] };
      running.set(account, state);
      if (state.count < attemptsLeft(times, clock.now(), max)) {
        state.count += 1;
        return;
      }
      await new Promise<void>((next) => state.waiting.push(next));
    }
  };

  const leave = (account: string): void => {
    const state = running.get(account);
    if (state === undefined) return;
    state.count -= 1;
    for (const next of state.waiting.splice(0)) next();
    if (state.count === 0) running.delete(account);
  };

  const refusal = (retryAfterS: number): AppError =>
    new AppError('RATE_LIMITED', options.refusal, { retryAfterS });

  /** Counts an attempt as failed, after those that other nodes count; its time. Throws RATE_LIMITED above the limit. */
  const count = (account: string): Promise<number> =>
    db.write(async (tx) => {
      await lockAccount(tx, account);
      const now = clock.now();
      const all = await readFailures(tx, account);
      const retryAfterS = lockedForS(all, now, max);
      if (retryAfterS > 0) throw refusal(retryAfterS);
      await writeFailures(tx, account, [...failuresInWindow(all, now, max), now], now);
      return now;
    });

  const uncount = (account: string, at: number): Promise<void> =>
    db.write(async (tx) => {
      await lockAccount(tx, account);
      const times = [...(await readFailures(tx, account))];
      const place = times.indexOf(at);
      if (place >= 0) times.splice(place, 1);
      await writeFailures(tx, account, times, clock.now());
    });

  return {
    async attempt(key, check) {
      const account = hash('sha256', key, 'base64url');
      await enter(account);
      try {
        // Others check guesses at the same time: there each counts from its beginning.
        const counted = db.oneWriter ? null : await count(account);
        const result = await check().catch(async (error: unknown) => {
          if (counted !== null) await uncount(account, counted);
          throw error;
        });
        if (result !== null && !options.clears) {
          if (counted !== null) await uncount(account, counted);
        } else if (result !== null) {
          const before = await readFailures(db.read, account);
          if (before.length > 0) await db.write((tx) => clearFailures(tx, account));
        } else if (counted === null) {
          await db.write(async (tx) => {
            const now = clock.now();
            const times = failuresInWindow(await readFailures(tx, account), now, max);
            await writeFailures(tx, account, [...times, now], now);
          });
        }
        return result;
      } finally {
        leave(account);
      }
    },
  };
};

export interface LockoutOptions {
  db: Db;
  clock: Clock;
  enabled: boolean;
  /** Failures of one address in the window, over all accounts. */
  maxOfAddress: number;
}

/** One for every endpoint that takes a password. */
export const createLockout = (options: LockoutOptions): Lockout => {
  const { db, clock } = options;
  const accounts = createCounter({
    db,
    clock,
    max: MAX_FAILURES,
    clears: true,
    refusal: 'too many failed sign-ins on this account; try again later',
  });
  // Who knows one password must not clear what was guessed at others.
  const addresses = createCounter({
    db,
    clock,
    max: options.maxOfAddress,
    clears: false,
    refusal: 'too many failed sign-ins from this address; try again later',
  });
  return {
    attempt(who, check) {
      if (!options.enabled) return check();
      const ofAccount = () => accounts.attempt(who.email, check);
      return who.address === null
        ? ofAccount()
        : addresses.attempt(`address:${addressGroup(who.address)}`, ofAccount);
    },
  };
};
