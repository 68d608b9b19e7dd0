/** Which records an event tells of, for those who keep what it said. */

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names under which an event's data holds the id of a record or of an account. */
const namesRecord = (name: string): boolean =>
  name === 'id' || name.endsWith('_id') || name === 'requested_by' || name === 'created_by';

/** Whether `data` (of an event or a notice of one) tells of one of the records. */
export const tellsOf = (data: unknown, recordIds: ReadonlySet<string>): boolean =>
  isObject(data) &&
  Object.entries(data).some(
    ([name, value]) => namesRecord(name) && typeof value === 'string' && recordIds.has(value),
  );
