import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * schemathesis against a started server: what the OpenAPI document says is what the server does, for every role. Its settings and what
 * is left out, with reasons, stand in server/test/conformance. SCHEMATHESIS_PATH names the folder of the Python package:
 * pip install --target DIR schemathesis==4.32.5
 */

const FOLDER = path.join(import.meta.dirname, '..', 'conformance');
const DOCUMENT = path.join(import.meta.dirname, '..', '..', '..', 'api', 'openapi.json');
const PACKAGES = process.env.SCHEMATHESIS_PATH ?? '';

/** The examples of the document, the bounds of every field (some 8,000 requests), and random requests. */
const PHASES = 'examples,coverage,fuzzing';

/** What ends the caller's own credential or tenant: checked last and by itself. */
const ENDING = [
  'updateUser',
  'deactivateUser',
  'eraseUserData',
  'updateTenant',
  'logout',
  'changeMyPassword',
  'endMySession',
  'deleteApiKey',
  'deletePersonalToken',
  'rotateApiKey',
];
/** /v2 and the paths without a prefix. /api/v1 is the same routes with another error shape, checked with fewer examples. */
const SOCKET = '^/v2/ws$';

let server: TestServer;
let admin: Client;
let home = '';

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'pentarch-conformance-'));
  server = await startServer({ env: { MCP_BUILTIN: 'on' } });
  admin = await server.signIn();
});
afterAll(async () => {
  await server?.close();
  rmSync(home, { recursive: true, force: true });
});

let people = 0;
/** An API key of a new person with the role; of one who may make none, the session's token. */
const keyOf = async (role: string): Promise<string> => {
  const person = { email: `schema${++people}@conformance.test`, password: 'a long enough password' };
  expect((await admin.post('/v2/users', { ...person, roles: [role] })).status).toBe(201);
  const client = await server.signIn(person.email, person.password);
  const made = await client.post('/v2/auth/api-keys', { name: 'conformance' });
  return made.status === 201 ? made.json<{ key: string }>().key : (client.token ?? '');
};

interface Outcome {
  code: number | null;
  output: string;
  tested: number;
  cases: number;
}

const schemathesis = (key: string, args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(
      'python3',
      [
        ...[
          '-m',
          'schemathesis.cli',
          '--config-file',
          path.join(FOLDER, 'schemathesis.toml'),
          'run',
          DOCUMENT,
        ],
        ...['-u', server.url, '-H', `Authorization: Bearer ${key}`, '--seed', '20261128', ...args],
      ],
      {
        cwd: home,
        env: {
          ...process.env,
          PYTHONPATH: `${PACKAGES}:${FOLDER}`,
          PYTHONDONTWRITEBYTECODE: '1',
          SCHEMATHESIS_HOOKS: 'pentarch_hooks',
          NO_COLOR: '1',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) =>
      reject(new Error(`python3 is needed (apt-get install python3): ${error.message}`)),
    );
    child.once('close', (code) => {
      if (output.includes('No module named schemathesis')) {
        reject(
          new Error(
            'schemathesis is needed: pip install --target DIR schemathesis==4.32.5, and set SCHEMATHESIS_PATH=DIR',
          ),
        );
      }
      resolve({
        code,
        output,
        tested: Number(/Tested: (\d+)/.exec(output)?.[1] ?? 0),
        cases: Number(/(\d+) generated/.exec(output)?.[1] ?? 0),
      });
    });
  });

/** The failures of a run without its hints, so that a red test shows what is wrong. */
const holds = ({ code, output }: Outcome): void => {
  if (code !== 0) throw new Error(output.slice(0, 40_000));
};

const operationCount = (leaves: (template: string, id: string) => boolean): number => {
  const { paths } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.values(methods).filter(({ operationId }) => leaves(template, operationId)),
  ).length;
};

const without = ENDING.flatMap((id) => ['--exclude-operation-id', id, '--exclude-operation-id', `${id}V2`]);
const only = ENDING.flatMap((id) => ['--include-operation-id', id, '--include-operation-id', `${id}V2`]);

describe(req('HTTP-13', 'the document is what the server does'), () => {
  it('for an administrator: every operation', async () => {
    const outcome = await schemathesis(await keyOf('admin'), [
      ...['-n', '3', '--phases', PHASES, '--exclude-path-regex', `^/api/v1|${SOCKET}`],
      ...without,
    ]);
    holds(outcome);
    const ending = new Set(ENDING);
    expect(outcome.tested).toBe(
      operationCount((template, id) => !/^\/api\/v1|^\/v2\/ws$/.test(template) && !ending.has(id)),
    );
    expect(outcome.cases).toBeGreaterThan(5_000);
  }, 900_000);

  it('under the other prefix, with its own shape of errors', async () => {
    const outcome = await schemathesis(await keyOf('admin'), [
      ...['-n', '1', '--phases', 'fuzzing', '--include-path-regex', '^/api/v1'],
      ...without,
    ]);
    holds(outcome);
    expect(outcome.tested).toBe(operationCount((template) => template.startsWith('/api/v1')));
  }, 600_000);

  it.each(['operator', 'analyst', 'user', 'readonly'])(
    'for the role %s',
    async (role) => {
      const outcome = await schemathesis(await keyOf(role), [
        ...['-n', '1', '--phases', 'fuzzing', '--exclude-path-regex', `^/api/v1|${SOCKET}`],
        ...without,
      ]);
      holds(outcome);
      expect(outcome.tested).toBeGreaterThan(100);
    },
    600_000,
  );

  it('for what ends the caller’s own credential', async () => {
    const outcome = await schemathesis(await keyOf('admin'), [...['-n', '3', '--phases', PHASES], ...only]);
    holds(outcome);
    expect(outcome.tested).toBe(operationCount((_template, id) => ENDING.includes(id.replace(/V2$/, ''))));
  }, 600_000);
});
