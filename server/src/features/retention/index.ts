export { retentionPurges } from './purges.ts';
export { createRetention, purgeNow } from './service.ts';
