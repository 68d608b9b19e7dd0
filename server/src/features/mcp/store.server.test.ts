import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OTHER_TENANT, TENANT } from '../../../test/mcp/harness.ts';
import { type TestStore, testStores } from '../../../test/support/stores.ts';
import { createSecretBox } from './secret-box.ts';
import { createMcpStore, type McpStore, type ServerRecord } from './store.ts';

/** What the gateway keeps: servers with their secrets, what was accepted of tools, sign-ins at remote servers. */
describe.each(testStores)('the MCP store on $name', (engine: TestStore) => {
  let opened: Awaited<ReturnType<TestStore['open']>>;
  let store: McpStore;
  beforeEach(async () => {
    opened = await engine.open();
    store = createMcpStore(opened.db, createSecretBox(Buffer.alloc(32, 7)));
  });
  afterEach(() => opened.drop());

  const record = (how: Partial<ServerRecord> = {}): ServerRecord => ({
    id: '0190a000-0000-7000-8000-0000000000a1',
    tenantId: TENANT,
    name: 'shop',
    title: 'The shop',
    source: 'api',
    enabled: true,
    endpoint: {
      transport: 'http',
      url: 'https://shop.example/mcp',
      headers: { authorization: 'Bearer s3cret' },
      trusted: false,
    },
    policy: { tools: { 'delete_*': { approval: 'human' } } },
    access: { deny: [{ roles: ['user'] }] },
    forAgents: true,
    acceptToolsBy: 'ann',
    timeoutMs: 5_000,
    createdBy: 'ann',
    createdAt: 1_700_000_000_123,
    updatedAt: 1_700_000_000_123,
    ...how,
  });

  it('gives a server back as it was registered, and keeps its secrets sealed', async () => {
    expect(await store.insert(record())).toBe(true);
    expect(await store.servers()).toEqual([record()]);
    const rows = await opened.db.read.selectFrom('mcp_servers').selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(/s3cret|shop\.example/);
  });

  it('has a name once in a tenant, whatever number of registrations come at once', async () => {
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        store.insert(record({ id: `0190a000-0000-7000-8000-0000000000b${i}` })),
      ),
    );
    expect(made.filter(Boolean)).toHaveLength(1);
    const other = record({ id: '0190a000-0000-7000-8000-0000000000c1', tenantId: OTHER_TENANT });
    expect(await store.insert(other)).toBe(true);
    expect(await store.servers()).toHaveLength(2);
  });

  it('changes a server in its own tenant alone', async () => {
    await store.insert(record());
    await store.update(record({ tenantId: OTHER_TENANT, title: 'stolen' }));
    expect((await store.servers())[0]?.title).toBe('The shop');
    await store.update(record({ title: null, enabled: false, timeoutMs: 1 }));
    expect((await store.servers())[0]).toMatchObject({ title: null, enabled: false, timeoutMs: 1 });
  });

  it('keeps the first pin of a tool until another is accepted', async () => {
    const pin = (fingerprint: string) => ({
      tool: 'order',
      fingerprint,
      status: 'new' as const,
      acceptedBy: null,
    });
    await Promise.all([
      store.addPins(TENANT, 'shop', [pin('a')], 1),
      store.addPins(TENANT, 'shop', [pin('a')], 1),
    ]);
    await store.addPins(TENANT, 'shop', [pin('b')], 2);
    expect(await store.pins(TENANT, 'shop')).toEqual([pin('a')]);
    await store.acceptPin(TENANT, 'shop', { tool: 'order', fingerprint: 'b', acceptedBy: 'ann', at: 3 });
    expect(await store.pins(TENANT, 'shop')).toEqual([
      { tool: 'order', fingerprint: 'b', status: 'accepted', acceptedBy: 'ann' },
    ]);
    expect(await store.pins(OTHER_TENANT, 'shop')).toEqual([]);
  });

  it('seals sign-ins at remote servers, by tenant', async () => {
    await store.saveOAuth(TENANT, 'shop', '{"access_token":"t0ken"}', 1);
    await store.saveOAuth(null, 'shop', '{"access_token":"of all"}', 1);
    await store.saveOAuth(TENANT, 'shop', '{"access_token":"t0ken-2"}', 2);
    expect(await store.loadOAuth(TENANT, 'shop')).toBe('{"access_token":"t0ken-2"}');
    expect(await store.loadOAuth(null, 'shop')).toBe('{"access_token":"of all"}');
    expect(await store.loadOAuth(OTHER_TENANT, 'shop')).toBeNull();
    expect(JSON.stringify(await opened.db.read.selectFrom('mcp_oauth').selectAll().execute())).not.toContain(
      't0ken',
    );
  });

  it('forgets a server with all that belongs to it, in its tenant alone', async () => {
    for (const tenantId of [TENANT, OTHER_TENANT]) {
      await store.insert(record({ tenantId, id: tenantId }));
      await store.addPins(
        tenantId,
        'shop',
        [{ tool: 'order', fingerprint: 'a', status: 'accepted', acceptedBy: null }],
        1,
      );
      await store.saveOAuth(tenantId, 'shop', '{}', 1);
    }
    await store.remove(TENANT, 'shop');
    expect((await store.servers()).map((server) => server.tenantId)).toEqual([OTHER_TENANT]);
    expect(await store.pins(TENANT, 'shop')).toEqual([]);
    expect(await store.loadOAuth(TENANT, 'shop')).toBeNull();
    expect(await store.pins(OTHER_TENANT, 'shop')).toHaveLength(1);
    expect(await store.loadOAuth(OTHER_TENANT, 'shop')).toBe('{}');
  });
});
