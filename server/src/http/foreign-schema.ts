import vm from 'node:vm';
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import Ajv04 from 'ajv-draft-04';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { linearPattern } from './linear-pattern.ts';

/**
 * JSON Schemas that others wrote (tools of MCP servers), compiled at the first use and kept as long as their object.
 * Schema and value are both made by strangers, so nothing here may take long: patterns run on an engine of linear time,
 * and what could still take long runs under a time limit. What cannot be checked so is not checked here: the tool
 * checks itself.
 */
export type SchemaVerdict =
  /** `unchecked`: why not all of it was held against the schema. */
  | { ok: true; unchecked?: string }
  | { ok: false; faults: readonly ErrorObject[] }
  /** The schema itself cannot be used. */
  | { ok: false; unusable: string };

export interface SchemaChecker {
  /** Never throws. */
  check(schema: Record<string, unknown>, value: unknown): SchemaVerdict;
}

const MAX_SCHEMA_CHARACTERS = 512 * 1024;
const MAX_SCHEMA_NODES = 20_000;
const MAX_DEPTH = 100;
/** Longer strings are not held against formats, whose expressions are ordinary ones. */
const MAX_FORMAT_CHARACTERS = 2_000;
/** Steps of an expression (its size × characters) that one test may take. */
const MAX_PATTERN_STEPS = 50_000_000;
const COMPILE_LIMIT_MS = 250;
const CHECK_LIMIT_MS = 40;
/** A time limit that passed while others had the processor is no fault of the schema. */
const MAX_TRIES = 3;
/** Nodes of the schema × size of the value: below, no check without references takes long. */
const SURELY_QUICK = 20_000;
/** After so many checks that took too long a schema is not tried again. */
const MAX_SLOW_CHECKS = 3;
const TOO_LONG = 'to hold it against the schema takes too long';

interface Size {
  nodes: number;
  characters: number;
  depth: number;
}

/** Without recursion, so that no nesting is too deep for it; stops where `maxDepth` is passed. */
export const sizeOf = (value: unknown, maxDepth: number): Size => {
  const size = { nodes: 0, characters: 0, depth: 0 };
  const rest: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  for (let at = rest.pop(); at !== undefined && size.depth <= maxDepth; at = rest.pop()) {
    size.nodes++;
    size.depth = Math.max(size.depth, at.depth);
    if (typeof at.value === 'string') size.characters += at.value.length;
    if (typeof at.value !== 'object' || at.value === null) continue;
    for (const [key, inner] of Object.entries(at.value)) {
      if (!Array.isArray(at.value)) size.characters += key.length;
      rest.push({ value: inner, depth: at.depth + 1 });
    }
  }
  return size;
};

/** Thrown out of a check that this place cannot make. */
class NotChecked extends Error {}

const guardContext = vm.createContext({ work: (): void => {} });
const guardScript = new vm.Script('work()');

/** Runs `work`, and breaks it off (throws) after `ms`. */
const within = <T>(ms: number, work: () => T): T => {
  let result: { value: T } | undefined;
  guardContext.work = () => {
    result = { value: work() };
  };
  try {
    guardScript.runInContext(guardContext, { timeout: ms });
  } finally {
    guardContext.work = undefined;
  }
  if (result === undefined) throw new NotChecked('nothing came of it');
  return result.value;
};

/** By their marks, not their classes: they may come out of the guard's own realm. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
const isOverflow = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'RangeError';

/** Keywords under which a test that says "yes" too often could refuse what is right. */
const NOT_MONOTONE = /"(?:not|oneOf|if|contains|patternProperties|dependentSchemas|unevaluated\w+)":/;

/** Tries again where the thread did not have half of the time for itself. */
const withinOwnTime = <T>(ms: number, work: () => T, onBroken: () => void = () => {}): T => {
  for (let tries = 1; ; tries++) {
    const before = process.threadCpuUsage();
    try {
      return within(ms, work);
    } catch (error) {
      const { user, system } = process.threadCpuUsage(before);
      if (isTimeout(error)) onBroken();
      if (!isTimeout(error) || tries === MAX_TRIES || (user + system) / 1_000 > ms / 2) throw error;
    }
  }
};

/** What the expressions of a check are told, and tell. */
interface CheckState {
  /** What cannot be tried is taken to match. */
  lenient: boolean;
  leftOut: string | null;
  /** Size of the expressions that were compiled. */
  patternSize: number;
}

/** An expression of linear time in place of the built-in ones. */
const patternEngine = (state: CheckState) => {
  const giveUp = (): boolean => {
    const reason = 'a pattern cannot be tried in linear time';
    if (!state.lenient) throw new NotChecked(reason);
    state.leftOut = reason;
    return true;
  };
  const engine = (pattern: string) => {
    const read = linearPattern(pattern);
    const compiled = read.ok ? read.compiled : null;
    const steps = compiled?.programSize() ?? 0;
    state.patternSize += steps;
    return {
      test: (text: string): boolean =>
        compiled === null || steps * text.length > MAX_PATTERN_STEPS ? giveUp() : compiled.test(text),
      // Ajv tells expressions apart by it.
      toString: () => `re2/${pattern}/`,
    };
  };
  return Object.assign(engine, { code: 're2' });
};

type FormatCheck = (value: string) => boolean;

/** Formats of strings, held to short ones; unknown formats say nothing. */
const formatsFor = (state: CheckState): Options['formats'] => {
  const shortOnly =
    (check: FormatCheck): FormatCheck =>
    (value) => {
      if (value.length <= MAX_FORMAT_CHARACTERS) return check(value);
      state.leftOut = 'a text is too long for its format';
      return true;
    };
  return Object.fromEntries(
    Object.entries(fullFormats).map(([name, format]) => {
      const check = typeof format === 'object' && 'validate' in format ? format.validate : format;
      if (typeof format === 'object' && 'type' in format && format.type === 'number') return [name, format];
      if (check instanceof RegExp) return [name, shortOnly((value) => check.test(value))];
      if (typeof check !== 'function') return [name, true];
      const ask = check as (value: string) => unknown;
      return [name, shortOnly((value) => ask(value) === true)];
    }),
  );
};

/** The same text for equal values, whatever the order of their fields. */
const canonical = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join()}}`;
};

/** In place of the built-in one, which compares each item with each other. */
const UNIQUE_ITEMS: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must NOT have duplicate items' },
  validate: (wanted: boolean, items: unknown[]) =>
    !wanted || new Set(items.map(canonical)).size === items.length,
};

export type Dialect = '04' | '07' | '2019' | '2020';

/** 2020-12 unless the schema names an older one, as the protocol says; an unknown one is read as 2020-12. */
export const dialectOf = (schema: Record<string, unknown>): Dialect => {
  const named = typeof schema.$schema === 'string' ? schema.$schema : '';
  if (/draft-0[34]/.test(named)) return '04';
  if (/draft-0[5-7]/.test(named)) return '07';
  return named.includes('2019-09') ? '2019' : '2020';
};

interface Compiled {
  validate: ValidateFunction;
  nodes: number;
  /** References may lead in circles. */
  refers: boolean;
  slow: number;
  patternSize: number;
}
type Engine = Pick<Ajv, 'compile' | 'removeSchema' | 'removeKeyword' | 'addKeyword'>;
type Entry = Compiled | { unusable: string } | 'not checked';

/** How long the thread may be at it; tests that are not about time give it plenty. */
export interface CheckerLimits {
  compileMs?: number;
  checkMs?: number;
}

export const createSchemaChecker = ({
  compileMs = COMPILE_LIMIT_MS,
  checkMs = CHECK_LIMIT_MS,
}: CheckerLimits = {}): SchemaChecker => {
  /** Of the schema that is being compiled or asked. */
  const state: CheckState = { lenient: false, leftOut: null, patternSize: 0 };
  const settings: Options = {
    strict: false,
    allErrors: true,
    // Meta schemas say more than a check needs, and sloppy schemas are common.
    validateSchema: false,
    inlineRefs: false,
    logger: false,
    formats: formatsFor(state),
    code: { regExp: patternEngine(state) },
  };
  const engines = new Map<Dialect, Engine>();
  const newEngine = (dialect: Dialect): Engine => {
    if (dialect === '04') return new Ajv04.default(settings);
    if (dialect === '07') return new Ajv(settings);
    return dialect === '2019' ? new Ajv2019(settings) : new Ajv2020(settings);
  };
  const engineOf = (dialect: Dialect): Engine => {
    const engine =
      engines.get(dialect) ?? newEngine(dialect).removeKeyword('uniqueItems').addKeyword(UNIQUE_ITEMS);
    engines.set(dialect, engine);
    return engine;
  };
  const entries = new WeakMap<object, Entry>();
  const leniency = new WeakMap<object, boolean>();

  const compile = (schema: Record<string, unknown>): Entry => {
    const size = sizeOf(schema, MAX_DEPTH);
    if (size.depth > MAX_DEPTH) return { unusable: 'the schema is nested too deeply' };
    if (size.nodes > MAX_SCHEMA_NODES || size.characters > MAX_SCHEMA_CHARACTERS)
      return { unusable: 'the schema is too large' };
    const text = JSON.stringify(schema);
    state.lenient = !NOT_MONOTONE.test(text);
    leniency.set(schema, state.lenient);
    // An asynchronous check would reject where nobody waits for it, which ends the process.
    const { $schema: _named, $async: _async, ...own } = schema;
    // A schema must not pass for one of the drafts themselves.
    for (const key of ['$id', 'id']) {
      const id = own[key];
      if (typeof id === 'string' && id.includes('json-schema.org')) delete own[key];
    }
    const dialect = dialectOf(schema);
    try {
      const validate = withinOwnTime(
        compileMs,
        () => {
          state.patternSize = 0;
          return engineOf(dialect).compile(own);
        },
        // What was broken off in the middle is not used again.
        () => engines.delete(dialect),
      );
      const refers = /"\$\w*[rR]ef":/.test(text);
      return { validate, nodes: size.nodes, refers, slow: 0, patternSize: state.patternSize };
    } catch (error) {
      if (isTimeout(error)) return 'not checked';
      return { unusable: error instanceof Error ? error.message.slice(0, 200) : String(error) };
    } finally {
      // Ajv keeps every schema for ever; servers may send new ones as often as they like.
      engines.get(dialect)?.removeSchema(own);
    }
  };

  const run = (entry: Compiled, value: unknown): SchemaVerdict => {
    const size = sizeOf(value, MAX_DEPTH * 10);
    if (size.depth > MAX_DEPTH * 10) return { ok: true, unchecked: 'it is nested too deeply' };
    const work = entry.nodes * (size.nodes + size.characters / 8) + entry.patternSize * size.characters;
    const valid =
      entry.refers || work > SURELY_QUICK
        ? withinOwnTime(checkMs, () => entry.validate(value))
        : entry.validate(value);
    if (valid === true) return state.leftOut === null ? { ok: true } : { ok: true, unchecked: state.leftOut };
    return { ok: false, faults: entry.validate.errors ?? [] };
  };

  return {
    check(schema, value) {
      let entry = entries.get(schema);
      if (entry === undefined) {
        entry = compile(schema);
        entries.set(schema, entry);
      }
      if (entry === 'not checked') return { ok: true, unchecked: TOO_LONG };
      if ('unusable' in entry) return { ok: false, unusable: entry.unusable };
      state.lenient = leniency.get(schema) === true;
      state.leftOut = null;
      try {
        return run(entry, value);
      } catch (error) {
        if (isOverflow(error)) {
          return { ok: false, unusable: 'the schema refers to itself without end' };
        }
        if (isTimeout(error) && ++entry.slow >= MAX_SLOW_CHECKS) entries.set(schema, 'not checked');
        if (error instanceof NotChecked) return { ok: true, unchecked: error.message };
        return {
          ok: true,
          unchecked: isTimeout(error) ? TOO_LONG : 'it could not be held against the schema',
        };
      }
    },
  };
};
