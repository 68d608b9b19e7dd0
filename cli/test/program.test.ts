import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { OPERATIONS } from '../src/generated/operations.ts';
import { ELSEWHERE, GROUPS } from '../src/resources.ts';
import { SERVER_COMMANDS, serverCommandOf } from '../src/server-commands.ts';
import { tableText } from '../src/table.ts';
import { safe, shorten, widthOf } from '../src/text.ts';
import { run, start } from './run.ts';

// Each command is a process of its own, and other suites run beside this one.
vi.setConfig({ testTimeout: 180_000 });

describe('the tree of commands', () => {
  it('reaches every operation of the API', () => {
    const known = new Set([
      ...GROUPS.flatMap(({ commands }) => commands.map(({ operation }) => operation as string)),
      ...Object.keys(ELSEWHERE),
    ]);
    expect(Object.keys(OPERATIONS).filter((id) => !known.has(id))).toEqual([]);
    expect(Object.keys(ELSEWHERE).filter((id) => !(id in OPERATIONS))).toEqual([]);
  });

  it('has help with examples, and a version', async () => {
    const help = await run(['documents', 'add', '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('Examples:\n  pentarch documents add');
    expect((await run(['--help'])).stdout).toContain('Exit codes:');
    expect((await run(['--version'])).stdout).toBe('2.0.0\n');
    const bare = await run(['conversations']);
    expect(bare.code).toBe(2);
    expect(bare.stderr).toContain('Usage: pentarch conversations');
  });

  it('completes in bash', async () => {
    const script = (await run(['completions', 'bash'])).stdout;
    const complete = (words: readonly string[]): string[] => {
      const line = `${script}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_pentarch
printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      return stdout.trim().split('\n');
    };
    expect(complete(['pentarch', 'doc']).sort()).toEqual(['doctor', 'documents']);
    expect(complete(['pentarch', 'documents', 'a'])).toEqual(['add']);
    expect(complete(['pentarch', 'documents', 'add', '--par'])).toEqual(['--parallel']);
    expect(complete(['pentarch', '--json', 'proposals', 'list', '--sta'])).toEqual(['--status']);
  });

  it('writes scripts for zsh and fish', async () => {
    const zsh = (await run(['completions', 'zsh'])).stdout;
    expect(zsh).toMatch(/^#compdef pentarch/);
    expect(zsh).toContain("'documents add')");
    const fish = (await run(['completions', 'fish'])).stdout;
    expect(fish).toContain("__pentarch_at 'documents'");
    expect((await run(['completions', 'tcsh'])).code).toBe(2);
  });
});

describe('events', () => {
  it('refuses a topic that there is none of, before any connection', async () => {
    const refused = await run(['events', '--topics', 'tasks', 'weather']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('weather');
  });
});

describe('commands of the server', () => {
  it('are known by their first words', () => {
    expect(serverCommandOf(['serve'])?.words).toEqual(['serve']);
    expect(serverCommandOf(['audit', 'verify', '--json'])?.words).toEqual(['audit', 'verify']);
    expect(serverCommandOf(['audit', 'list'])).toBeNull();
    expect(new Set(SERVER_COMMANDS.map(({ words }) => words.join(' '))).size).toBe(SERVER_COMMANDS.length);
  });

  it('serve runs the server and ends it with the signal', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-cli-serve-'));
    try {
      const serving = start(['serve'], {
        cwd: folder,
        env: {
          HOST: '127.0.0.1',
          PORT: '0',
          DATA_DIR: path.join(folder, 'data'),
          ADMIN_PASSWORD: 'correct horse battery staple',
          MODEL: 'builtin',
          SHUTDOWN_LEAD_S: '0',
          MCP_BUILTIN: 'off',
        },
      });
      const [, url = ''] = await serving.said(/"url":"([^"]+)"/);
      const health = await run(['system', 'health', '--json', '--url', url]);
      expect(health.json<{ status: string }>().status).toBe('ok');
      serving.child.kill('SIGTERM');
      expect((await serving.ended).code).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('tables', () => {
  it('fit the terminal by shortening texts, never ids', () => {
    const id = '0190a6de-7c2a-7000-8000-000000000001';
    const text = tableText(['id', 'title'], [{ id, title: 'a long title '.repeat(10) }], 60);
    for (const line of text.trimEnd().split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60);
    expect(text).toContain(id);
    expect(text).toContain('…');
  });

  it('count columns as they are seen', () => {
    expect(widthOf('灯台')).toBe(4);
    expect(widthOf('é')).toBe(1);
    expect(shorten('灯台守', 5)).toBe('灯台…');
    expect(safe('a\u001b]8;;http://x\u0007b\u001b[2Jc\rd')).toBe('abc\nd');
  });
});
