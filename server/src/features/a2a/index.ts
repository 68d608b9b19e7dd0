export { carriedPushConfig } from './push/carried.ts';
export { aboutPushSecrets } from './push/secrets.ts';
