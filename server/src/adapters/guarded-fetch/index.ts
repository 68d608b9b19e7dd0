export {
  checkOutgoingUrl,
  createGuardedFetch,
  limitBody,
} from './guarded-fetch.ts';
