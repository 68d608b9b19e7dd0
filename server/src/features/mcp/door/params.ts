/** What the SDK takes for a fault of the server where it is the client's. */

interface ParamsFault {
  jsonrpc: '2.0';
  id: string | number;
  error: { code: number; message: string };
}

const INVALID_PARAMS = -32602;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

const argumentsFault = (given: unknown): string | null => {
  if (given === undefined) return null;
  if (!isRecord(given)) return 'arguments must be an object';
  const wrong = Object.keys(given).find((name) => typeof given[name] !== 'string');
  return wrong === undefined ? null : `the argument ${wrong} must be text`;
};

const completionFault = ({ ref, argument }: Record<string, unknown>): string | null => {
  if (!isRecord(ref) || !(ref.type === 'ref/prompt' ? isName(ref.name) : isName(ref.uri)))
    return 'ref must be a prompt by its name, or a resource by its uri';
  return isRecord(argument) && isName(argument.name) && typeof argument.value === 'string'
    ? null
    : 'argument must have a name and a value';
};

const BY_METHOD: Readonly<Record<string, (params: Record<string, unknown>) => string | null>> = {
  'prompts/get': (params) =>
    isName(params.name) ? argumentsFault(params.arguments) : 'name is missing: which prompt is meant',
  'resources/read': ({ uri }) => (isName(uri) ? null : 'uri is missing: which resource is meant'),
  'completion/complete': completionFault,
};

/** The refusal of a request whose parameters say nothing to its method; null for any other message. */
export const paramsFault = (body: unknown): ParamsFault | null => {
  if (!isRecord(body)) return null;
  const { id, method, params } = body;
  if (typeof id !== 'string' && typeof id !== 'number') return null;
  if (typeof method !== 'string' || !Object.hasOwn(BY_METHOD, method)) return null;
  const message = BY_METHOD[method]?.(isRecord(params) ? params : {}) ?? null;
  return message === null ? null : { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message } };
};
