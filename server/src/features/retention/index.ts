export { retentionPurges } from './purges.ts';
export { createRetention, purgeNow } from './service.ts';
export type { Purge, PurgeReport } from './types.ts';
