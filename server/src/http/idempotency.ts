import { createHash } from 'node:crypto';
import type { Clock } from '../kernel/clock.ts';
import { conflict, invalid } from '../kernel/errors.ts';

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
  | { outcome: 'running' | 'mismatch' }
  | { outcome: 'done'; answer: StoredAnswer };

/** Storage of keys, made in `idempotency.store.ts`. `claim` is atomic over all nodes. */
export interface IdempotencyStore {
  claim(callerId: string, key: string, fingerprint: string, now: number): Promise<ClaimResult>;
  finish(callerId: string, key: string, answer: StoredAnswer): Promise<void>;
  release(callerId: string, key: string): Promise<void>;
  /** Frees keys of requests that died with their node; with `fresh` also those of this node's last process. */
  releaseDead(fresh: boolean): Promise<void>;
  /** Frees keys of requests that died with an earlier process, and drops the expired ones. */
  sweep(now: number): Promise<void>;
}

export const IDEMPOTENCY_TTL_MS = 24 * 3_600_000;

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

export interface Idempotency {
  /**
   * Runs `work` once for the key; its answer is stored before `send` lets it go out, so that who has the answer and asks
   * again gets it again, whatever happens to the process. `replay` is called with the stored answer of an earlier run;
   * throws CONFLICT while one is running and VALIDATION_ERROR for another body under the same key.
   */
  once<T>(
    claim: { callerId: string; key: string; fingerprint: string },
    work: () => Promise<{ send(): T; answer: StoredAnswer | null }>,
    replay: (answer: StoredAnswer) => Promise<T> | T,
  ): Promise<T>;
}

export const createIdempotency = (store: IdempotencyStore, clock: Clock): Idempotency => ({
  async once({ callerId, key, fingerprint }, work, replay) {
    const claim = await store.claim(callerId, key, fingerprint, clock.now());
    if (claim.outcome === 'mismatch') {
      throw invalid({ field: '/Idempotency-Key', reason: 'was used before with another request' });
    }
    if (claim.outcome === 'running') throw conflict('a request with this Idempotency-Key is still running');
    if (claim.outcome === 'done') return replay(claim.answer);
    try {
      const { send, answer } = await work();
      if (answer) await store.finish(callerId, key, answer);
      else await store.release(callerId, key);
      return send();
    } catch (error) {
      await store.release(callerId, key);
      throw error;
    }
  },
});
