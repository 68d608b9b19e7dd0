import { errorBody } from '../../http/error-body.ts';
import { parseJsonBody } from '../../http/json-body.ts';
import { iso } from '../../kernel/clock.ts';
import type { AppError } from '../../kernel/errors.ts';
import { invalid } from '../../kernel/errors.ts';
import type { PlatformEvent } from '../../kernel/events.ts';
import { isTopic, TOPICS, type Topic } from './rules.ts';

/** The messages of the socket: JSON texts with `type` and `payload` (specification, Events). */
export type ClientMessage =
  | { type: 'auth'; token: string; lastEventId: string | null }
  | { type: 'ping'; payload: unknown }
  | { type: 'subscribe'; topics: Topic[] | null; lastEventId: string | null }
  | { type: 'unsubscribe'; topics: Topic[] }
  | { type: 'chat.send'; id: string | null; request: Record<string, unknown> };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MAX_ID_CHARACTERS = 128;

const textOf = (payload: Record<string, unknown>, name: string): string | null => {
  const value = payload[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string' || value.length > 16_384) {
    throw invalid({ field: `/payload/${name}`, reason: 'must be text' });
  }
  return value;
};

const topicsOf = (payload: Record<string, unknown>): Topic[] => {
  const { topics } = payload;
  if (!Array.isArray(topics) || topics.length === 0) {
    throw invalid({ field: '/payload/topics', reason: `must be a list of ${TOPICS.join(', ')}` });
  }
  return topics.map((topic: unknown, i) => {
    // The same words for whatever is no topic: a guess at a foreign record learns nothing.
    if (!isTopic(topic)) {
      throw invalid({ field: `/payload/topics/${i}`, reason: `must be one of ${TOPICS.join(', ')}` });
    }
    return topic;
  });
};

const known = (payload: Record<string, unknown>, names: readonly string[]): void => {
  for (const name of Object.keys(payload)) {
    if (!names.includes(name)) throw invalid({ field: `/payload/${name}`, reason: 'is not a known field' });
  }
};

/** Throws VALIDATION_ERROR for what is no message of the protocol. */
export const parseClientMessage = (bytes: Uint8Array): ClientMessage => {
  const message = parseJsonBody(bytes);
  if (!isRecord(message)) throw invalid({ field: '/', reason: 'must be an object with type and payload' });
  const payload = message.payload ?? {};
  const record = (): Record<string, unknown> => {
    if (!isRecord(payload)) throw invalid({ field: '/payload', reason: 'must be an object' });
    return payload;
  };
  switch (message.type) {
    case 'auth': {
      const fields = record();
      known(fields, ['token', 'last_event_id']);
      const token = textOf(fields, 'token');
      if (token === null) throw invalid({ field: '/payload/token', reason: 'is required' });
      return { type: 'auth', token, lastEventId: textOf(fields, 'last_event_id') };
    }
    case 'ping':
      return { type: 'ping', payload };
    case 'subscribe': {
      const fields = record();
      known(fields, ['topics', 'last_event_id']);
      const lastEventId = textOf(fields, 'last_event_id');
      const topics = fields.topics === undefined && lastEventId !== null ? null : topicsOf(fields);
      return { type: 'subscribe', topics, lastEventId };
    }
    case 'unsubscribe': {
      const fields = record();
      known(fields, ['topics']);
      return { type: 'unsubscribe', topics: topicsOf(fields) };
    }
    case 'chat.send': {
      const { id, ...request } = record();
      const given = id ?? message.id ?? null;
      if (given !== null && (typeof given !== 'string' || given.length > MAX_ID_CHARACTERS)) {
        throw invalid({
          field: '/payload/id',
          reason: `must be text of at most ${MAX_ID_CHARACTERS} characters`,
        });
      }
      return { type: 'chat.send', id: given, request };
    }
    default:
      throw invalid({
        field: '/type',
        reason: 'must be one of auth, ping, subscribe, unsubscribe, chat.send',
      });
  }
};

export const message = (type: string, payload: unknown): string => JSON.stringify({ type, payload });

/** An event in its socket form; `id` is what a client gives back as `last_event_id`. */
export const eventMessage = (type: string, event: PlatformEvent): string =>
  JSON.stringify({ type, id: event.id, created_at: iso(event.createdAt), payload: event.data });

/** Errors have the body of the v2 prefix; `id` is that of the message that caused it, where it had one. */
export const errorMessage = (error: AppError, requestId: string, id: string | null): string =>
  message('error', { ...errorBody(error, 'B', requestId), ...(id === null ? {} : { id }) });
