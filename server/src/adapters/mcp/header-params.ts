/**
 * Parameters that a tool wants repeated in headers of its call (`x-mcp-header` of the 2026-07-28 revision). A tool that asks for
 * it wrongly must not be offered; the SDK repeats the others.
 */

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const KEY = 'x-mcp-header';
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
/** Values, in which the word means nothing. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

type Place = 'root' | 'property' | 'elsewhere';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nameFault = (schema: Record<string, unknown>, seen: Set<string>): string | null => {
  const { [KEY]: name, type } = schema;
  if (typeof name !== 'string' || !TOKEN.test(name)) return 'is no name of a header';
  if (!TYPES.includes(type)) return 'stands at a property that is no text, whole number or yes and no';
  if (seen.has(name.toLowerCase())) return 'has one name twice';
  seen.add(name.toLowerCase());
  return null;
};

/** The first fault; `seen` has the names so far. */
const faultIn = (node: unknown, place: Place, seen: Set<string>): string | null => {
  if (typeof node !== 'object' || node === null) return null;
  if (isRecord(node) && KEY in node) {
    const fault = place === 'property' ? nameFault(node, seen) : 'stands where no property is';
    if (fault !== null) return fault;
  }
  for (const [key, child] of Object.entries(node)) {
    if (key === KEY || DATA.has(key)) continue;
    const own = key === 'properties' && isRecord(child) && place !== 'elsewhere';
    const parts = own ? Object.values(child) : [child];
    for (const part of parts) {
      const fault = faultIn(part, own ? 'property' : 'elsewhere', seen);
      if (fault !== null) return fault;
    }
  }
  return null;
};

/** What is wrong with how a tool's schema asks for headers; null where nothing is. */
export const headerParamsFault = (inputSchema: Record<string, unknown>): string | null => {
  const fault = faultIn(inputSchema, 'root', new Set());
  return fault === null ? null : `${KEY} ${fault}`;
};
