/** The API version of docs/contract.md, sent as `X-API-Version`. */
export const API_VERSION = '2.0.0';

/** The release. `version.test.ts` holds it to the packages, the images and the clients. */
export const VERSION = '2.0.0';
