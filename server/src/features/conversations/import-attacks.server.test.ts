import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import {
  type ArchiveKit,
  type LooseManifest,
  putTogether,
  takeApart,
} from '../../../test/support/archive-kit.ts';
import type { Client } from '../../../test/support/client.ts';
import { runCommand } from '../../../test/support/command.ts';
import { runCommandHere } from '../../../test/support/command-here.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';
import { newDatabase, postgresServer } from '../../../test/support/stores.ts';

/** What somebody can write into a tenant's archive, against a platform with a tenant of its own, on either engine. */
let folder = '';
let target: TestServer;
let there: Record<string, string> = {};
let exported = '';
let adminId = '';
let otherTenant = '';
let otherDocument = { id: '', sha256: '' };
let otherConversation = '';
const opened: { close(): Promise<void> }[] = [];
const inFolder = (name: string): string => path.join(folder, name);
const ANN = { email: 'ann@example.com', password: 'a quiet harbour at night' };
const CONTENT = 'The keeper polishes the brass lens of the lighthouse every Tuesday.';

const made = async (client: Client, what: string, body: unknown): Promise<string> => {
  const answer = await client.post(what, body);
  if (answer.status !== 201) throw new Error(`${what}: ${answer.status} ${answer.text}`);
  return answer.json<{ id: string }>().id;
};

const makeSource = async (): Promise<void> => {
  const source = await startServer({ env: { DATABASE_URL: '' } });
  opened.push(source);
  const root = await source.signIn();
  await made(root, '/v2/tenants', { name: 'North', slug: 'north', admin: ANN });
  const ann = await source.signIn(ANN.email, ANN.password);
  await made(ann, '/api/v1/knowledge/documents', {
    title: 'Book',
    content: CONTENT,
    visibility: 'tenant',
    trusted: true,
  });
  await made(ann, '/v2/webhooks', {
    url: 'https://hooks.example.com/in',
    events: ['conversation.completed'],
  });
  await made(ann, '/v2/tasks', { description: 'Say hello', cron: '0 9 * * *' });
  const key = await ann.post('/v2/auth/api-keys', { name: 'robot' });
  expect(key.status).toBe(201);
  const server = {
    name: 'remote',
    transport: 'http',
    url: 'https://mcp.example.com/',
    headers: { authorization: 'Bearer x' },
  };
  expect((await ann.post('/api/v1/mcp/servers', server)).status).toBe(201);
  expect((await ann.post('/api/v1/chat', { message: 'When is the lens polished?' })).status).toBe(200);
  const rpc = (method: string, params: object) =>
    ann.post('/a2a', { jsonrpc: '2.0', id: 1, method, params }, { headers: { 'a2a-version': '1.0' } });
  const listed = await rpc('ListTasks', {});
  const [task] = listed.json<{ result: { tasks: { id: string }[] } }>().result.tasks;
  const push = { taskId: task?.id, id: 'c', url: 'https://hooks.example.com/a2a', token: 'known' };
  const answer = await rpc('CreateTaskPushNotificationConfig', push);
  expect(answer.body).toMatchObject({ result: push });
  await source.end('SIGTERM');
  const result = await runCommand(['export', '--tenant', 'north', exported, '--without-passphrase'], {
    DATA_DIR: source.dataDir,
  });
  expect(result).toMatchObject({ code: 0, err: '' });
};

const makeTarget = async (): Promise<void> => {
  let url = '';
  if (postgresServer !== undefined) {
    const database = await newDatabase(postgresServer);
    opened.push({ close: database.drop });
    ({ url } = database);
  }
  target = await startServer({ env: { DATABASE_URL: url } });
  opened.push(target);
  there = { DATA_DIR: target.dataDir, DATABASE_URL: url };
  const root = await target.signIn();
  adminId = (await root.get('/v2/users/me')).json<{ id: string }>().id;
  const cleo = { email: 'cleo@example.com', password: 'a quiet harbour at noon' };
  otherTenant = await made(root, '/v2/tenants', { name: 'South', slug: 'south', admin: cleo });
  const other = await target.signIn(cleo.email, cleo.password);
  const id = await made(other, '/api/v1/knowledge/documents', {
    title: 'Theirs',
    content: 'Their own words.',
  });
  otherDocument = { id, sha256: createHash('sha256').update('Their own words.').digest('hex') };
  otherConversation = await made(other, '/api/v1/conversations', { title: 'Theirs' });
  await target.end('SIGTERM');
};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-import-'));
  exported = inFolder('north.ptar');
  await makeSource();
  await makeTarget();
}, 120_000);
afterAll(async () => {
  for (const each of opened.reverse()) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Names and bytes of everything in the target's data folder but what the engine keeps beside its file. */
const filesOf = (at: string): string[] =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(pentarch|lock)\.sqlite/.test(entry.name))
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return `${path.relative(at, file)} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
    })
    .sort();

interface Attack {
  /** What is changed in the archive. */
  how(kit: ArchiveKit): void;
  /** What is said. */
  says: RegExp;
  change?: (manifest: LooseManifest) => void;
  more?: { name: string; bytes?: Buffer; kind?: string }[];
}

const first = (kit: ArchiveKit, table: string): Record<string, unknown> => {
  const [row] = kit.rows(table);
  if (row === undefined) throw new Error(`the archive has no ${table}`);
  return row;
};
const set =
  (table: string, fields: () => Record<string, unknown>) =>
  (kit: ArchiveKit): void =>
    void Object.assign(first(kit, table), fields());
const addLimit =
  (fields: Record<string, unknown>) =>
  (kit: ArchiveKit): void =>
    void kit.tables.set('cost_limits', [
      {
        id: randomUUID(),
        tenant_id: kit.manifest.tenant.id,
        scope: 'tenant',
        subject: kit.manifest.tenant.id,
        period: 'day',
        limit_nano: 1,
        created_at: 1,
        ...fields,
      },
    ]);
const leadingTo = (file: () => string): Attack => ({
  how: (kit) => void kit.files.push({ path: file(), bytes: Buffer.from('taken over') }),
  says: /outside of files\//,
});
const nothing = (): void => {};

const ATTACKS: Record<string, Attack> = {
  'a key of the platform’s administrator': {
    how: set('api_keys', () => ({ user_id: adminId })),
    says: /api_keys names users|row of another tenant/,
  },
  'a conversation of somebody of another tenant': {
    how: set('conversations', () => ({ user_id: adminId })),
    says: /names users/,
  },
  'a task of the administrator': {
    how: set('tasks', () => ({ user_id: adminId })),
    says: /tasks names users/,
  },
  'a run in a conversation of others': {
    how: set('runs', () => ({ conversation_id: otherConversation })),
    says: /runs names conversations|row of another tenant/,
  },
  'a row of another tenant': {
    how: set('conversations', () => ({ tenant_id: otherTenant })),
    says: /belongs to another tenant/,
  },
  'a passage of another’s document': {
    how: set('chunks', () => ({ document_id: otherDocument.id })),
    says: /chunks names documents|constraint|other row|read back/i,
  },
  'an id of others inside of a request': {
    how: set('runs', () => ({ request: JSON.stringify({ conversation_id: otherConversation }) })),
    says: /another tenant's/,
  },
  'a document that is here': {
    how: (kit) => {
      const old = first(kit, 'documents').id;
      for (const table of ['documents', 'chunks'])
        for (const row of kit.rows(table))
          for (const column of ['id', 'document_id']) if (row[column] === old) row[column] = otherDocument.id;
      kit.blobs.clear();
    },
    says: /is here already/,
  },
  'bytes of another’s document': {
    how: (kit) =>
      void kit.blobs.set(
        `blobs/${otherDocument.sha256}/${otherDocument.id}`,
        Buffer.from('Their own words.'),
      ),
    says: /not of one of its documents/,
  },
  'keys of the installation': leadingTo(() => 'keys/identity.key'),
  'a path that leads up': leadingTo(() => `files/${'a'.repeat(32)}/../../keys/identity.key`),
  'a path that leads up, with its own folder first': {
    ...leadingTo(() => ''),
    how: (kit) => {
      const own = createHash('sha256').update(kit.manifest.tenant.id).digest('hex').slice(0, 32);
      kit.files.push({ path: `files/${own}/../../keys/mcp.key`, bytes: Buffer.from('x') });
    },
  },
  'an absolute path': leadingTo(() => '/etc/cron.d/pentarch'),
  'the folder of another tenant': leadingTo(
    () => `files/${createHash('sha256').update(otherTenant).digest('hex').slice(0, 32)}/x/note.txt`,
  ),
  'the store itself': leadingTo(() => 'pentarch.sqlite'),
  'a file twice': {
    how: (kit) => {
      const own = createHash('sha256').update(kit.manifest.tenant.id).digest('hex').slice(0, 32);
      for (const name of ['note.txt', 'NOTE.txt'])
        kit.files.push({ path: `files/${own}/x/${name}`, bytes: Buffer.from('x') });
    },
    says: /names a file twice/,
  },
  'a symbolic link': { how: nothing, more: [{ name: 'files/1', kind: '2' }], says: /more than plain files/ },
  'a file that belongs to none': {
    how: nothing,
    more: [{ name: 'keys/identity.key' }],
    says: /belongs to none/,
  },
  'a table of the platform': {
    how: (kit) => {
      kit.tables.set('signing_keys', [
        { id: 'k', public_jwk: '{}', private_sealed: 'x', created_at: 9e12, retired_at: null },
      ]);
    },
    says: /belongs to the platform/,
  },
  sessions: {
    how: (kit) =>
      void kit.tables.set('access_tokens', [
        { jti: 'x', user_id: adminId, client_id: 'x', expires_at: 9e12 },
      ]),
    says: /belongs to the platform/,
  },
  'a column that ends the statement': {
    how: nothing,
    change: (manifest) =>
      void manifest.tables.find((t) => t.name === 'users')?.columns.push('x") values (1); --'),
    says: /has no column/,
  },
  'a tenant whose id is a path': {
    how: nothing,
    change: (manifest) => void Object.assign(manifest.tenant, { id: '../../../tmp/pentarch-gone' }),
    says: /has no id of the form/,
  },
  'the tenant of all tenants': {
    how: nothing,
    change: (manifest) => void Object.assign(manifest.tenant, { id: '*' }),
    says: /has no id of the form/,
  },
  'the tenant of the administrators': {
    how: nothing,
    change: (manifest) => void Object.assign(manifest.tenant, { slug: 'default' }),
    says: /run the platform/,
  },
  'a count beyond all numbers': {
    how: nothing,
    change: (manifest) => {
      const [table] = manifest.tables;
      if (table !== undefined) table.rows = 1e300;
    },
    says: /no manifest that this release understands/,
  },
  'a negative count': {
    how: nothing,
    change: (manifest) => void Object.assign(manifest, { blobs: { count: -1, bytes: -1 } }),
    says: /no manifest that this release understands/,
  },
  'text where a number belongs': {
    how: set('users', () => ({ created_at: 'now' })),
    says: /another kind in created_at/,
  },
  'a number where text belongs': { how: set('users', () => ({ roles: 1 })), says: /another kind in roles/ },
  'a role of the platform': {
    how: set('users', () => ({ roles: '["platform_admin"]' })),
    says: /cannot give/,
  },
  'a permission that is none': { how: set('users', () => ({ permissions: '["*"]' })), says: /cannot give/ },
  'a password hash that takes all memory': {
    how: set('users', () => ({
      password_hash: '$argon2id$v=19$m=4194304,t=99,p=1$c29tZXNhbHQxMjM0NTY$c29tZWhhc2gxMjM0NTY3ODkwMTIzNDU2',
    })),
    says: /password hash/,
  },
  'an e-mail that folds to another’s': {
    how: set('users', () => ({ email: 'ADMIN@localhost' })),
    says: /belong to accounts here/,
  },
  'a schedule that stops the clock': {
    how: set('tasks', () => ({ timezone: 'Not/AZone' })),
    says: /time zone/,
  },
  'a task that may make tasks without end': { how: set('tasks', () => ({ depth: -50 })), says: /depth/ },
  'a task of a depth that is none': { how: set('tasks', () => ({ depth: 3 })), says: /depth/ },
  'a limit of the platform': { how: addLimit({ scope: 'platform' }), says: /scope that is none/ },
  'a limit of less than nothing': { how: addLimit({ limit_nano: -1 }), says: /amount that is none/ },
  'a webhook that reads for nobody': {
    how: set('webhooks', () => ({ readers: '[]' })),
    says: /webhook of the archive does not say for whom/,
  },
  'a webhook that reads for what is no account': {
    how: set('webhooks', () => ({ readers: '["x"]' })),
    says: /webhook of the archive does not say for whom/,
  },
  'a webhook with a credential that is none': {
    how: set('webhooks', () => ({ credential: '{"v":1}' })),
    says: /webhook of the archive does not say for whom/,
  },
  'a webhook that reads for an account of another tenant': {
    how: set('webhooks', () => ({ readers: JSON.stringify([{ user_id: adminId, credential: null }]) })),
    says: /another tenant|names/,
  },
  'notifications of a task with a credential that is none': {
    how: set('a2a_push_configs', () => ({ credential: '{"v":1}' })),
    says: /notifications of a task do not say for whom/,
  },
  'notifications of a task of another tenant': {
    how: set('a2a_push_configs', () => ({ user_id: adminId })),
    says: /which is not of this tenant/,
  },
  'a webhook for events that are none': {
    how: set('webhooks', () => ({ events: '{}' })),
    says: /webhook of the archive/,
  },
  'a job of the platform': {
    how: (kit) =>
      void kit.tables.set('jobs', [
        {
          id: randomUUID(),
          kind: 'retention.purge',
          state: 'queued',
          payload: JSON.stringify({ v: 1, tenant_id: kit.manifest.tenant.id }),
          priority: 0,
          attempts: 0,
          run_at: 0,
          created_at: 0,
        },
      ]),
    says: /not a tenant's|another kind/,
  },
  'a client with the id of the console': {
    how: (kit) =>
      void kit.tables.set('oauth_clients', [
        {
          id: 'pentarch-console',
          tenant_id: kit.manifest.tenant.id,
          name: 'x',
          type: 'public',
          redirect_uris: '["https://evil.example.com/"]',
          created_by: 'x',
          created_at: 1,
          jwks: null,
          secret_hash: null,
          service_user_id: null,
        },
      ]),
    says: /platform's own/,
  },
  'a row twice': {
    how: (kit) =>
      void kit
        .rows('users')
        .push({ ...first(kit, 'users'), email: 'again@example.com', email_folded: 'again@example.com' }),
    says: /unique/i,
  },
};

describe('a hostile archive', () => {
  it.each(Object.entries(ATTACKS))(
    req('OPS-11', '%s: refused, and nothing is changed'),
    async (name, attack) => {
      const kit = await takeApart(exported);
      attack.how(kit);
      const file = inFolder(`${name.replaceAll(/\W/g, '-')}.ptar`);
      putTogether(kit, file, attack);
      const before = filesOf(target.dataDir);
      const result = await runCommandHere(['import', file, '--foreign'], there);
      expect(result.err).toMatch(attack.says);
      expect(result.code).not.toBe(0);
      expect(filesOf(target.dataDir)).toEqual(before);
      const known = await runCommandHere(
        ['export', '--tenant', 'north', inFolder('none.ptar'), '--without-passphrase'],
        there,
      );
      expect(known.err).toContain('there is no tenant north');
    },
    60_000,
  );
});

describe('an archive of another platform', () => {
  it(req(
    'OPS-12',
    'is taken only with --foreign; tier, guard of addresses, commands and ties are this platform’s',
  ), async () => {
    const kit = await takeApart(exported);
    const tenantId = kit.manifest.tenant.id;
    Object.assign(first(kit, 'tenants'), { tier: 'enterprise', external_id: 'an organisation of others' });
    Object.assign(first(kit, 'users'), {
      tier: 'enterprise',
      external_id: 'https://idp.example.com|somebody',
    });
    Object.assign(first(kit, 'a2a_push_configs'), { url: 'http://127.0.0.1/', due: 1, finished_at: null });
    Object.assign(first(kit, 'webhooks'), { url: 'http://169.254.169.254/latest/meta-data' });
    const server = first(kit, 'mcp_servers');
    server.endpoint = JSON.stringify({ ...JSON.parse(String(server.endpoint)), trusted: true });
    const copy = (name: string, endpoint: unknown) =>
      kit.rows('mcp_servers').push({ ...server, id: randomUUID(), name, endpoint: JSON.stringify(endpoint) });
    copy('inner', { transport: 'http', url: 'http://127.0.0.1:6379/', headers: {}, trusted: true });
    copy('shell', {
      transport: 'stdio',
      command: 'sh',
      args: ['-c', `id > ${path.join(folder, 'owned')}`],
      env: {},
    });
    const line = (name: string, args: string[]) =>
      copy(name, { transport: 'stdio', command: 'pentarch-books', args, env: {} });
    line('whole', ['--root', '/srv/north']);
    line('longer', ['--root', '/srv/north', '--and-more']);
    line('shorter', ['--root']);
    line('elsewhere', ['--root', '/srv/south']);
    line('of-others', ['--root', '/srv/others']);
    line('of-the-platform', ['--root', '/srv/platform']);
    const own = createHash('sha256').update(tenantId).digest('hex').slice(0, 32);
    kit.files.push({ path: `files/${own}/x/note.txt`, bytes: Buffer.from('by an agent') });
    const file = inFolder('foreign.ptar');
    putTogether(kit, file);

    // Somebody’s own file in the way is not replaced, and then nothing comes in.
    const inTheWay = path.join(target.dataDir, 'files', own, 'x', 'note.txt');
    mkdirSync(path.dirname(inTheWay), { recursive: true });
    writeFileSync(inTheWay, 'was here');
    expect(await runCommand(['import', file], there)).toMatchObject({
      code: 2,
      err: expect.stringContaining('not made by this platform'),
    });
    expect(await runCommand(['import', file, '--foreign'], there)).toMatchObject({
      code: 1,
      err: expect.stringContaining('an import replaces nothing'),
    });
    expect(readFileSync(inTheWay, 'utf8')).toBe('was here');
    rmSync(inTheWay);

    const taken = await runCommand(['import', file, '--foreign'], {
      ...there,
      MCP_ALLOW_STDIO: ['north: ', 'other: ', '']
        .map((who, i) => `${who}pentarch-books --root /srv/${['north', 'others', 'platform'][i]}`)
        .join(),
    });
    expect(taken).toMatchObject({ code: 0, err: '' });
    // An entry allows its whole command line to its tenant: no part of one, and nothing of the platform's own.
    for (const name of ['longer', 'shorter', 'elsewhere', 'of-others', 'of-the-platform'])
      expect(taken.out).toContain(`left out: the MCP server ${name}, since`);
    expect(taken.out).toMatch(/made elsewhere: the tenant gets the tier free/);
    expect(taken.out).toMatch(/not taken over: that documents are trusted/);
    expect(taken.out).toMatch(/left out: the MCP server inner/);
    expect(taken.out).toMatch(/left out: the MCP server shell/);
    expect(taken.out).toMatch(/ended: the notifications of a task to http:\/\/127/);
    expect(taken.out).toMatch(/switched off: the webhook to http:\/\/169\.254/);
    expect(readFileSync(inTheWay, 'utf8')).toBe('by an agent');

    await target.start();
    const ann = await target.signIn(ANN.email, ANN.password);
    expect((await ann.get('/v2/users/me')).body).toMatchObject({ tier: 'free' });
    expect((await ann.get('/v2/webhooks')).json<{ items: unknown[] }>().items).toMatchObject([
      { status: 'disabled' },
    ]);
    const servers = (await ann.get('/api/v1/mcp/servers')).json<{
      items: { name: string; source: string }[];
    }>();
    expect(
      servers.items
        .filter((one) => one.source === 'api')
        .map((one) => one.name)
        .sort(),
    ).toEqual(['remote', 'whole']);
    const found = await ann.post('/api/v1/knowledge/search', { query: 'polishing the brass lens' });
    expect(found.text).toContain('every Tuesday');
    const documents = await ann.get('/api/v1/knowledge/documents');
    expect(documents.json<{ items: object[] }>().items).toMatchObject([{ title: 'Book', trusted: false }]);
    const rows = await (await target.signIn()).get('/v2/audit?action=tenant.imported');
    expect(rows.json<{ items: unknown[] }>().items).toMatchObject([
      { target_id: tenantId, details: { own: false } },
    ]);
    await target.end('SIGTERM');
    expect(await runCommand(['audit', 'verify'], there)).toMatchObject({ code: 0 });
  }, 120_000);

  it(req(
    'OPS-12',
    'of this very platform needs no word, and is another’s as soon as a byte of it is changed',
  ), async () => {
    const file = inFolder('own.ptar');
    const out = await runCommand(['export', '--tenant', 'south', file, '--without-passphrase'], there);
    expect(out).toMatchObject({ code: 0, err: '' });
    const again = await runCommand(['import', file], there);
    expect(again.out).toContain('made by this platform');
    expect(again.err).toContain('here already');
    const kit = await takeApart(file);
    first(kit, 'tenants').name = 'Changed';
    putTogether(kit, file);
    expect((await runCommand(['import', file], there)).err).toContain('not made by this platform');
    expect(existsSync(path.join(folder, 'owned'))).toBe(false);
  }, 60_000);
});
