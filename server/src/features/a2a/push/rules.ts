import type { TaskPushNotificationConfig } from '@a2a-js/sdk';

/** What a client may ask for; the bounds of one task and of all that have not ended. */
export const MAX_PER_TASK = 10;
export const MAX_OPEN_PER_PERSON = 200;
export const MAX_OPEN_PER_TENANT = 1_000;

const MAX_URL = 2_048;
const MAX_ID = 128;
const MAX_SECRET = 4_096;

/** A name of RFC 9110, section 5.6.2. */
const SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;
/** What may stand in a header, and nothing that ends it. */
const HEADER_TEXT = /^[\x20-\x7e]+$/;

/** Kinds of clients leave fields out, whatever the SDK's types say. */
const textOf = (value: unknown): string | null =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : null;

const secretFault = (name: string, value: unknown): string | null => {
  const text = textOf(value);
  if (text === null) return `${name} must be text`;
  if (text === '') return null;
  return text.length > MAX_SECRET || !HEADER_TEXT.test(text) || text !== text.trim()
    ? `${name} must be printable ASCII without spaces around it, of at most ${MAX_SECRET} characters`
    : null;
};

const schemeFault = ({ authentication }: TaskPushNotificationConfig): string | null => {
  if (authentication === undefined || authentication === null) return null;
  const { scheme, credentials } = authentication;
  if (typeof scheme !== 'string' || !SCHEME.test(scheme))
    return 'authentication.scheme must be the name of an HTTP authentication scheme';
  if (textOf(credentials) === '')
    return 'authentication.credentials are missing: the platform has none of its own for your receiver';
  return secretFault('authentication.credentials', credentials);
};

/** Why a configuration is not taken; null for one that is. */
export const pushFault = (
  config: TaskPushNotificationConfig,
  checkUrl: (url: string) => string | null,
): string | null => {
  const id = textOf(config.id);
  if (id === null || id.length > MAX_ID) return `id must be text of at most ${MAX_ID} characters`;
  const url = textOf(config.url);
  if (url === null || url === '' || url.length > MAX_URL)
    return `url must be an address of at most ${MAX_URL} characters`;
  const refused = checkUrl(url);
  if (refused !== null) return `url ${refused}`;
  return secretFault('token', config.token) ?? schemeFault(config);
};
