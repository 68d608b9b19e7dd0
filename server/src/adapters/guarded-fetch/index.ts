export { isPublicAddress } from './addresses.ts';
export { checkOutgoingUrl, createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts';
