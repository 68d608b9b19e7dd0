import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { pino } from 'pino';
import { compose } from '../../server/src/compose.ts';
import { loadConfig } from '../../server/src/config.ts';

/** The OpenAPI document of the platform as built with default settings; nothing listens, no data is left behind. */

const byName = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(typeof value === 'object' && value !== null ? value : {}).sort(([a], [b]) =>
      a < b ? -1 : 1,
    ),
  );

/** Paths and schemas in the order of their names, so that the order in which routes are declared changes nothing. */
const inOrder = (document: Record<string, unknown>): Record<string, unknown> => {
  const components = byName(document.components);
  const tags = Array.isArray(document.tags) ? (document.tags as { name: string }[]) : [];
  return {
    ...document,
    tags: [...tags].sort((a, b) => (a.name < b.name ? -1 : 1)),
    components: { ...components, schemas: byName(components.schemas) },
    paths: byName(document.paths),
  };
};

/** The text of `api/openapi.json`. */
export const emitOpenApi = async (): Promise<string> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-openapi-'));
  try {
    const config = loadConfig(
      { DATA_DIR: path.join(folder, 'data'), MODEL: 'builtin', LOG_LEVEL: 'silent', MCP_BUILTIN: 'off' },
      folder,
    );
    const platform = await compose(config, pino({ level: 'silent' }), () => 'http://localhost:8080');
    try {
      const answer = await platform.app.inject({ method: 'GET', url: '/openapi.json' });
      if (answer.statusCode !== 200) throw new Error(`/openapi.json answered ${answer.statusCode}`);
      return `${pretty(inOrder(answer.json<Record<string, unknown>>()))}\n`;
    } finally {
      await platform.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

interface Parameter {
  name?: string;
  in?: string;
  $ref?: string;
}

interface Operation {
  operationId?: string;
  parameters?: Parameter[];
}

const LINE = 140;

/** Indented JSON, in which what fits on a line stands on one: a reference is no three lines. */
const pretty = (value: unknown, indent = '', before = 0): string => {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return line;
  const spaced = JSON.stringify(value, null, 1).replace(/\n */g, ' ');
  if (indent.length + before + spaced.length <= LINE || line.length <= 2) return spaced;
  const inner = `${indent} `;
  const parts = Array.isArray(value)
    ? value.map((item) => inner + pretty(item, inner))
    : Object.entries(value).map(([key, item]) => {
        const name = `${JSON.stringify(key)}: `;
        return inner + name + pretty(item, inner, name.length);
      });
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
};

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace']);

/** Faults of a document: against the schema of OpenAPI 3.1, and what that schema cannot say. */
export const openApiFaults = async (text: string): Promise<string[]> => {
  const document = JSON.parse(text) as {
    components?: { parameters?: Record<string, Parameter> };
    paths?: Record<string, Record<string, Operation>>;
  };
  const whole = (parameter: Parameter): Parameter =>
    document.components?.parameters?.[parameter.$ref?.split('/').at(-1) ?? ''] ?? parameter;
  const result = await new Validator().validate(structuredClone(document));
  const faults: string[] = [];
  if (!result.valid) {
    const errors = Array.isArray(result.errors) ? result.errors : [];
    faults.push(...errors.slice(0, 20).map((e) => `${e.instancePath || '/'} ${e.message ?? ''}`));
    if (errors.length === 0) faults.push(String(result.errors));
  }
  const seen = new Map<string, string>();
  for (const [template, methods] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!METHODS.has(method)) continue;
      const name = `${method.toUpperCase()} ${template}`;
      const id = operation.operationId;
      if (id === undefined) faults.push(`${name} has no operationId`);
      else if (seen.has(id)) faults.push(`${name} and ${seen.get(id)} share the operationId ${id}`);
      else seen.set(id, name);
      const wanted = [...template.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]);
      const given = (operation.parameters ?? [])
        .map(whole)
        .filter((p) => p.in === 'path')
        .map((p) => p.name);
      if ([...wanted].sort().join() !== [...given].sort().join()) {
        faults.push(`${name}: path parameters ${given.join(', ') || 'none'} do not fit the path`);
      }
    }
  }
  return faults;
};
