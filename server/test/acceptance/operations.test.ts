import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { runCommand, startCommand } from '../support/command.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The commands beside a running server, and what they leave, on SQLite; server/test/all has PostgreSQL. */
let server: TestServer;
let admin: Client;
let folder = '';
const env = (): Record<string, string> => ({ DATA_DIR: server.dataDir });
const inFolder = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-ops-'));
  server = await startServer({ env: { DATABASE_URL: '' } });
  admin = await server.signIn();
  const uploaded = await admin.post('/api/v1/knowledge/documents', {
    title: 'Keeper’s book',
    content: 'The keeper polishes the brass lens of the lighthouse every Tuesday.',
  });
  expect(uploaded.status).toBe(201);
  // Bytes that do not get smaller, so that a backup takes its time.
  mkdirSync(path.join(server.dataDir, 'files'), { recursive: true });
  writeFileSync(path.join(server.dataDir, 'files', 'noise.bin'), randomBytes(12 * 1024 * 1024));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('backup and restore', () => {
  it(req(
    ['OPS-01', 'OPS-04'],
    'keeps what was acknowledged before, under live writes, and starts again from it',
  ), async () => {
    const acknowledged: string[] = [];
    let writing = true;
    const write = async (): Promise<void> => {
      while (writing) {
        const answer = await admin.post('/api/v1/conversations', { title: `n ${acknowledged.length}` });
        expect(answer.status).toBe(201);
        acknowledged.push(answer.json<{ id: string }>().id);
      }
    };
    const writer = write();
    await expect.poll(() => acknowledged.length).toBeGreaterThan(5);
    const before = [...acknowledged];
    const file = inFolder('live.ptar');
    const made = await runCommand(['backup', file], env());
    writing = false;
    await writer;
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(acknowledged.length).toBeGreaterThan(before.length);
    expect(statSync(file).mode & 0o077).toBe(0);

    const dataDir = inFolder('restored');
    const restored = await runCommand(['restore', file], { DATA_DIR: dataDir });
    expect(restored).toMatchObject({ code: 0, err: '' });
    expect(restored.out).toMatch(/conversations +\d+ rows +sha256 (\w{16}) = \1/);
    expect(readFileSync(path.join(dataDir, 'files', 'noise.bin'))).toEqual(
      readFileSync(path.join(server.dataDir, 'files', 'noise.bin')),
    );
    const proof = await runCommand(['audit', 'verify'], { DATA_DIR: dataDir });
    expect(proof).toMatchObject({ code: 0, err: '' });
    expect(proof.out).toContain('0 broken');

    const again = await startServer({ dataDir, env: { DATABASE_URL: '' } });
    try {
      const client = await again.signIn();
      for (const id of before) expect((await client.get(`/api/v1/conversations/${id}`)).status).toBe(200);
      const found = await client.post('/api/v1/knowledge/search', { query: 'polishing the brass lens' });
      expect(found.text).toContain('every Tuesday');
      const [hit] = found.json<{ results: { document_id: string }[] }>().results;
      const bytes = await client.get(`/api/v1/knowledge/documents/${hit?.document_id}/content`);
      expect(bytes.text).toBe('The keeper polishes the brass lens of the lighthouse every Tuesday.');
    } finally {
      await again.close();
    }
  }, 120_000);

  it(req(
    'OPS-02',
    'refuses a place that is not empty and an archive that is damaged, and changes nothing then',
  ), async () => {
    const file = inFolder('plain.ptar');
    expect((await runCommand(['backup', file], env())).code).toBe(0);
    expect(await runCommand(['backup', file], env())).toMatchObject({
      code: 2,
      err: expect.stringContaining('--overwrite'),
    });

    const busy = await runCommand(['restore', file, '--force'], env());
    expect(busy).toMatchObject({ code: 1, err: expect.stringContaining('in use by another') });

    const bytes = readFileSync(file);
    const damaged = inFolder('damaged.ptar');
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    writeFileSync(damaged, bytes);
    const cut = inFolder('cut.ptar');
    writeFileSync(cut, readFileSync(file).subarray(0, bytes.length - 2_000));
    const target = inFolder('untouched');
    for (const broken of [damaged, cut]) {
      expect((await runCommand(['restore', broken], { DATA_DIR: target })).code).toBe(1);
    }
    expect(existsSync(target)).toBe(false);

    expect((await runCommand(['restore', file], { DATA_DIR: target })).code).toBe(0);
    const held = readFileSync(path.join(target, 'pentarch.sqlite'));
    const full = await runCommand(['restore', file], { DATA_DIR: target });
    expect(full).toMatchObject({ code: 2, err: expect.stringContaining('not empty') });
    expect(readFileSync(path.join(target, 'pentarch.sqlite')).equals(held)).toBe(true);

    const forced = await runCommand(['restore', file, '--force'], { DATA_DIR: target });
    expect(forced).toMatchObject({ code: 0, out: expect.stringContaining('is kept in') });
    const aside = readdirSync(target).find((name) => name.startsWith('replaced-')) ?? '';
    expect(readFileSync(path.join(target, aside, 'pentarch.sqlite')).equals(held)).toBe(true);
  }, 120_000);

  it(req(
    'OPS-03',
    'leaves no file under its name when it is killed, and the next one goes through',
  ), async () => {
    const file = inFolder('killed.ptar');
    const { child, done } = startCommand(['backup', file], env());
    await expect
      .poll(() => (existsSync(`${file}.partial`) ? statSync(`${file}.partial`).size : 0), {
        timeout: 30_000,
        interval: 5,
      })
      .toBeGreaterThan(0);
    child.kill('SIGKILL');
    await done;
    expect(existsSync(file)).toBe(false);
    expect((await runCommand(['backup', file], env())).code).toBe(0);
    expect(existsSync(`${file}.partial`)).toBe(false);
    expect((await runCommand(['restore', file], { DATA_DIR: inFolder('after-kill') })).code).toBe(0);
  }, 120_000);

  it(req('OPS-03', 'says so where the file may not grow, and leaves nothing'), async () => {
    const file = inFolder('large.ptar');
    const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');
    const child = spawn(
      'sh',
      ['-c', 'ulimit -f 4096; exec "$0" "$@"', process.execPath, main, 'backup', file],
      {
        cwd: folder,
        env: { PATH: process.env.PATH ?? '', HOME: folder, ...env() },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    let said = '';
    child.stderr.on('data', (part: Buffer) => {
      said += part.toString();
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(said).toContain(`${file} may not grow so large`);
    expect(code).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('large'))).toEqual([]);
  }, 60_000);

  it(req('OPS-07', 'encrypts under a passphrase, and gives nothing without it'), async () => {
    const secret = inFolder('passphrase');
    writeFileSync(secret, 'nine green bottles on a wall\n');
    const other = inFolder('other');
    writeFileSync(other, 'nine green bottles on the wall\n');
    const file = inFolder('sealed.ptar');
    expect((await runCommand(['backup', file, '--passphrase-file', secret], env())).code).toBe(0);
    const target = { DATA_DIR: inFolder('unsealed') };
    expect(await runCommand(['restore', file], target)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--passphrase-file'),
    });
    expect(await runCommand(['restore', file, '--passphrase-file', other], target)).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be decrypted'),
    });
    expect(existsSync(target.DATA_DIR)).toBe(false);
    expect((await runCommand(['restore', file, '--passphrase-file', secret], target)).code).toBe(0);
  }, 120_000);
});

describe('commands', () => {
  it(req('OPS-08', 'lists all with --help; an unknown one is exit 2 with the list'), async () => {
    const help = await runCommand(['--help'], {});
    expect(help.code).toBe(0);
    for (const name of [
      'serve',
      'migrate',
      'doctor',
      'backup',
      'restore',
      'export',
      'import',
      'purge',
      'audit verify',
      'keys rotate',
      'keys recover',
    ]) {
      expect(help.out).toContain(`\n  ${name}`);
    }
    const unknown = await runCommand(['bakcup'], {});
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain('unknown command: bakcup');
    expect(unknown.err).toContain('backup FILE');
    expect((await runCommand(['backup'], env())).code).toBe(2);
    expect((await runCommand(['backup', '--fast', 'x'], env())).code).toBe(2);
  });

  it(req('OPS-08', 'doctor: ok on a server that runs, and for what is wrong says what to do'), async () => {
    const well = await runCommand(['doctor'], { ...env(), PORT: new URL(server.url).port });
    expect(well.code).toBe(0);
    expect(well.out).toMatch(/^ok +lock +held/m);
    expect(well.out).toMatch(/^ok +schema +\S+, up to date/m);
    expect(well.out).toMatch(/^ok +signing keys/m);
    expect(well.out).toMatch(/^warn +port .*is taken/m);

    const settings = await runCommand(['doctor'], { PORT: 'eighty', LOG_LEVEL: 'loud' });
    expect(settings.code).toBe(1);
    expect(settings.out).toMatch(/^fail +settings +PORT="eighty" is wrong: it must be a whole number/m);
    expect(settings.out).toMatch(/^fail +settings +LOG_LEVEL="loud"/m);

    const dataDir = inFolder('sick');
    mkdirSync(path.join(dataDir, 'keys'), { recursive: true, mode: 0o755 });
    const file = inFolder('doctor.ptar');
    expect((await runCommand(['backup', file], env())).code).toBe(0);
    expect((await runCommand(['restore', file], { DATA_DIR: dataDir })).code).toBe(0);
    writeFileSync(path.join(dataDir, 'keys', 'identity.key'), randomBytes(32).toString('base64url'), {
      mode: 0o644,
    });
    const sick = await runCommand(['doctor', '--offline'], {
      DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_URL: '',
    });
    expect(sick.code).toBe(1);
    expect(sick.out).toMatch(/^fail +signing keys .*Bring back DATA_DIR\/keys/m);

    const nowhere = await runCommand(['doctor', '--offline'], {
      DATA_DIR: inFolder('none'),
      PORT: '0',
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      REDIS_URL: 'redis://127.0.0.1:1',
      PLATFORM_KEY: randomBytes(32).toString('base64url'),
    });
    expect(nowhere.code).toBe(1);
    expect(nowhere.out).toMatch(/^fail +redis .*Check REDIS_URL/m);
    expect(nowhere.out).toMatch(/^fail +database .*Check DATABASE_URL/m);
  }, 60_000);

  it(req(
    'OPS-08',
    'keys rotate: a new key signs within seconds and after the next start, old tokens stay good',
  ), async () => {
    const old = await server.signIn();
    const rotated = await runCommand(['keys', 'rotate'], env());
    expect(rotated.code).toBe(0);
    const kid = /[0-9a-f-]{36}/.exec(rotated.out)?.[0];
    const signedWith = async (): Promise<unknown> => {
      const [header = ''] = ((await server.signIn()).token ?? '').split('.');
      return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: unknown }).kid;
    };
    // The running server follows by itself.
    await expect.poll(signedWith, { timeout: 30_000, interval: 500 }).toBe(kid);
    const rows = await old.get('/v2/audit?action=signing_key.rotated');
    expect(rows.json<{ items: unknown[] }>().items[0]).toMatchObject({
      target_id: kid,
      actor_type: 'system',
    });
    await server.end('SIGTERM');
    await server.start();
    expect((await old.get('/v2/users/me')).status).toBe(200);
    const fresh = await server.signIn();
    const [head = ''] = (fresh.token ?? '').split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({ kid });
  }, 60_000);
});

describe('sums of the costs', () => {
  it(req('COST-28', 'are compared with the rows, and made anew, beside a running server'), async () => {
    expect((await admin.post('/api/v1/chat', { message: 'hello' })).status).toBe(200);
    const usage = async () =>
      (await admin.get('/api/v1/costs/usage?scope=tenant')).json<{ requests: number }>();
    const { requests } = await usage();
    expect(requests).toBeGreaterThan(0);
    const run = (what: string) => runCommand(['costs', what], env());
    expect(await run('check')).toMatchObject({ code: 0, out: expect.stringMatching(/^ok {6}tenant/m) });
    const file = new DatabaseSync(path.join(server.dataDir, 'pentarch.sqlite'));
    file.exec('pragma busy_timeout = 5000; update cost_sums set requests = requests + 7');
    file.close();
    expect((await usage()).requests).toBeGreaterThan(requests);
    expect(await run('check')).toMatchObject({ code: 1, out: expect.stringMatching(/^WRONG {3}tenant/m) });
    expect(await run('rebuild')).toMatchObject({ code: 0, err: '' });
    expect(await run('check')).toMatchObject({ code: 0 });
    expect((await usage()).requests).toBe(requests);
  }, 120_000);
});

describe('audit heads', () => {
  it(req(
    'AUDIT-05',
    'stand in the log and in what backup says, and audit verify --head finds them',
  ), async () => {
    await expect.poll(() => server.log.filter((line) => line.msg === 'audit head').length).toBeGreaterThan(0);
    const logged = server.log.map((line) => line.audit_head).filter((head) => head !== undefined) as {
      hash: string;
    }[];
    const made = await runCommand(['backup', inFolder('heads.ptar')], env());
    const [, said = ''] = /^audit head of \S+: ([0-9a-f]{64})/m.exec(made.out) ?? [];
    const heads = [logged[0]?.hash ?? '', said].flatMap((hash) => ['--head', hash]);
    const proof = await runCommand(['audit', 'verify', ...heads], env());
    expect(proof).toMatchObject({ code: 0, out: expect.stringMatching(/[1-9]\d* signed, 0 broken/) });
    const foreign = await runCommand(['audit', 'verify', '--head', 'a'.repeat(64)], env());
    expect(foreign).toMatchObject({ code: 1, out: expect.stringContaining('is in no chain') });
    expect((await runCommand(['audit', 'verify', '--head', 'abc'], env())).code).toBe(2);
  }, 60_000);
});
