import { isStorable } from '../../../kernel/storable.ts';
import { readClaims, readHeader } from '../jwt-form.ts';
import { SIGNATURE_ALGORITHMS } from '../public-keys.ts';
import { OAuthError } from './oauth-error.ts';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** RFC 7521, 4.2: what cannot be a client's assertion is `invalid_client`, where the library says `invalid_request`. */
export const assertClientAssertion = (body: unknown): void => {
  const form = new URLSearchParams(typeof body === 'string' ? body : '');
  const assertion = form.get('client_assertion');
  if (assertion === null) return;
  const known = readHeader(assertion, SIGNATURE_ALGORITHMS) !== null && readClaims(assertion) !== null;
  if (!known || form.get('client_assertion_type') !== ASSERTION_TYPE) {
    throw new OAuthError('invalid_client', 'the client assertion is not valid');
  }
};

/** What stands for a device code inside (`store.ts`) is none. */
export const assertDeviceCode = (body: unknown): void => {
  const codes = new URLSearchParams(typeof body === 'string' ? body : '').getAll('device_code');
  if (codes.some((code) => !/^[\w-]*$/.test(code)))
    throw new OAuthError('invalid_grant', 'the device code is not known');
};

/**
 * No record has a NUL in what it is found by; RFC 6749, appendix A allows none in any parameter. A token that is asked about
 * (RFC 7662, RFC 7009) may be anything: what is none is inactive.
 */
export const assertText = (parameters: string): void => {
  if (!parameters.includes('%00') && !parameters.includes('\u0000')) return;
  for (const [name, value] of new URLSearchParams(parameters)) {
    if (name !== 'token' && (!isStorable(name) || !isStorable(value)))
      throw new OAuthError('invalid_request', 'parameters must be text without NUL');
  }
};
