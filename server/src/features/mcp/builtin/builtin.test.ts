import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../../kernel/caller.ts';
import type { AgentTool, ToolContext } from '../../../kernel/tools.ts';
import { type BuiltinServer, createBuiltinRuntime } from '../builtin-runtime.ts';
import { createFilesServer } from './files.ts';
import { createTimeServer } from './time.ts';
import { createToolsServer } from './tools.ts';

const contextOf = (userId: string, tenantId = 't'): ToolContext => ({
  caller: { userId, tenantId } as Caller,
  agentId: null,
  conversationId: null,
  runId: null,
  requestId: 'r',
  signal: new AbortController().signal,
  tainted: false,
});

const caller = (server: BuiltinServer) => {
  const runtime = createBuiltinRuntime(server, () => 0);
  runtime.start();
  return async (tool: string, args: Record<string, unknown> = {}, user = 'u', tenant = 't') => {
    const context = contextOf(user, tenant);
    const result = await runtime.callTool(tool, args, { context, signal: context.signal, timeoutMs: 1_000 });
    return { text: String(result.content[0]?.text), isError: result.isError, structured: result.structured };
  };
};

describe('time', () => {
  const call = caller(createTimeServer({ now: () => Date.parse('2026-03-29T00:30:00Z') }));

  it('tells the time of a zone', async () => {
    expect((await call('get_current_time')).structured).toEqual({
      timezone: 'UTC',
      datetime: '2026-03-29T00:30:00+00:00',
      weekday: 'Sunday',
      utc: '2026-03-29T00:30:00.000Z',
      unix_s: 1774744200,
    });
    expect((await call('get_current_time', { timezone: 'America/St_Johns' })).structured).toMatchObject({
      datetime: '2026-03-28T22:00:00-02:30',
      weekday: 'Saturday',
    });
  });

  it('converts over a change of the clocks', async () => {
    const convert = async (time: string, source: string, target: string) =>
      (await call('convert_time', { time, source_timezone: source, target_timezone: target })).structured;
    expect(await convert('2026-03-29T01:30', 'Europe/Berlin', 'UTC')).toMatchObject({
      target: { datetime: '2026-03-29T00:30:00+00:00' },
      difference_h: -1,
    });
    expect(await convert('2026-03-29T03:30', 'Europe/Berlin', 'Asia/Kathmandu')).toMatchObject({
      target: { datetime: '2026-03-29T07:15:00+05:45' },
      difference_h: 3.75,
    });
    expect(await convert('2026-07-01T12:00:00+02:00', 'UTC', 'UTC')).toMatchObject({
      target: { datetime: '2026-07-01T10:00:00+00:00' },
    });
  });

  it('gives back the same wall clock for every zone and time', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('Europe/Athens', 'America/New_York', 'Asia/Tokyo', 'Australia/Lord_Howe', 'UTC'),
        fc.date({ min: new Date('1990-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
        async (zone, date) => {
          // Noon: no zone changes its clocks then.
          const time = `${date.toISOString().slice(0, 10)}T12:00:00`;
          const result = await call('convert_time', { time, source_timezone: zone, target_timezone: zone });
          expect(result.structured).toMatchObject({ source: { datetime: expect.stringContaining(time) } });
        },
      ),
      { numRuns: 50 },
    );
  });

  it('says what it does not know', async () => {
    expect(await call('get_current_time', { timezone: 'Mars/Base' })).toMatchObject({
      isError: true,
      text: 'unknown time zone: Mars/Base',
    });
    for (const time of ['yesterday', '2026-02-30', '2026-01-01T25:00']) {
      expect((await call('convert_time', { time, target_timezone: 'UTC' })).isError, time).toBe(true);
    }
  });
});

describe('files', () => {
  let folder: string;
  let call: ReturnType<typeof caller>;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-files-'));
    call = caller(createFilesServer(folder));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('writes, lists, finds, reads and deletes', async () => {
    expect(await call('write_file', { path: 'a/b/notes.md', content: 'grüße' })).toMatchObject({
      isError: false,
    });
    expect((await call('list_files', { path: 'a' })).structured).toEqual({
      items: [{ name: 'b', type: 'folder' }],
      truncated: false,
    });
    expect((await call('search_files', { query: 'NOTES' })).structured).toEqual({ paths: ['a/b/notes.md'] });
    expect((await call('read_file', { path: 'a/b/notes.md' })).text).toBe('grüße');
    expect((await call('delete_file', { path: 'a' })).text).toBe('a is not empty');
    expect((await call('delete_file', { path: 'a/b/notes.md' })).isError).toBe(false);
    expect((await call('read_file', { path: 'a/b/notes.md' })).text).toBe('there is no a/b/notes.md');
    expect(readdirSync(folder).filter((name) => name.startsWith('draft'))).toEqual([]);
  });

  it('keeps people and tenants apart', async () => {
    await call('write_file', { path: 'mine', content: 'x' }, 'ada');
    expect((await call('read_file', { path: 'mine' }, 'bob')).isError).toBe(true);
    expect((await call('read_file', { path: 'mine' }, 'ada', 'other')).isError).toBe(true);
    expect((await call('list_files', {}, 'bob')).structured).toEqual({ items: [], truncated: false });
  });

  it.each(['../x', 'a/../../x', '..', '/../x', 'a\\..\\..\\x', 'x\u0000', 'C:x', `${'a/'.repeat(20)}x`])(
    'never leaves the folder: %j',
    async (at) => {
      writeFileSync(path.join(folder, 'x'), 'outside');
      for (const tool of ['read_file', 'list_files', 'delete_file']) {
        expect((await call(tool, { path: at })).isError, tool).toBe(true);
      }
      expect((await call('write_file', { path: at, content: 'changed' })).isError).toBe(true);
    },
  );

  it('have room for 100 MB of a person, and for what is written in place of them', async () => {
    const text = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 100; i++)
      expect(await call('write_file', { path: `f${i}`, content: text })).toMatchObject({ isError: false });
    expect(await call('write_file', { path: 'more', content: 'y' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('100 MB'),
    });
    expect(await call('write_file', { path: 'f0', content: 'y' })).toMatchObject({ isError: false });
    expect(await call('write_file', { path: 'more', content: 'y' })).toMatchObject({ isError: false });
    expect(await call('write_file', { path: 'more', content: 'y' }, 'other')).toMatchObject({
      isError: false,
    });
  }, 60_000);

  it('takes absolute paths as paths in the folder', async () => {
    await call('write_file', { path: '/etc/passwd', content: 'mine' });
    expect((await call('read_file', { path: 'etc/passwd' })).text).toBe('mine');
  });

  it('follows no link', async () => {
    await call('write_file', { path: 'real/x', content: 'x' });
    const [tenant] = readdirSync(folder);
    const [user] = readdirSync(path.join(folder, tenant!));
    const home = path.join(folder, tenant!, user!);
    symlinkSync('/etc', path.join(home, 'link'));
    symlinkSync('/etc/hostname', path.join(home, 'file'));
    for (const at of ['link/hostname', 'file', 'link']) {
      expect((await call('read_file', { path: at })).isError, at).toBe(true);
    }
    expect((await call('write_file', { path: 'link/x', content: 'x' })).isError).toBe(true);
    expect((await call('write_file', { path: 'file', content: 'x' })).isError).toBe(true);
    expect((await call('list_files')).structured).toMatchObject({ items: [{ name: 'real' }] });
  });
});

describe('tools of a feature', () => {
  const recall = vi.fn(async (_args: Record<string, unknown>, context: ToolContext) => ({
    content: `of ${context.caller.userId}`,
    isError: false,
    structured: { n: 1 },
  }));
  const tool: AgentTool = {
    server: 'pentarch',
    name: 'recall',
    description: 'Recalls',
    inputSchema: { type: 'object' },
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    permission: 'memory:read',
    call: recall,
  };

  it('are a server besides, each called as its own caller and with its own permission', async () => {
    const list = vi.fn((caller: Caller) => (caller.permissions.has('memory:read') ? [tool] : []));
    const server = await createToolsServer({ name: 'memory', title: 'Memory', source: { list } });
    expect(server).toMatchObject({
      name: 'memory',
      forAgents: false,
      tools: [{ name: 'recall', permission: 'memory:read', annotations: { readOnlyHint: true } }],
    });
    expect(await caller(server)('recall', { a: 1 }, 'ada')).toEqual({
      text: 'of ada',
      isError: false,
      structured: { n: 1 },
    });
    expect(recall.mock.calls[0]?.[0]).toEqual({ a: 1 });
  });
});
