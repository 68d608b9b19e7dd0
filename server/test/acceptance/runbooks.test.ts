import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import { withServer } from '../support/suite.ts';

/**
 * What the runbooks of docs/operations.md tell to look at, on a running server: each figure, path, setting, log line and command that
 * they name is there. What helps whom has been read by people; that it exists is held here.
 */

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const read = (...parts: string[]): string => readFileSync(path.join(ROOT, ...parts), 'utf8');

const guide = read('docs', 'operations.md');
const section = (heading: string): string => {
  const [, rest = ''] = guide.split(`\n### ${heading}\n`);
  return rest.split(/\n##/)[0] ?? '';
};
const alerts = [...guide.matchAll(/\n### (Pentarch\w+)\n/g)].map(([, name = '']) => name);
/** Whatever a parameter is called. */
const bare = (asked: string): string => asked.replaceAll(/\{\w+\}/g, '{}');
const found = (expression: RegExp): string[] => [
  ...new Set(
    alerts.flatMap((alert) => [...section(alert).matchAll(expression)].map(([, word = '']) => word)),
  ),
];

/** Of servers on PostgreSQL alone. */
const ELSEWHERE: ReadonlySet<string> = new Set(['pentarch_nodes']);

const sources = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

const it = withServer();

describe('the runbooks', () => {
  it(req('OPS-24', 'name figures that a running server has'), async ({ world }) => {
    expect((await world.admin.post('/v2/chat', { message: 'hello' })).status).toBe(200);
    const { text } = await world.server.anonymous().get('/metrics');
    const names = found(/`(pentarch_\w+)/g);
    expect(names.length).toBeGreaterThan(5);
    const code = sources(path.join(ROOT, 'server', 'src'));
    for (const name of names) {
      if (ELSEWHERE.has(name)) expect([name, code.includes(name)]).toEqual([name, true]);
      else expect([name, text.includes(`# TYPE ${name} `)]).toEqual([name, true]);
    }
  });

  it('name paths that are there', async ({ world }) => {
    const { paths } = (await world.admin.get('/openapi.json')).json<{ paths: Record<string, object> }>();
    const named = found(/`(?:GET|POST|PUT) ([^`]+)`/g);
    expect(named.length).toBeGreaterThan(4);
    for (const one of named) {
      const [asked = ''] = one.split('?');
      const isThere = Object.keys(paths).some((known) =>
        asked.startsWith('…') ? bare(known).endsWith(bare(asked.slice(1))) : bare(known) === bare(asked),
      );
      expect([asked, isThere]).toEqual([asked, true]);
    }
    for (const asked of [
      '/v2/governance/proposals?status=awaiting_human',
      '/api/v1/costs/usage?scope=tenant',
    ])
      expect([asked, (await world.admin.get(asked)).status]).toEqual([asked, 200]);
    const servers = await world.admin.get('/api/v1/mcp/servers');
    expect(servers.status).toBe(200);
    const ready = await world.server.anonymous().get('/ready');
    expect(JSON.stringify(ready.body)).toContain('store');
  });

  it('name settings, lines of the log and commands that are there', () => {
    const settings = read('docs', 'reference', 'settings.md');
    const code = sources(path.join(ROOT, 'server', 'src'));
    for (const name of found(/`([A-Z][A-Z]+_[A-Z_]+)`/g))
      expect([name, settings.includes(`\`${name}\``)]).toEqual([name, true]);
    for (const line of ["this machine's clock is off", 'run failed'])
      expect([line, guide.includes(`\`${line}\``), code.includes(line)]).toEqual([line, true, true]);
    const commands = readdirSync(path.join(ROOT, 'server', 'src', 'commands')).join(' ');
    for (const command of ['doctor', 'purge'])
      expect([command, commands.includes(command)]).toEqual([command, true]);
  });
});
