import type { Queryable } from '../db/db.ts';

/**
 * Background work. A job is enqueued inside the transaction of the change that asks for it and runs at least once.
 *
 *   queued → running → (deleted: done)
 *            running → queued   it failed, or its holder went silent, and attempts are left
 *            running → dead     the last attempt failed, or the failure was permanent
 *
 * Two engines: a table claimed by UPDATE … RETURNING on SQLite, pg-boss on PostgreSQL.
 */
export interface JobKind<P> {
  /** `webhook.deliver` */
  name: string;
  /** The newest `v` of its payloads that this release reads. What is newer is left to nodes of a newer release. */
  version: number;
  /**
   * Reads a stored payload, those of the last release included (payloads carry a version `v`). Throws for one that no
   * release wrote: such a job is dead at once.
   */
  parse(stored: unknown): P;
  /** Waits before the second, third, … attempt; their number settles how often a job is tried. */
  retryDelaysMs: readonly number[];
  /** Whose rows its work may touch (db/scope.ts); null: those of all tenants, as of payloads of before they named one. */
  tenantOf(payload: P): string | null;
  /** Silence after which another worker may take a running job. The engines renew it while the handler runs. */
  leaseMs: number;
}

/** `tenant_id` of a stored payload, which those of older releases lack. */
export const tenantIn = (stored: object): string | null =>
  'tenant_id' in stored && typeof stored.tenant_id === 'string' ? stored.tenant_id : null;

export interface EnqueueOptions {
  /** Epoch ms; default: now. */
  runAt?: number;
  /** Higher goes first; default 0. */
  priority?: number;
  /** Jobs of one group share the kind's `perGroup` cap. */
  group?: string;
}

export interface JobContext {
  jobId: string;
  /** From 1. */
  attempt: number;
  /** Whether a failure now is the last one. */
  lastAttempt: boolean;
  /** Aborted when the process stops or the lease is lost: the handler must leave off. */
  signal: AbortSignal;
}

export interface JobHandler<P> {
  run(payload: P, context: JobContext): Promise<void>;
  /** After the last attempt, before the job is a dead letter: again, where the process dies in between. */
  dead?(payload: P, error: Error): Promise<void>;
}

export interface WorkOptions {
  /** Jobs of this kind at once in this process. */
  concurrency: number;
  /** Jobs of one group at once over all processes. */
  perGroup?: number;
}

export interface JobDepth {
  queued: number;
  running: number;
  dead: number;
}

/** What waits of one kind. */
export interface WaitingJobs {
  kind: string;
  queued: number;
  /** How long the longest due one has waited; 0 where none is due. */
  oldestMs: number;
}

export interface Jobs {
  /** Adds a job as part of `tx`: it is there if and only if the transaction commits. */
  enqueue<P>(tx: Queryable, kind: JobKind<P>, payload: P, options?: EnqueueOptions): Promise<void>;
  /** Says who does the work of a kind; before `start`. */
  work<P>(kind: JobKind<P>, options: WorkOptions, handler: JobHandler<P>): void;
  start(): Promise<void>;
  /** Takes nothing new, gives running handlers `graceMs`, then aborts them; what is not finished is done again later. */
  stop(graceMs: number): Promise<void>;
  depth(): Promise<JobDepth>;
  /** Of every kind that has a worker here. */
  waiting(): Promise<WaitingJobs[]>;
}

/** A failure that no further attempt can mend: the job is dead at once. */
export class PermanentJobError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'PermanentJobError';
  }
}

/**
 * A payload of a later release: during a roll another node reads it, so it goes back to the queue and counts as no attempt.
 * Where there is one process only nobody would ever read it, and it is dead as what no release wrote.
 */
export class NewerPayload extends PermanentJobError {
  constructor(version: number) {
    super(`the payload has version ${version}, which a later release has written`);
    this.name = 'NewerPayload';
  }
}

/** A failure whose next attempt has a time of its own (a `Retry-After`, say). */
export class RetryLater extends Error {
  readonly delayMs: number;
  constructor(message: string, delayMs: number) {
    super(message);
    this.name = 'RetryLater';
    this.delayMs = delayMs;
  }
}
