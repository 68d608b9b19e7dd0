import { within } from '../db/scope.ts';
import { withLogFields } from '../kernel/log-fields.ts';
import { presentTrace, traced } from '../kernel/tracing.ts';
import {
  type JobContext,
  type JobHandler,
  type JobKind,
  NewerPayload,
  PermanentJobError,
  RetryLater,
  type WorkOptions,
} from './port.ts';
import { afterFailure, errorText, type FailureOutcome, isLastAttempt } from './rules.ts';

/** A kind with its handler, its payload type closed over so that engines treat all alike. */
export interface Worker {
  kind: Pick<JobKind<unknown>, 'name' | 'retryDelaysMs' | 'leaseMs'>;
  options: WorkOptions;
  run(stored: unknown, context: JobContext): Promise<void>;
  dead(stored: unknown, error: Error): Promise<void>;
}

/** The payload with the trace of who asks for it, where there is one and it names none. */
export const withTrace = (payload: unknown): unknown => {
  const traceparent = presentTrace();
  return traceparent === null || typeof payload !== 'object' || payload === null || Array.isArray(payload)
    ? payload
    : { traceparent, ...payload };
};

const traceIn = (stored: unknown): string | null =>
  typeof stored === 'object' &&
  stored !== null &&
  'traceparent' in stored &&
  typeof stored.traceparent === 'string'
    ? stored.traceparent
    : null;

const versionIn = (stored: unknown): number =>
  typeof stored === 'object' && stored !== null && 'v' in stored && typeof stored.v === 'number'
    ? stored.v
    : 0;

export const workerOf = <P>(kind: JobKind<P>, options: WorkOptions, handler: JobHandler<P>): Worker => {
  const parse = (stored: unknown): P => {
    try {
      return kind.parse(stored);
    } catch (error) {
      const version = versionIn(stored);
      if (version > kind.version) throw new NewerPayload(version);
      throw new PermanentJobError('the stored payload cannot be read', { cause: error });
    }
  };
  return {
    kind,
    options,
    run: async (stored, context) => {
      const payload = parse(stored);
      const tenantId = kind.tenantOf(payload);
      const fields = { job: kind.name, ...(tenantId === null ? {} : { tenant_id: tenantId }) };
      const asked = traceIn(stored);
      await traced(
        `job ${kind.name}`,
        {
          kind: 'consumer',
          // Long after who asked for it: a trace of its own, that leads back.
          parent: 'root',
          links: asked === null ? [] : [asked],
          attributes: {
            'pentarch.job.kind': kind.name,
            'pentarch.job.id': context.jobId,
            'pentarch.job.attempt': context.attempt,
            'pentarch.tenant.id': tenantId,
          },
        },
        () => within(tenantId, () => withLogFields(fields, () => handler.run(payload, context))),
      );
    },
    dead: async (stored, error) => {
      if (handler.dead === undefined) return;
      let payload: P;
      try {
        payload = kind.parse(stored);
      } catch {
        // Nobody can tell what it was about: the dead letter itself has to do.
        return;
      }
      const { dead } = handler;
      await within(kind.tenantOf(payload), () => dead(payload, error));
    },
  };
};

export const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(errorText(error));

/** What follows a failed attempt of a worker's job. */
export const outcomeOf = (worker: Worker, attempt: number, error: unknown): FailureOutcome =>
  afterFailure(attempt, worker.kind.retryDelaysMs, {
    permanent: error instanceof PermanentJobError,
    askedDelayMs: error instanceof RetryLater ? error.delayMs : null,
  });

export const contextOf = (
  worker: Worker,
  jobId: string,
  attempt: number,
  signal: AbortSignal,
): JobContext => ({ jobId, attempt, lastAttempt: isLastAttempt(attempt, worker.kind.retryDelaysMs), signal });
