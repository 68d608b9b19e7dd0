import { describe, expect, it } from 'vitest';
import { createTenantRows } from './tenant-rows.ts';

describe('rows of an archive that would switch a guard off', () => {
  const rows = (own: boolean, notes: string[] = []) =>
    createTenantRows({
      tenantId: 't',
      slug: 'north',
      own,
      tier: null,
      keepExternalIds: false,
      allowStdio: [],
      reservedClients: [],
      checks: { ofWebhook: () => null, ofServer: () => null, ofStdioText: () => null },
      note: (line) => notes.push(line),
    });
  const pin = { tool: 'order', status: 'accepted', accepted_by: 'ann' };

  it.each([true, false])('take no document as trusted, and say so once (own: %s)', (own) => {
    const notes: string[] = [];
    const take = rows(own, notes);
    for (const id of ['a', 'b']) expect(take('documents', { id, trusted: 1 })).toEqual({ id, trusted: 0 });
    expect(notes).toHaveLength(1);
    expect(take('documents', { id: 'c' })).toEqual({ id: 'c', trusted: 0 });
  });

  it('keep what this platform’s people have accepted of tools, and nobody else’s word', () => {
    expect(rows(true)('mcp_tool_pins', pin)).toEqual(pin);
    expect(rows(false)('mcp_tool_pins', pin)).toEqual({ ...pin, status: 'new', accepted_by: null });
  });

  const task = {
    timezone: 'UTC',
    cron: null,
    depth: 1,
    parent_task_id: null,
    priority: 'normal',
    overlap: 'skip',
    missed: 'run_once',
    status: 'scheduled',
    attempts: 0,
    paused: 0,
    tainted: 0,
  };
  it.each([{}, { depth: 2, parent_task_id: 'p' }, { depth: 2 }, { depth: undefined, tainted: undefined }])(
    'take a task with %j',
    (fields) => {
      const row = { ...task, ...fields };
      expect(rows(false)('tasks', row)).toEqual(row);
    },
  );
  it.each([
    { depth: -50 },
    { depth: 0 },
    { depth: 3 },
    { depth: 1.5 },
    { depth: null },
    { depth: 1, parent_task_id: 'p' },
    { attempts: -1 },
    { tainted: -1 },
    { paused: 2 },
    { priority: 'first' },
    { overlap: 'all' },
    { missed: 'all' },
    { status: 'x' },
  ])('refuse a task with %j', (fields) => {
    expect(() => rows(true)('tasks', { ...task, ...fields })).toThrow(/a task of the archive/);
  });

  const limit = { scope: 'tenant', subject: 't', period: 'day', limit_nano: 5 };
  const counter = { ...limit, run_limit_nano: null, used_nano: 3, reserved_nano: 0 };
  it.each([
    {},
    { limit_nano: null },
    { limit_nano: 0 },
    { scope: 'user', subject: 'ann', period: 'month' },
    { scope: 'run', subject: '*', period: 'run' },
  ])('take a limit with %j', (fields) => {
    expect(rows(false)('cost_limits', { ...limit, ...fields })).toEqual({ ...limit, ...fields });
    expect(rows(false)('cost_counters', { ...counter, ...fields })).toEqual({ ...counter, ...fields });
  });
  it.each([
    { scope: 'platform' },
    { scope: 'tenant', subject: 'other' },
    { scope: 'run', subject: 'x', period: 'run' },
    { period: 'year' },
    { period: 'run' },
    { scope: 'user', subject: '' },
    { limit_nano: -1 },
    { limit_nano: 0.5 },
    { limit_nano: 9_000_001e9 },
  ])('refuse a limit with %j', (fields) => {
    expect(() => rows(true)('cost_limits', { ...limit, ...fields })).toThrow(/a limit of costs/);
    expect(() => rows(true)('cost_counters', { ...counter, ...fields })).toThrow(/a counter of costs/);
  });
  it.each([{ used_nano: -1 }, { reserved_nano: -1 }, { run_limit_nano: -1 }])(
    'refuse a counter with %j',
    (fields) => {
      expect(() => rows(true)('cost_counters', { ...counter, ...fields })).toThrow(/a counter of costs/);
    },
  );
});
