import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * The tools of others on api/openapi.json: two linters, and two generators whose clients compile and make calls. They lie in
 * folders of their own, named by OPENAPI_TOOLS (npm) and PYTHON_TOOLS (pip).
 */

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const DOCUMENT = path.join(ROOT, 'api', 'openapi.json');
const NPM =
  '@redocly/cli@2.77.0 @stoplight/spectral-cli@6.16.3 openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3';
const HINT = `npm install --prefix DIR --no-save ${NPM}, and set OPENAPI_TOOLS=DIR`;
const PYTHON_HINT = 'pip install --target DIR openapi-python-client==0.29.1, and set PYTHON_TOOLS=DIR';

interface Outcome {
  code: number | null;
  output: string;
}

const run = (
  command: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', CI: 'true', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', (error) => reject(new Error(`${command} is needed: ${error.message}`)));
    child.once('close', (code) => resolve({ code, output }));
  });

const toolsFolder = (): string => {
  const { OPENAPI_TOOLS: folder } = process.env;
  if (folder === undefined) throw new Error(`the tools of OpenAPI are needed: ${HINT}`);
  return folder;
};
const tool = (name: string, args: readonly string[], cwd: string): Promise<Outcome> =>
  run(path.join(toolsFolder(), 'node_modules', '.bin', name), args, cwd);

const python = (args: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Outcome> =>
  run('python3', args, cwd, { PYTHONPATH: process.env.PYTHON_TOOLS ?? '', ...env });

const holds = ({ code, output }: Outcome): void => {
  if (code !== 0) throw new Error(output.slice(-8000));
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-openapi-tools-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe(req('HTTP-15', 'linters'), () => {
  it('redocly has nothing to say', async () => {
    const outcome = await tool(
      'redocly',
      ['lint', DOCUMENT, '--config', path.join(ROOT, 'api', 'redocly.yaml'), '--format', 'stylish'],
      folder,
    );
    holds(outcome);
    expect(outcome.output).toContain('Your API description is valid');
    expect(outcome.output).not.toMatch(/\d+ warnings?|\d+ errors?/);
  }, 300_000);

  it('spectral has nothing to say', async () => {
    const rules = path.join(ROOT, 'api', '.spectral.yaml');
    const outcome = await tool(
      'spectral',
      ['lint', DOCUMENT, '-r', rules, '--fail-severity', 'hint'],
      path.join(ROOT, 'api'),
    );
    holds(outcome);
    expect(outcome.output).toContain('No results');
  }, 300_000);
});

const TYPED_CALLS = `import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

const client = createClient<paths>({
  baseUrl: process.env.PENTARCH_URL ?? '',
  headers: { authorization: \`Bearer \${process.env.PENTARCH_API_KEY ?? ''}\` },
});
const made = await client.POST('/api/v1/conversations', { body: { title: 'By openapi-fetch' } });
const conversation: components['schemas']['Conversation'] | undefined = made.data;
if (conversation === undefined) throw new Error(JSON.stringify(made.error));
const page = await client.GET('/v2/conversations', { params: { query: { limit: 5 } } });
const items: components['schemas']['Conversation'][] = page.data?.items ?? [];
const missing = await client.GET('/api/v1/conversations/{id}', {
  params: { path: { id: '018f3f3a-7b7a-7000-8000-000000000000' } },
});
const code: string | undefined = missing.error?.error.code;
// @ts-expect-error a title is a text
const wrong: components['schemas']['CreateConversationRequest'] = { title: 5 };
console.log(JSON.stringify({ title: conversation.title, same: items.some(({ id }) => id === conversation.id), code, wrong: wrong.title }));
`;

const PYTHON_CALLS = `import json, os
from generated.api.conversations import create_conversation, get_conversation, list_conversations_v2
from generated.client import AuthenticatedClient
from generated.models import ConversationPage, CreateConversationRequest, CreatedConversation, ErrorA

client = AuthenticatedClient(base_url=os.environ["PENTARCH_URL"], token=os.environ["PENTARCH_API_KEY"])
made = create_conversation.sync(client=client, body=CreateConversationRequest(title="By a generated client"))
assert isinstance(made, CreatedConversation), made
page = list_conversations_v2.sync(client=client, limit=5)
assert isinstance(page, ConversationPage), page
missing = get_conversation.sync(client=client, id="018f3f3a-7b7a-7000-8000-000000000000")
assert isinstance(missing, ErrorA), missing
print(json.dumps({"title": made.title, "same": any(item.id == made.id for item in page.items), "code": missing.error.code}))
`;

describe(req('HTTP-15', 'generated clients'), () => {
  let server: TestServer;
  let environment: Record<string, string>;
  beforeAll(async () => {
    server = await startServer();
    const admin = await server.signIn();
    const made = await admin.post('/v2/auth/api-keys', { name: 'generated clients' });
    environment = { PENTARCH_URL: server.url, PENTARCH_API_KEY: made.json<{ key: string }>().key };
  }, 120_000);
  afterAll(() => server?.close());

  it('openapi-typescript: its types compile in strict mode, and the calls that they describe are answered', async () => {
    symlinkSync(path.join(toolsFolder(), 'node_modules'), path.join(folder, 'node_modules'));
    writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}');
    holds(await tool('openapi-typescript', [DOCUMENT, '-o', path.join(folder, 'schema.d.ts')], folder));
    writeFileSync(path.join(folder, 'calls.ts'), TYPED_CALLS);
    const options =
      '--noEmit --strict --target esnext --module nodenext --skipLibCheck false --allowImportingTsExtensions';
    const types = path.join(ROOT, 'node_modules', '@types');
    holds(
      await tool('tsc', [...options.split(' '), '--typeRoots', types, '--types', 'node', 'calls.ts'], folder),
    );
    const outcome = await run(process.execPath, ['calls.ts'], folder, environment);
    holds(outcome);
    expect(JSON.parse(outcome.output.trim().split('\n').at(-1) ?? '')).toEqual({
      title: 'By openapi-fetch',
      same: true,
      code: 'NOT_FOUND',
      wrong: 5,
    });
  }, 300_000);

  it('openapi-python-client: what it makes compiles, and its calls are answered', async () => {
    const made = await python(
      [
        '-m',
        'openapi_python_client',
        'generate',
        '--path',
        DOCUMENT,
        '--output-path',
        'generated',
        '--meta',
        'none',
      ],
      folder,
    );
    if (made.output.includes('No module named openapi_python_client'))
      throw new Error(`openapi-python-client is needed: ${PYTHON_HINT}`);
    holds(made);
    const left = [...made.output.matchAll(/^(?:WARNING|ERROR) parsing (\w+ \S+)/gm)].map(([, name]) => name);
    // JSON Lines and files of any type, which its documentation leaves out.
    expect([...new Set(left)].sort()).toEqual([
      'GET /api/v1/conversations/{id}/pictures/{picture_id}',
      'GET /api/v1/knowledge/documents/{id}/content',
      'GET /api/v1/memory/export',
      'GET /v2/conversations/{id}/pictures/{picture_id}',
      'GET /v2/knowledge/documents/{id}/content',
      'GET /v2/memory/export',
      'POST /api/v1/memory/import',
      'POST /v2/memory/import',
    ]);
    holds(await python(['-m', 'compileall', '-q', 'generated'], folder));
    writeFileSync(path.join(folder, 'calls.py'), PYTHON_CALLS);
    const outcome = await python(['calls.py'], folder, environment);
    holds(outcome);
    expect(JSON.parse(outcome.output.trim().split('\n').at(-1) ?? '')).toEqual({
      title: 'By a generated client',
      same: true,
      code: 'NOT_FOUND',
    });
    expect(readFileSync(path.join(folder, 'generated', 'models', '__init__.py'), 'utf8')).toContain(
      'ChatResponse',
    );
  }, 300_000);
});
