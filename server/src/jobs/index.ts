export {
  type EnqueueOptions,
  type JobContext,
  type JobDepth,
  type JobHandler,
  type JobKind,
  type Jobs,
  PermanentJobError,
  RetryLater,
  tenantIn,
  type WaitingJobs,
} from './port.ts';
export { createSqliteJobs, type SqliteJobs } from './sqlite.ts';
export { createTicker, type Ticker } from './ticker.ts';
