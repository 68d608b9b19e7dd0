import type { FastifyBaseLogger } from 'fastify';
import type { Check } from './routes.ts';

/** Tells once which parts do not serve, and once that all do again, however often /ready is asked. */
export const createReadinessLog = (
  logger: Pick<FastifyBaseLogger, 'warn' | 'info'>,
): ((checks: Readonly<Record<string, Check>>) => void) => {
  let last = '';
  return (checks) => {
    const failed = Object.entries(checks).filter(([, check]) => check.status === 'failed');
    const names = failed.map(([name]) => name).join(', ');
    if (names === last) return;
    last = names;
    if (names === '') logger.info('ready again');
    else
      logger.warn(
        { parts: Object.fromEntries(failed.map(([name, check]) => [name, check.detail ?? 'failed'])) },
        `not ready: ${names}`,
      );
  };
};
