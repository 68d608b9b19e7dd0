import { taskStateFromJSON } from '@a2a-js/sdk';

/** What the SDK takes or makes fit in silence, and the protocol refuses. */

const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;

interface RpcFault {
  code: number;
  message: string;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Why a body is no JSON-RPC 2.0 request; null for one that is. */
export const envelopeFault = (body: unknown): RpcFault | null => {
  const fault = (message: string): RpcFault => ({ code: INVALID_REQUEST, message });
  if (Array.isArray(body)) return fault('several requests in one are not taken: send one request');
  if (!isRecord(body)) return fault('a request is a JSON object');
  if (body.jsonrpc !== '2.0') return fault('jsonrpc must be "2.0"');
  const { id, method } = body;
  if (id !== undefined && id !== null && typeof id !== 'string' && !Number.isInteger(id))
    return fault('id must be text, a whole number or null');
  if (typeof method !== 'string' || method === '') return fault('method must be a name');
  return null;
};

const INT32 = 2_147_483_647;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const isWhole = (value: unknown, from: number, to: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
const isText = (value: unknown): boolean => typeof value === 'string';

/** Epoch ms of a timestamp as the protocol writes it; null for anything else. */
export const timestampOf = (value: unknown): number | null => {
  if (typeof value !== 'string' || !TIMESTAMP.test(value)) return null;
  const at = Date.parse(value);
  return Number.isNaN(at) ? null : at;
};

const LIST_PARAMS: Readonly<Record<string, readonly [good: (value: unknown) => boolean, reason: string]>> = {
  tenant: [isText, 'must be text'],
  contextId: [isText, 'must be text'],
  status: [(value) => taskStateFromJSON(value) >= 0, 'is not a state of tasks'],
  pageSize: [(value) => isWhole(value, 1, 100), 'must be from 1 to 100'],
  pageToken: [isText, 'must be text'],
  historyLength: [(value) => isWhole(value, 0, INT32), 'must be a whole number, 0 or more'],
  statusTimestampAfter: [
    (value) => timestampOf(value) !== null,
    'must be a timestamp such as 2026-01-31T12:00:00Z',
  ],
  includeArtifacts: [(value) => typeof value === 'boolean', 'must be true or false'],
};

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** A filter that is not understood must not widen the list: wrong values are told, null is as absent. */
export const listParamsFault = (params: unknown): RpcFault | null => {
  if (!isRecord(params)) return null;
  for (const [name, [good, reason]] of Object.entries(LIST_PARAMS)) {
    const value = params[name] ?? params[snake(name)];
    if (value !== undefined && value !== null && !good(value))
      return { code: INVALID_PARAMS, message: `${name} ${reason}` };
  }
  return null;
};

const partFault = (part: unknown): string | null => {
  if (!isRecord(part)) return 'a part is an object';
  const { text, raw, file, kind } = part;
  if (text !== undefined && text !== null && !isText(text)) return 'text of a part must be text';
  if (raw !== undefined && raw !== null && !isText(raw)) return 'raw of a part must be base64 text';
  if (kind !== 'file') return null;
  if (!isRecord(file)) return 'file of a part must be an object';
  return [file.bytes, file.uri].every((value) => value === undefined || isText(value))
    ? null
    : 'bytes and uri of a file must be text';
};

/** Of either version; what is missing is told by who reads the message. */
const sendParamsFault = (params: unknown): RpcFault | null => {
  const fault = (message: string): RpcFault => ({ code: INVALID_PARAMS, message });
  if (!isRecord(params)) return null;
  const { message, configuration } = params;
  if (isRecord(message) && Array.isArray(message.parts)) {
    for (const part of message.parts) {
      const reason = partFault(part);
      if (reason !== null) return fault(reason);
    }
  }
  if (configuration === undefined || configuration === null) return null;
  if (!isRecord(configuration)) return fault('configuration must be an object');
  const length = configuration.historyLength ?? configuration.history_length;
  return length === undefined || length === null || isWhole(length, 0, INT32)
    ? null
    : fault('historyLength must be a whole number, 0 or more');
};

const legacyPushFault = (params: unknown): RpcFault | null =>
  isRecord(params) && !isRecord(params.pushNotificationConfig)
    ? { code: INVALID_PARAMS, message: 'pushNotificationConfig must be an object' }
    : null;

const BY_METHOD: Readonly<Record<string, (params: unknown) => RpcFault | null>> = {
  ListTasks: listParamsFault,
  SendMessage: sendParamsFault,
  SendStreamingMessage: sendParamsFault,
  'message/send': sendParamsFault,
  'message/stream': sendParamsFault,
  'tasks/pushNotificationConfig/set': legacyPushFault,
};

/** What is wrong with a request before its method looks at it. */
export const requestFault = (body: unknown): RpcFault | null => {
  const envelope = envelopeFault(body);
  if (envelope !== null || !isRecord(body)) return envelope;
  const { method } = body;
  if (typeof method !== 'string' || !Object.hasOwn(BY_METHOD, method)) return null;
  return BY_METHOD[method]?.(body.params) ?? null;
};
