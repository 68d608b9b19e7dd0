export {
  type JobContext,
  type JobHandler,
  type JobKind,
  type Jobs,
  PermanentJobError,
  RetryLater,
  tenantIn,
} from './port.ts';
export { createSqliteJobs, type SqliteJobs } from './sqlite.ts';
export { createTicker } from './ticker.ts';
