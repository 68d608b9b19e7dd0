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
});
