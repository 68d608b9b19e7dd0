import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';

/** The TypeScript client as others get it: packed, installed into an empty project, used from JavaScript and types. */

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

const run = (command: string, args: readonly string[], cwd: string): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
};

it('installs from its tarball and runs', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-pack-'));
  try {
    run(process.execPath, [path.join(ROOT, 'sdk', 'typescript', 'pack.ts'), path.join(folder, 'dist')], ROOT);
    run('npm', ['pack', path.join(folder, 'dist'), '--pack-destination', folder], folder);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    const project = path.join(folder, 'project');
    mkdirSync(project);
    writeFileSync(path.join(project, 'package.json'), '{"name":"empty","version":"1.0.0","type":"module"}');
    run('npm', ['install', '--offline', '--no-audit', '--no-fund', path.join(folder, tarball)], project);
    writeFileSync(
      path.join(project, 'use.ts'),
      `import { createClient, type Conversation, NotFoundError } from 'pentarch-sdk';
const client = createClient({ baseUrl: 'http://127.0.0.1:1', auth: 'ptk_x' });
const title = async (id: string): Promise<string | null> => {
  const found: Conversation = await client.conversations.get(id);
  return found.title;
};
// @ts-expect-error a message is needed
client.chat.send({});
// @ts-expect-error no such field
client.conversations.create({ titel: 'x' });
export { NotFoundError, title };
`,
    );
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    run(
      process.execPath,
      [
        tsc,
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--lib',
        'es2023,dom,dom.asynciterable',
        '--types',
        '',
        'use.ts',
      ],
      project,
    );
    writeFileSync(
      path.join(project, 'use.js'),
      `import { createClient, ConnectionFailedError } from 'pentarch-sdk';
const client = createClient({ baseUrl: 'http://127.0.0.1:1', auth: 'ptk_x', maxRetries: 0 });
await client.agents.list().catch((error) => console.log(error instanceof ConnectionFailedError));
`,
    );
    expect(run(process.execPath, ['use.js'], project).trim()).toBe('true');
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 180_000);
