import { createHmac, timingSafeEqual } from 'node:crypto';
import { OAuthError } from './oauth-error.ts';

/** A token for forms that only the page of the same interaction can know. */
export const createCsrf = (key: string) => {
  const tokenOf = (subject: string): string =>
    createHmac('sha256', key).update(`csrf:${subject}`).digest('base64url');
  return {
    tokenOf,
    check(subject: string, given: string | undefined): void {
      const right = Buffer.from(tokenOf(subject));
      const got = Buffer.from(given ?? '');
      if (right.length !== got.length || !timingSafeEqual(right, got)) {
        throw new OAuthError('invalid_request', 'this form is out of date; go back and start again');
      }
    },
  };
};
