import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import type { Context } from './context.ts';
import { usage } from './errors.ts';
import { OPERATIONS, type OperationId } from './generated/operations.ts';
import type { Operation, OperationField } from './operation.ts';
import { perform, type Result } from './perform.ts';

/** Commands that are one operation of the API each, from one line of a table (resources.ts). */

export interface ResourceCommand {
  readonly name: string;
  readonly operation: OperationId;
  /** Fields of query or body that stand behind the path's own parameters without an option name. */
  readonly args?: readonly string[];
  /** What a table shows. */
  readonly columns?: readonly string[];
  /** Field of the answer that holds the list. */
  readonly inner?: string;
  /** Other option names, where the field's own is taken. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Fields that are always sent so. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  readonly about?: string;
  /** Field of the answer that counts what failed of several: not 0 means the exit code 13. */
  readonly failures?: string;
  /** What is said when the answer has no body, `{id}` being the argument. */
  readonly done?: string;
  readonly examples: readonly string[];
}

export interface Group {
  readonly name: string;
  readonly about: string;
  readonly commands: readonly ResourceCommand[];
}

const kebab = (name: string): string => name.replaceAll('_', '-');
const camel = (name: string): string =>
  name.replace(/-([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase());

/** Names that every command has for itself. */
const TAKEN = new Set(['json', 'profile', 'url', 'timeout', 'help', 'version', 'data', 'all', 'output']);

const optionName = (command: ResourceCommand, field: string): string => {
  const name = command.rename?.[field] ?? kebab(field);
  if (TAKEN.has(name)) throw new Error(`${command.name}: --${name} is taken; rename it`);
  return name;
};

const PLACEHOLDERS: Readonly<Record<OperationField['kind'], string>> = {
  text: 'text',
  integer: 'n',
  number: 'n',
  flag: '',
  json: 'json',
};

const placeholder = (field: OperationField): string => {
  const { kind, values, list } = field;
  const what = values.length > 0 && values.length <= 6 ? values.join('|') : PLACEHOLDERS[kind];
  return list ? `<${what}...>` : `<${what}>`;
};

const optionFor = (command: ResourceCommand, field: OperationField): Option[] => {
  const name = optionName(command, field.name);
  const long = field.values.length > 6 ? `one of ${field.values.join(', ')}` : '';
  const about = [field.about, long, field.nullable ? '"null" takes it away' : ''].filter(Boolean).join('; ');
  const text = about === '' ? name.replaceAll('-', ' ') : about;
  if (field.kind === 'flag' && !field.list) {
    return [new Option(`--${name}`, text), new Option(`--no-${name}`, `not: ${text}`)];
  }
  return [new Option(`--${name} ${placeholder(field)}`, text)];
};

const countOf = (value: unknown, field: string): number => {
  const count = new Map(Object.entries(value ?? {})).get(field);
  return typeof count === 'number' ? count : 0;
};

const show = (
  context: Context,
  command: ResourceCommand,
  result: Result,
  id: string,
  output?: string,
): void => {
  const { out } = context;
  const toFile = (content: string | Uint8Array): void => {
    if (output === undefined) return;
    const file = path.resolve(context.runtime.cwd, output);
    writeFileSync(file, content);
    out.done(`written to ${output}`, { file: output, size_bytes: Buffer.byteLength(content) });
  };
  switch (result.kind) {
    case 'none':
      return out.done((command.done ?? 'done').replace('{id}', id), { ok: true });
    case 'record':
      out.record(result.value);
      if (command.failures !== undefined && countOf(result.value, command.failures) > 0) {
        context.runtime.exit(13);
      }
      return;
    case 'list':
      return out.list(result.list, command.columns ?? ['id']);
    case 'text':
      if (output !== undefined) return toFile(result.text);
      return out.json ? out.record({ text: result.text }) : out.raw(result.text);
    case 'bytes':
      if (output !== undefined) return toFile(result.bytes);
      if (out.json) throw usage('--json needs --output FILE here: the answer is a file');
      return out.raw(result.bytes);
  }
};

const fieldsOf = (operation: Operation, command: ResourceCommand) => {
  const positional = command.args ?? [];
  const fields = [...operation.query, ...operation.body];
  return {
    positional: positional.map((name) => {
      const field = fields.find((known) => known.name === name);
      if (field === undefined) throw new Error(`${command.name}: no field ${name}`);
      return field;
    }),
    options: fields.filter(({ name }) => !positional.includes(name) && command.fixed?.[name] === undefined),
  };
};

const requiredNow = (operation: Operation, field: OperationField): boolean =>
  field.required && (operation.query.includes(field) || operation.bodyKind === 'json');

/** @param open makes the context of the call from the options of the whole program. */
export const resourceCommand = (
  command: ResourceCommand,
  open: (command: Command) => Context,
  finish: (made: Command, examples: readonly string[]) => Command,
): Command => {
  const operation: Operation = OPERATIONS[command.operation];
  const { positional, options } = fieldsOf(operation, command);
  const made = new Command(command.name).description(command.about ?? operation.about);
  for (const name of operation.pathParameters) made.argument(`<${kebab(name)}>`);
  for (const [n, field] of positional.entries()) {
    const last = n === positional.length - 1;
    const name = `${kebab(field.name)}${field.list && last ? '...' : ''}`;
    made.argument(requiredNow(operation, field) ? `<${name}>` : `[${name}]`, field.about);
  }
  for (const field of options) for (const option of optionFor(command, field)) made.addOption(option);
  if (operation.bodyKind === 'json' && operation.body.length > 0) {
    made.option('--data <json>', 'the whole request body, or @FILE; single options go over it');
  }
  if (operation.list !== 'none') made.option('--all', 'every item of every page');
  if (operation.answer === 'text' || operation.answer === 'bytes') {
    made.option('-o, --output <file>', 'write the answer to a file');
  }
  const names = [...operation.pathParameters, ...positional.map(({ name }) => name)];
  made.action(async () => {
    const context = open(made);
    const typed: Record<string, unknown> = made.opts();
    const values: Record<string, unknown> = { ...command.fixed };
    for (const [n, name] of names.entries()) values[name] = made.processedArgs[n];
    for (const { name } of options) values[name] = typed[camel(optionName(command, name))];
    const { data, all, output } = typed;
    const result = await perform(
      context,
      operation,
      {
        values,
        ...(typeof data === 'string' ? { data } : {}),
        all: all === true,
        optionOf: (field) =>
          names.includes(field) ? `<${kebab(field)}>` : `--${optionName(command, field)}`,
      },
      command.inner,
    );
    const id = typeof made.args[0] === 'string' ? made.args[0] : '';
    show(context, command, result, id, typeof output === 'string' ? output : undefined);
  });
  return finish(made, command.examples);
};
