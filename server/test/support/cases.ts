import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The lists of bad inputs in server/test/cases. */

export interface JsonSuiteCase {
  name: string;
  expect: 'accept' | 'reject' | 'either';
  bytes: Buffer;
}

export interface HostileCase {
  id: string;
  kind: string;
  expect: string;
  raw?: string;
  what?: string;
  value?: string;
  body?: string;
  body_b64?: string;
  id_value?: string;
  filename?: string;
  content_type?: string;
  prefix?: string;
  unit?: string;
  times?: number;
  middle?: string;
  suffix_unit?: string;
  suffix?: string;
}

const read = <T>(file: string): T =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, '..', 'cases', file), 'utf8')) as T;

interface RawSuiteCase {
  name: string;
  expect: JsonSuiteCase['expect'];
  content_b64?: string;
  repeat?: { unit_b64: string; times: number; tail_b64: string };
}

const bytesOf = ({ name, content_b64, repeat }: RawSuiteCase): Buffer => {
  if (content_b64 !== undefined) return Buffer.from(content_b64, 'base64');
  if (repeat === undefined) throw new Error(`${name} has no content`);
  const unit = Buffer.from(repeat.unit_b64, 'base64');
  const units = Array.from({ length: repeat.times }, () => unit);
  return Buffer.concat([...units, Buffer.from(repeat.tail_b64, 'base64')]);
};

export const jsonSuite = (): JsonSuiteCase[] =>
  read<{ cases: RawSuiteCase[] }>('json-test-suite.json').cases.map((row) => ({
    name: row.name,
    expect: row.expect,
    bytes: bytesOf(row),
  }));

export const hostileRequests = (): HostileCase[] =>
  read<{ cases: HostileCase[] }>('hostile-requests.json').cases;

interface FileCase {
  name: string;
  mime: string;
  bytes: Buffer;
}

/** Files that are made to hurt their reader, as they are uploaded. */
export const fileBombs = (): FileCase[] =>
  read<{ cases: { name: string; mime: string; content_b64: string }[] }>('file-bombs.json').cases.map(
    ({ name, mime, content_b64 }) => ({ name, mime, bytes: Buffer.from(content_b64, 'base64') }),
  );

export const naughtyStrings = (): string[] => read<{ strings: string[] }>('naughty-strings.json').strings;

/** The body of a row of the kinds json-body, json-body-repeat. */
export const bodyOf = (row: HostileCase): Buffer => {
  if (row.body_b64 !== undefined) return Buffer.from(row.body_b64, 'base64');
  const { prefix = '', unit = '', times = 0, middle = '', suffix_unit = '', suffix = '' } = row;
  const units = unit.includes('<i>')
    ? Array.from({ length: times }, (_, i) => unit.replace('<i>', String(i))).join('')
    : unit.repeat(times);
  return Buffer.from(prefix + units + middle + suffix_unit.repeat(times) + suffix);
};
