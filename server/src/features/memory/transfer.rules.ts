import { isVisible, MAX_NAME, MAX_TEXT, MAX_TYPE } from './rules.ts';

/** One line of the public MCP memory server's file. */
export type MemoryLine =
  | { type: 'entity'; name: string; entityType: string; observations: string[] }
  | { type: 'relation'; from: string; to: string; relationType: string };

const filled = (value: unknown, max: number): value is string =>
  typeof value === 'string' &&
  isVisible(value) &&
  [...value].length <= max &&
  !value.includes('\u0000') &&
  value.isWellFormed();

const field = (value: object, name: string): unknown => Reflect.get(value, name);

/** The line, or null for what is none: no JSON, another type, a missing or over-long field. */
export const parseLine = (line: string): MemoryLine | null => {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const type = field(value, 'type');
  if (type === 'entity') {
    const name = field(value, 'name');
    const entityType = field(value, 'entityType');
    const observations = field(value, 'observations') ?? [];
    if (!filled(name, MAX_NAME) || !filled(entityType, MAX_TYPE) || !Array.isArray(observations)) return null;
    const texts = observations.filter((text): text is string => filled(text, MAX_TEXT));
    return texts.length === observations.length ? { type, name, entityType, observations: texts } : null;
  }
  if (type === 'relation') {
    const from = field(value, 'from');
    const to = field(value, 'to');
    const relationType = field(value, 'relationType');
    if (!filled(from, MAX_NAME) || !filled(to, MAX_NAME) || !filled(relationType, MAX_TYPE)) return null;
    return { type, from, to, relationType };
  }
  return null;
};
