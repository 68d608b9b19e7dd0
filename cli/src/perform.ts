import { readFileSync } from 'node:fs';
import path from 'node:path';
import { allBareItems, allItems, type Call, nextQueryOf, type QueryValue } from 'pentarch-sdk';
import type { Context } from './context.ts';
import { usage } from './errors.ts';
import type { Operation, OperationField } from './operation.ts';
import type { List } from './output.ts';

/** Carries out one operation of the table with what was typed. */

export type Values = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `{"a": 1}`, or `@FILE` with the same: JSON where an option takes it. */
export const jsonOption = (text: string, option: string, cwd: string): unknown => {
  const source = text.startsWith('@') ? readFileSync(path.resolve(cwd, text.slice(1)), 'utf8') : text;
  try {
    return JSON.parse(source);
  } catch {
    throw usage(`${option} is no JSON`, `give it as '{"key": "value"}', or @FILE for a file that holds it`);
  }
};

const numberOf = (text: string, option: string, integer: boolean): number => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || (integer && !Number.isInteger(value))) {
    throw usage(`${option} must be ${integer ? 'a whole number' : 'a number'}, not "${text}"`);
  }
  return value;
};

const single = (field: OperationField, value: unknown, option: string, cwd: string): unknown => {
  if (typeof value !== 'string') return value;
  if (field.nullable && value === 'null') return null;
  switch (field.kind) {
    case 'integer':
      return numberOf(value, option, true);
    case 'number':
      return numberOf(value, option, false);
    case 'json':
      return jsonOption(value, option, cwd);
    case 'flag':
      if (value !== 'true' && value !== 'false') throw usage(`${option} must be true or false`);
      return value === 'true';
    default:
      if (field.values.length > 0 && !field.values.includes(value)) {
        throw usage(`${option} must be one of ${field.values.join(', ')}, not "${value}"`);
      }
      return value;
  }
};

const read = (field: OperationField, value: unknown, option: string, cwd: string): unknown => {
  if (!field.list) return single(field, value, option, cwd);
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (parts.length === 1 && parts[0] === '') return [];
  return parts.map((part) => single(field, part, option, cwd));
};

const pathOf = (operation: Operation, values: Values): string =>
  operation.path.replace(/\{([^{}]+)\}/g, (_all, name: string) =>
    encodeURIComponent(String(values[name] ?? '')),
  );

export interface Given {
  /** By the names of the document: path parameters, query and body fields. */
  readonly values: Values;
  /** A whole body in JSON; single fields go over it. */
  readonly data?: string;
  readonly all?: boolean;
  /** Option names for messages. */
  readonly optionOf: (field: string) => string;
}

export const callOf = (operation: Operation, given: Given, cwd: string): Call => {
  const { values, data, optionOf } = given;
  const taken = (fields: readonly OperationField[]): Record<string, unknown> =>
    Object.fromEntries(
      fields
        .filter(({ name }) => values[name] !== undefined)
        .map((field) => [field.name, read(field, values[field.name], optionOf(field.name), cwd)]),
    );
  const query: Record<string, QueryValue> = {};
  for (const [name, value] of Object.entries(taken(operation.query))) {
    query[name] =
      typeof value === 'number' || typeof value === 'boolean' || value === null ? value : String(value);
  }
  const whole = data === undefined ? {} : jsonOption(data, '--data', cwd);
  if (!isRecord(whole)) throw usage('--data must be a JSON object');
  const body = { ...whole, ...taken(operation.body) };
  const missing = operation.body.filter(({ name, required }) => required && body[name] === undefined);
  if (missing.length > 0) {
    throw usage(`missing: ${missing.map(({ name }) => optionOf(name)).join(', ')}`);
  }
  return {
    method: operation.method,
    path: pathOf(operation, values),
    query,
    ...(operation.bodyKind === 'json' ? { json: body } : {}),
    ...(operation.slow ? { slow: true } : {}),
  };
};

export type Result =
  | { readonly kind: 'none' }
  | { readonly kind: 'record'; readonly value: unknown }
  | { readonly kind: 'list'; readonly list: List }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

const listOf = async (context: Context, operation: Operation, call: Call, all: boolean): Promise<List> => {
  const { http } = context.client;
  if (all) {
    const walk = operation.list === 'bare' ? allBareItems : allItems;
    const items: unknown[] = [];
    const whole = { ...call, query: { limit: 100, ...call.query } };
    for await (const item of walk<unknown>(http, whole, context.call)) items.push(item);
    return { items, total: items.length, nextCursor: null };
  }
  if (operation.list === 'page') {
    const page = await http.json<{ items: unknown[]; total: number; next_cursor: string | null }>(
      call,
      context.call,
    );
    return { items: page.items, total: page.total, nextCursor: page.next_cursor };
  }
  const answer = await http.send(call, context.call);
  try {
    const items: unknown = await answer.response.json();
    const next = nextQueryOf(answer.response.headers.get('link'));
    const total = answer.response.headers.get('x-total-count');
    return {
      items: Array.isArray(items) ? items : [],
      total: total === null ? null : Number(total),
      nextCursor: next !== null && 'cursor' in next ? next.cursor : null,
    };
  } catch (error) {
    throw answer.failure(error);
  } finally {
    answer.done();
  }
};

/** The list inside a record that holds nothing else of weight, such as `{items, total}` and `{limits}`. */
const innerList = (value: unknown, field: string | undefined): List | null => {
  if (!isRecord(value)) return null;
  const items = value[field ?? 'items'];
  if (!Array.isArray(items)) return null;
  return { items, total: items.length, nextCursor: null };
};

/** @param inner field of the answer that is the list to show. */
export const perform = async (
  context: Context,
  operation: Operation,
  given: Given,
  inner?: string,
): Promise<Result> => {
  const call = callOf(operation, given, context.runtime.cwd);
  const { http } = context.client;
  if (operation.list !== 'none') {
    return { kind: 'list', list: await listOf(context, operation, call, given.all === true) };
  }
  switch (operation.answer) {
    case 'none':
      await http.none(call, context.call);
      return { kind: 'none' };
    case 'text':
      return { kind: 'text', text: await http.text(call, context.call) };
    case 'bytes': {
      const blob = await http.blob(call, context.call);
      return { kind: 'bytes', bytes: new Uint8Array(await blob.arrayBuffer()) };
    }
    default: {
      const value = await http.json<unknown>(call, context.call);
      const list = innerList(value, inner);
      return list === null ? { kind: 'record', value } : { kind: 'list', list };
    }
  }
};
