import { isRecord, type Json, recordAt } from './models.ts';
import { pascal } from './words.ts';

/** Parameters and answers that several operations have stand once under `components`; the operations refer to them. */

/** Names of error answers, which each shape has. */
const ANSWER_NAMES: Readonly<Record<string, string>> = {
  '400': 'BadRequest',
  '401': 'Unauthorized',
  '402': 'CostLimitReached',
  '403': 'Forbidden',
  '404': 'NotFound',
  '409': 'Conflict',
  '413': 'ContentTooLarge',
  '415': 'UnsupportedMediaType',
  '422': 'Invalid',
  '429': 'TooManyRequests',
  '502': 'BadGateway',
  '503': 'Unavailable',
  '504': 'GatewayTimeout',
  default: 'OtherError',
};

interface Pool {
  refer(value: Json, name: string): Json;
  all(): Record<string, Json>;
}

/** The same value gets the same name; another one of that name gets a number. */
const createPool = (kind: 'responses' | 'parameters'): Pool => {
  const byKey = new Map<string, string>();
  const byName = new Map<string, Json>();
  return {
    all: () => Object.fromEntries([...byName].sort(([a], [b]) => (a < b ? -1 : 1))),
    refer(value, wanted) {
      const key = JSON.stringify(value);
      let name = byKey.get(key);
      if (name === undefined) {
        name = wanted;
        for (let n = 2; byName.has(name); n += 1) name = `${wanted}${n}`;
        byKey.set(key, name);
        byName.set(name, value);
      }
      return { $ref: `#/components/${kind}/${name}` };
    },
  };
};

/** `ErrorB` → `B`, `OAuthError` → `OAuth`: the shape is told by the name, except for that of `/api/v1`. */
const suffixOf = (answer: Json): string => {
  const ref = recordAt(answer, 'content', 'application/json', 'schema').$ref;
  const name = typeof ref === 'string' ? ref.slice(ref.lastIndexOf('/') + 1) : '';
  return name === 'ErrorA' ? '' : name.replace('Error', '');
};

const isError = (status: string, answer: Json): boolean => {
  const ref = recordAt(answer, 'content', 'application/json', 'schema').$ref;
  return ANSWER_NAMES[status] !== undefined && typeof ref === 'string' && ref.includes('Error');
};

const parameterName = ({ name, in: place }: Json): string =>
  `${pascal(String(name))}${place === 'path' ? 'InPath' : ''}`;

/** Replaces in place; returns what goes under `components`. */
export const shareParts = (paths: Json): { responses: Json; parameters: Json } => {
  const responses = createPool('responses');
  const parameters = createPool('parameters');
  for (const methods of Object.values(paths)) {
    for (const operation of Object.values(recordAt(methods)).filter(isRecord)) {
      const given = Array.isArray(operation.parameters) ? operation.parameters.filter(isRecord) : [];
      if (given.length > 0)
        operation.parameters = given.map((entry) => parameters.refer(entry, parameterName(entry)));
      const answers = recordAt(operation, 'responses');
      for (const [status, answer] of Object.entries(answers)) {
        if (isRecord(answer) && isError(status, answer))
          answers[status] = responses.refer(answer, `${ANSWER_NAMES[status] ?? ''}${suffixOf(answer)}`);
      }
    }
  }
  return { responses: responses.all(), parameters: parameters.all() };
};
