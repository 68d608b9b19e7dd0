export { isPublicAddress } from './addresses.ts';
export {
  checkOutgoingUrl,
  createGuardedFetch,
  type GuardedFetchOptions,
  limitBody,
} from './guarded-fetch.ts';
