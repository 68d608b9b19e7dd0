import type { FastifyBaseLogger } from 'fastify';
import type { AppError } from '../../kernel/errors.ts';
import type { Metrics } from '../system/index.ts';
import type { RunReport } from './run-report.rules.ts';

/** Why an answer does not have its form may hold names that stand in the answer. */
const reasonOf = ({ details, message }: AppError): string =>
  details.reason === undefined ? message : 'the answer does not have the form that was asked for';

/** Each run's end is counted; each failure is a line of the log that names its run and its request, and nothing that was said. */
export const countAndLog =
  (metrics: Pick<Metrics, 'run'>, logger: Pick<FastifyBaseLogger, 'error' | 'warn'>) =>
  (end: RunReport): void => {
    metrics.run(end);
    const { error, outcome } = end;
    if (error === null || outcome === 'cost_exceeded') return;
    const line = {
      run_id: end.runId,
      request_id: end.requestId,
      agent: end.agentId,
      model: end.model,
      outcome,
      code: error.code,
      // Of other kinds the words may be a person's own.
      ...(outcome === 'model_failed' || outcome === 'interrupted' ? { reason: reasonOf(error) } : {}),
    };
    if (outcome === 'failed') logger.error({ ...line, err: error.cause ?? error }, 'run failed');
    else logger.warn(line, 'run failed');
  };
