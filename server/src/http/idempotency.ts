import { createHash } from 'node:crypto';
import type { Queryable } from '../db/db.ts';
import { isStoreUnavailable } from '../db/faults.ts';
import type { Caller } from '../kernel/caller.ts';
import type { Clock } from '../kernel/clock.ts';
import { AppError, conflict, invalid } from '../kernel/errors.ts';
import { createLater, type Later } from './idempotency.later.ts';

/**
 * `Idempotency-Key` (contract, section 1): the same caller, key and body within 24 h get the stored first answer. Only
 * 2xx answers are stored; while the first request runs, the same key is a conflict.
 */
export interface StoredAnswer {
  status: number;
  headers: Record<string, string>;
  /** The body as it went out; for streams the name of the run. */
  body: string;
}

export type ClaimResult =
  | { outcome: 'claimed' }
  | { outcome: 'mismatch' }
  /** `runId`: what `bind` has noted of the request that has the key. */
  | { outcome: 'running'; runId: string | null }
  | { outcome: 'done'; answer: StoredAnswer };

/** Storage of keys, made in `idempotency.store.ts`. `claim` is atomic over all nodes. */
export interface IdempotencyStore {
  claim(callerId: string, key: string, fingerprint: string, now: number): Promise<ClaimResult>;
  /** Notes in the transaction that accepts a request which run it has become: so it is found again after a crash. */
  bind(tx: Queryable, callerId: string, key: string, runId: string): Promise<void>;
  /** Never the key of another request that has taken it since (`claimedAt`): its own may be gone with what it had made. */
  finish(callerId: string, key: string, answer: StoredAnswer, claimedAt?: number): Promise<void>;
  /**
   * Frees the key of a request that is bound to this run, or to none: never that of one that has taken it since (`claimedAt`
   * tells two that are bound to none apart).
   */
  release(callerId: string, key: string, runId: string | null, claimedAt?: number): Promise<void>;
  /**
   * Frees keys of requests that died with their node; with `fresh` also those of this node's last process. Those that had
   * become a run keep theirs: the run tells the outcome.
   */
  releaseDead(fresh: boolean): Promise<void>;
  /** Frees keys of requests that died with an earlier process, and drops the expired ones. */
  sweep(now: number): Promise<void>;
}

export const IDEMPOTENCY_TTL_MS = 24 * 3_600_000;

/**
 * Whose keys these are: those of an API key or token are its own; those of sign-ins belong to the account with the rights that
 * they bring, so that a client which has to sign in anew does not do its work twice.
 */
export const replayOwner = (caller: Pick<Caller, 'userId' | 'credential' | 'tokenId' | 'added'>): string => {
  if (caller.credential !== 'jwt') return `${caller.userId}/${caller.tokenId}`;
  const added = [...(caller.added ?? [])].sort();
  return added.length === 0 ? caller.userId : `${caller.userId}+${added.join('+')}`;
};

/** The value of the header, checked; null where none was sent. */
export const idempotencyKey = (header: string | string[] | undefined): string | null => {
  if (header === undefined) return null;
  const key = Array.isArray(header) ? header.join(',') : header;
  if (key.length < 1 || key.length > 255) {
    throw invalid({ field: '/Idempotency-Key', reason: 'must have 1 to 255 characters' });
  }
  return key;
};

export const fingerprintOf = (method: string, path: string, body: unknown): string =>
  createHash('sha256')
    .update(`${method} ${path}\n${typeof body === 'string' ? body : JSON.stringify(body ?? null)}`)
    .digest('base64url');

/** Binds a key to the run that its request has become, in the transaction that stores the run. */
export type BindRun = (tx: Queryable, runId: string) => Promise<void>;

interface Done<T> {
  send(): T;
  answer: StoredAnswer | null;
}

/** A key that a request has taken. */
interface Claimed {
  callerId: string;
  key: string;
  claimedAt: number;
}

/** What a bound run has come to: null while it goes on. A failure is told once and frees the key, as a live one does. */
export type Outcome<T> = Done<T> | { failed: AppError } | null;

export interface Idempotency {
  /**
   * Runs `work` once for the key; its answer is stored before `send` lets it go out, so that who has the answer and asks
   * again gets it again, whatever happens to the process. `replay` is called with the stored answer of an earlier run;
   * throws CONFLICT while one is running and VALIDATION_ERROR for another body under the same key.
   *
   * Work that becomes a run hands `bind` to the transaction that stores it. When the request itself is lost with its process
   * or its node, `outcome` says what that run has come to, and it is not begun a second time.
   */
  once<T>(
    claim: { callerId: string; key: string; fingerprint: string },
    work: (bind: BindRun) => Promise<Done<T>>,
    replay: (answer: StoredAnswer) => Promise<T> | T,
    outcome?: (runId: string) => Promise<Outcome<T>>,
  ): Promise<T>;
}

export const createIdempotency = (
  store: IdempotencyStore,
  clock: Clock,
  later: Later = createLater(),
): Idempotency => {
  /** After a failure of the request. A run that goes on without it, at another node or after a restart, keeps the key. */
  const free = async (
    { callerId, key, claimedAt }: Claimed,
    boundTo: string | null,
    outcome: (runId: string) => Promise<Outcome<unknown>>,
  ): Promise<void> => {
    if (boundTo === null) return store.release(callerId, key, null, claimedAt);
    const found = await outcome(boundTo).catch((error: unknown) => {
      if (error instanceof AppError) return { failed: error };
      throw error;
    });
    if (found === null || !('failed' in found)) return;
    await store.release(callerId, key, boundTo);
    // The transaction that should have stored the run, and bound the key to it, came to nothing.
    if (found.failed.code === 'NOT_FOUND') await store.release(callerId, key, null, claimedAt);
  };

  return { once };

  async function once<T>(
    { callerId, key, fingerprint }: Parameters<Idempotency['once']>[0],
    work: (bind: BindRun) => Promise<Done<T>>,
    replay: (answer: StoredAnswer) => Promise<T> | T,
    outcome: (runId: string) => Promise<Outcome<T>> = () => Promise.resolve(null),
  ): Promise<T> {
    const claimedAt = clock.now();
    const claim = await store.claim(callerId, key, fingerprint, claimedAt);
    if (claim.outcome === 'mismatch') {
      throw invalid({ field: '/Idempotency-Key', reason: 'was used before with another request' });
    }
    if (claim.outcome === 'done') return replay(claim.answer);
    if (claim.outcome === 'running') {
      const found = claim.runId === null ? null : await outcome(claim.runId);
      if (found === null) throw conflict('a request with this Idempotency-Key is still running');
      if ('failed' in found) {
        await store.release(callerId, key, claim.runId);
        throw found.failed;
      }
      if (found.answer) await store.finish(callerId, key, found.answer);
      return found.send();
    }
    let boundTo: string | null = null;
    const bind: BindRun = async (tx, runId) => {
      await store.bind(tx, callerId, key, runId);
      boundTo = runId;
    };
    let willFinish = false;
    try {
      const { send, answer } = await work(bind);
      // The work stands: done again under a freed key it would be there twice.
      if (answer) {
        await later
          .do(() => store.finish(callerId, key, answer, claimedAt))
          .catch((error: unknown) => {
            willFinish = isStoreUnavailable(error);
            throw error;
          });
      } else await store.release(callerId, key, boundTo, claimedAt);
      return send();
    } catch (error) {
      // What has failed is told, and not that its key could not be freed yet.
      if (!willFinish)
        await later
          .do(() => free({ callerId, key, claimedAt }, boundTo, outcome))
          .catch((fault: unknown) => {
            if (!isStoreUnavailable(fault)) throw fault;
          });
      throw error;
    }
  }
};
