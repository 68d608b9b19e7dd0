import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, vi } from 'vitest';
import { createBrowser, signIn } from '../../server/test/support/browser.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import type { TestServer } from '../../server/test/support/server.ts';
import { withServer } from '../../server/test/support/suite.ts';
import { type Ended, type RunOptions, run, start } from './run.ts';

/** The command line as people and programs use it: processes against a started server. */

const ROOT = path.join(import.meta.dirname, '..', '..');
// Each command is a process of its own, and other suites run beside this one.
vi.setConfig({ testTimeout: 180_000 });

const HANDBOOK = path.join(ROOT, 'server', 'test', 'fixtures', 'keepers-handbook.pdf');

let server: TestServer;
let folder: string;
let env: Record<string, string>;

const cli = (args: readonly string[], options: RunOptions = {}): Promise<Ended> =>
  run(args, { ...options, env: { ...env, ...options.env } });

const good = async (args: readonly string[], options: RunOptions = {}): Promise<Ended> => {
  const ended = await cli(args, options);
  expect(ended.code, `${args.join(' ')}: ${ended.stderr}`).toBe(0);
  return ended;
};

const signInByPassword = (options: RunOptions = {}): Promise<Ended> =>
  good(['login', '--url', server.url, '--email', server.admin.email, '--password-stdin'], {
    input: `${server.admin.password}\n`,
    ...options,
  });

const it = withServer({ env: { MCP_BUILTIN: 'on' } });
it.beforeAll(async ({ world }) => {
  ({ server } = world);
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-cli-'));
  env = { XDG_CONFIG_HOME: path.join(folder, 'config') };
  await signInByPassword();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('signing in', () => {
  const profilesFile = (): string => path.join(folder, 'config', 'pentarch', 'profiles.json');

  it('by password, into a file that only its owner can read', async () => {
    expect(statSync(profilesFile()).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(profilesFile())).mode & 0o777).toBe(0o700);
    const me = await good(['whoami', '--json']);
    expect(me.json<{ email: string }>().email).toBe(server.admin.email);
  });

  it('in the browser by code and PKCE, back over loopback', async () => {
    const own = { env: { XDG_CONFIG_HOME: path.join(folder, 'browser') } };
    const login = start(['login', '--url', server.url, '--no-browser', '--json'], {
      ...own,
      env: { ...own.env },
    });
    const [, address = ''] = await login.said(/(http\S+\/oauth\/v2\/authorize\S+)/);
    const wanted = new URL(address).searchParams;
    expect(wanted.get('code_challenge_method')).toBe('S256');
    const back = await signIn(createBrowser(server.url), address, server.admin);
    const landing = await fetch(`${wanted.get('redirect_uri')}?${back}`);
    expect(await landing.text()).toContain('Signed in');
    const ended = await login.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json<{ email: string }>().email).toBe(server.admin.email);
    expect((await cli(['whoami', '--json'], own)).code).toBe(0);
  });

  it('at the identity provider that the server names, with its client and scopes', async () => {
    const wanted = 'openid offline_access urn:zitadel:iam:user:resourceowner';
    const door = createServer((request, response) => {
      response.statusCode = request.url === '/console/config.json' ? 200 : 404;
      response.end(
        JSON.stringify({ issuer: 'https://idp.example', cli_client_id: 'cli-at-idp', scopes: wanted }),
      );
    });
    await new Promise<void>((done) => door.listen(0, '127.0.0.1', done));
    const { port } = door.address() as AddressInfo;
    const addressOf = async (...options: string[]): Promise<URL> => {
      const login = start(['login', '--url', `http://127.0.0.1:${port}`, '--no-browser', ...options], {
        env: { XDG_CONFIG_HOME: path.join(folder, 'external') },
        input: 'http://127.0.0.1/callback?error=access_denied\n',
      });
      const [, address = ''] = await login.said(/(http\S+\/oauth\/v2\/authorize\S+)/);
      await login.ended;
      return new URL(address);
    };
    try {
      const url = await addressOf();
      expect(url.origin).toBe('https://idp.example');
      expect(url.searchParams.get('client_id')).toBe('cli-at-idp');
      expect(url.searchParams.get('scope')).toBe(wanted);
      const own = await addressOf('--scope', 'openid organization:acme', '--client-id', 'mine');
      expect(own.searchParams.get('scope')).toBe('openid organization:acme');
      expect(own.searchParams.get('client_id')).toBe('mine');
    } finally {
      door.close();
    }
  });

  it('in the browser of another machine, with the address pasted', async () => {
    const login = start(['login', '--url', server.url, '--no-browser', '--json'], {
      env: { XDG_CONFIG_HOME: path.join(folder, 'pasted') },
      input: 'http://127.0.0.1/callback?error=access_denied&error_description=no+thanks\n',
    });
    const ended = await login.ended;
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain('no thanks');
  });

  it('on a page of another device, by a code', async () => {
    const own = { env: { XDG_CONFIG_HOME: path.join(folder, 'device') } };
    const login = start(['login', '--url', server.url, '--device', '--json'], own);
    const [, code = ''] = await login.said(/give the code ([A-Z]{4}-[A-Z]{4})/);
    const [, page = ''] = await login.said(/(http\S+\/oauth\/v2\/device)/);
    const browser = createBrowser(server.url);
    const confirm = await browser.submit(await browser.open(page), 'device', { user_code: code });
    const asked = await browser.submit(confirm, 'device', { confirm: 'yes' });
    const consent = await browser.submit(asked, 'login', server.admin);
    expect((await browser.submit(consent, 'consent')).text).toContain('is signed in');
    const ended = await login.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.json<{ email: string }>().email).toBe(server.admin.email);
    expect((await cli(['whoami', '--json'], own)).code).toBe(0);
    const file = readFileSync(path.join(folder, 'device', 'pentarch', 'profiles.json'), 'utf8');
    expect(file).toContain('refreshToken');
  });

  it('says that somebody said no on the page, and where there is no such sign-in', async () => {
    const own = { env: { XDG_CONFIG_HOME: path.join(folder, 'device-refused') } };
    const login = start(['login', '--url', server.url, '--device'], own);
    const [, code = ''] = await login.said(/give the code ([A-Z]{4}-[A-Z]{4})/);
    const browser = createBrowser(server.url);
    const confirm = await browser.submit(await browser.open(`${server.url}/oauth/v2/device`), 'device', {
      user_code: code,
    });
    await browser.submit(confirm, 'device', { abort: 'yes' });
    const ended = await login.ended;
    expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining('the sign-in was refused')]);
    const door = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((done) => door.listen(0, '127.0.0.1', done));
    const { port } = door.address() as AddressInfo;
    const without = await cli(['login', '--url', `http://127.0.0.1:${port}`, '--device'], own);
    door.close();
    expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('no sign-in by device')]);
  });

  /** A provider whose device is answered with these one after another, the last one again and again. */
  const providerOf = async (life: number, answers: ((response: ServerResponse) => void)[]) => {
    const asked: number[] = [];
    const door = createServer((request, response) => {
      const { port } = door.address() as AddressInfo;
      const own = `http://127.0.0.1:${port}`;
      if (request.url?.startsWith('/.well-known/') === true)
        response.end(
          JSON.stringify({ device_authorization_endpoint: `${own}/device`, token_endpoint: `${own}/token` }),
        );
      else if (request.url === '/device')
        response.end(
          JSON.stringify({
            device_code: 'long',
            user_code: '\u001b]0;owned\u0007\u001b[31mABCD-EFGH\u0007',
            verification_uri: `${own}/\u001b[2J\u0007page`,
            interval: 0.1,
            expires_in: life,
          }),
        );
      else if (request.url === '/token') {
        const answer = answers[Math.min(asked.length, answers.length - 1)];
        asked.push(performance.now());
        answer?.(response);
      } else response.writeHead(404).end('{}');
    });
    await new Promise<void>((done) => door.listen(0, '127.0.0.1', done));
    const { port } = door.address() as AddressInfo;
    const close = () => {
      door.close();
      door.closeAllConnections();
    };
    return { url: `http://127.0.0.1:${port}`, asked, close };
  };
  const oauthFault =
    (error: string, status = 400, headers: Record<string, string> = {}) =>
    (response: ServerResponse): void =>
      void response.writeHead(status, headers).end(JSON.stringify({ error }));

  it('asks on, slower, where the provider stumbles while the person is at the page of the device', async () => {
    const own = { env: { XDG_CONFIG_HOME: path.join(folder, 'device-stumbles') } };
    const provider = await providerOf(60, [
      oauthFault('authorization_pending'),
      (response) => response.writeHead(503).end('<html>'),
      oauthFault('temporarily_unavailable', 429, { 'retry-after': '1' }),
      (response) => response.destroy(),
      (response) => {
        response.writeHead(400, { 'content-length': '500' }).write('{"error"');
        response.destroy();
      },
      oauthFault('authorization_pending'),
      oauthFault('access_denied'),
    ]);
    const ended = await cli(['login', '--url', provider.url, '--device'], own);
    provider.close();
    expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining('the sign-in was refused')]);
    expect(provider.asked).toHaveLength(7);
    const gaps = provider.asked.slice(1).map((at, i) => at - (provider.asked[i] ?? 0));
    // What was waited at the least: the interval, twice as much after each fault, and what was asked for.
    for (const [i, least] of [90, 190, 990, 790, 1590, 1590].entries())
      expect(gaps[i], JSON.stringify(gaps)).toBeGreaterThanOrEqual(least);
    expect(ended.stderr).toContain('give the code ABCD-EFGH:');
    expect(ended.stderr).toContain(`${provider.url}/page`);
    expect(ended.stderr).not.toMatch(/[\u001b\u0007]/);
  });

  it('ends with the code where the provider does not answer any more', async () => {
    const own = { env: { XDG_CONFIG_HOME: path.join(folder, 'device-silent') } };
    const provider = await providerOf(1, [(response) => response.writeHead(503).end()]);
    const ended = await cli(['login', '--url', provider.url, '--device'], own);
    provider.close();
    expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining('the code has expired')]);
    expect(provider.asked.length).toBeGreaterThan(1);
  });

  it('renews a token that has run out, once for several commands at a time', async () => {
    const config = path.join(folder, 'renewed');
    const own = { env: { XDG_CONFIG_HOME: config } };
    await signInByPassword(own);
    const file = path.join(config, 'pentarch', 'profiles.json');
    const aged = readFileSync(file, 'utf8').replace(/"obtainedAtMs": \d+/, '"obtainedAtMs": 1');
    const before = JSON.parse(aged).profiles;
    writeFileSync(file, aged);
    const ended = await Promise.all([1, 2, 3].map(() => cli(['whoami', '--json'], own)));
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    const after = JSON.parse(readFileSync(file, 'utf8')).profiles;
    const [name = ''] = Object.keys(after);
    expect(after[name].credentials.refreshToken).not.toBe(before[name].credentials.refreshToken);
    // A refresh token used twice would have ended the session.
    expect((await cli(['conversations', 'list'], own)).code).toBe(0);
  });

  it('switches, removes and signs out of profiles', async () => {
    const own = { env: { XDG_CONFIG_HOME: path.join(folder, 'profiles') } };
    await signInByPassword(own);
    const key = (await good(['keys', 'create', 'ci', '--permissions', 'agents:read', '--json'])).json<{
      key: string;
    }>().key;
    await good(['login', '--profile', 'ci', '--url', server.url, '--token-stdin'], {
      ...own,
      input: key,
    });
    const list = await cli(['profiles', 'list', '--json'], own);
    const names = list.json<{ items: { name: string; current: boolean }[] }>().items;
    expect(names).toHaveLength(2);
    const first = names.find(({ name }) => name !== 'ci')?.name ?? '';
    expect((await cli(['conversations', 'create'], own)).code).toBe(4);
    expect((await cli(['profiles', 'use', first], own)).code).toBe(0);
    expect((await cli(['conversations', 'create'], own)).code).toBe(0);
    expect((await cli(['conversations', 'create', '--profile', 'ci'], own)).code).toBe(4);
    expect((await cli(['profiles', 'remove', 'ci'], own)).code).toBe(0);
    expect((await cli(['agents', 'list', '--profile', 'ci'], own)).code).toBe(2);
    expect((await cli(['logout'], own)).code).toBe(0);
    expect((await cli(['agents', 'list'], own)).code).toBe(3);
  });

  it('sends the token of a profile to its own address only', async () => {
    const asked: (string | undefined)[] = [];
    const { createServer } = await import('node:http');
    const other = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const ended = await cli(['agents', 'list', '--url', `http://127.0.0.1:${port}`]);
    other.close();
    expect(ended.code).toBe(3);
    expect(asked).toEqual([undefined]);
  });
});

describe('answers and errors', () => {
  const LISTS: readonly (readonly string[])[] = [
    ['conversations', 'list'],
    ['agents', 'list'],
    ['agents', 'suggestions'],
    ['proposals', 'list'],
    ['documents', 'list'],
    ['memory', 'entities'],
    ['memory', 'relations'],
    ['mcp', 'servers'],
    ['mcp', 'tools', 'time'],
    ['mcp', 'logs', 'time'],
    ['tasks', 'list'],
    ['users', 'list'],
    ['sessions', 'list'],
    ['tenants', 'list'],
    ['keys', 'list'],
    ['tokens', 'list'],
    ['clients', 'list'],
    ['webhooks', 'list'],
    ['costs', 'limits'],
    ['audit', 'list'],
    ['notifications', 'list'],
    ['profiles', 'list'],
  ];

  it.each(LISTS.map((args) => [args.join(' '), args] as const))(
    '%s --json has items',
    async (_name, args) => {
      const body = (await good([...args, '--json'])).json<{ items: unknown[]; next_cursor: unknown }>();
      expect(Array.isArray(body.items)).toBe(true);
      expect(body).toHaveProperty('total');
      expect(body).toHaveProperty('next_cursor');
      const table = await good(args);
      expect(table.stdout === '' || /^[A-Z]/.test(table.stdout)).toBe(true);
      expect(table.stdout).not.toContain('\u001b');
    },
  );

  it('shows lists as plain tables where no terminal is', async () => {
    const table = await good(['agents', 'list']);
    expect(table.stdout.split('\n')[0]).toMatch(/^ID +DOMAIN +STATE/);
    expect(table.stdout).toContain('zeus');
    expect(table.stdout).not.toContain('\u001b');
    const none = await good(['webhooks', 'list']);
    expect(none.stdout).toBe('');
  });

  it('walks every page with --all, and says how to go on without', async () => {
    for (const n of [1, 2, 3]) await good(['conversations', 'create', '--title', `Page ${n}`]);
    const one = await good(['conversations', 'list', '--limit', '1', '--json']);
    const page = one.json<{ items: { id: string }[]; total: number; next_cursor: string }>();
    expect(page.items).toHaveLength(1);
    const next = await good([
      'conversations',
      'list',
      '--cursor',
      page.next_cursor,
      '--limit',
      '1',
      '--json',
    ]);
    expect(next.json<{ items: { id: string }[] }>().items[0]?.id).not.toBe(page.items[0]?.id);
    const all = await good(['conversations', 'list', '--all', '--limit', '2', '--json']);
    expect(all.json<{ items: unknown[] }>().items.length).toBe(page.total);
  });

  const failing = async (args: readonly string[], code: number, options: RunOptions = {}): Promise<Ended> => {
    const ended = await cli(args, options);
    expect(ended.code, `${args.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(code);
    return ended;
  };

  it('has an exit code for each class of error', async () => {
    await failing(['bogus'], 2);
    await failing(['agents', 'list', '--bogus'], 2);
    await failing(['proposals', 'create', 'x'], 2);
    await failing(['proposals', 'create', 'x', '--estimated-cost', 'much'], 2);
    await failing(['conversations', 'list', '--status', 'lost'], 2);
    await failing(['documents', 'add', 'no-such-file.txt'], 2);
    await failing(['documents', 'add', HANDBOOK, '--roles', 'captain'], 2);
    await failing(['documents', 'add', HANDBOOK, '--visibility', 'role'], 2);
    await failing(['documents', 'add', HANDBOOK, '--visibility', 'tenant', '--roles', 'user'], 2);
    await failing(['documents', 'add', HANDBOOK, path.join(ROOT, 'LICENSE'), '--external-id', 'x'], 2);
    // The server does not call addresses inside its network.
    await failing(['documents', 'add', 'http://127.0.0.1:9/tides.txt'], 6);
    await failing(['agents', 'list', '--url', 'agents.example.com'], 2);
    await failing(['agents', 'list'], 3, { env: { PENTARCH_URL: server.url, PENTARCH_TOKEN: 'wrong' } });
    await failing(['agents', 'show', 'nobody'], 5);
    await failing(['conversations', 'list', '--limit', '1000'], 6);
    await failing(['users', 'create', server.admin.email], 7);
    await failing(['agents', 'list', '--url', `http://127.0.0.1:${await freePort()}`], 11, {
      env: { PENTARCH_TOKEN: 'any' },
    });
    await failing(['agents', 'list', '--timeout', '0.001'], 12);
    await good(['tenants', 'list', '--help']);
  });

  it('tells errors as JSON under --json, and never a token', async () => {
    const token = 'ptk_not-a-token-0123456789';
    const ended = await failing(['agents', 'list', '--json'], 3, {
      env: { PENTARCH_URL: server.url, PENTARCH_TOKEN: token },
    });
    expect(ended.stdout).toBe('');
    const { error } = JSON.parse(ended.stderr);
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', reason: 'TOKEN_INVALID', exit_code: 3 });
    expect(error.request_id).toMatch(/\S/);
    expect(ended.stderr).not.toContain(token);
    const wrong = await failing(['documents', 'bogus', '--json'], 2);
    expect(JSON.parse(wrong.stderr).error.code).toBe('USAGE');
  });

  it('keeps what a server sends from steering the terminal', async () => {
    await good(['conversations', 'create', '--title', 'red \u001b[31mletters\u0007 and \u202ebackwards']);
    const list = await good(['conversations', 'list']);
    expect(list.stdout).toContain('red letters and backwards');
  });
});

describe('documents', () => {
  it('are replaced in place by a name of their source, and shared with roles', async () => {
    const file = path.join(folder, 'rota.txt');
    const put = async (text: string, ...more: string[]) => {
      writeFileSync(file, text);
      const added = await good(['documents', 'add', file, '--external-id', 'rota', ...more, '--json']);
      const [item] = added.json<{ items: { id: string }[] }>().items;
      const shown = await good(['documents', 'show', item?.id ?? '', '--json']);
      return shown.json<{ id: string; version: number; visibility: string; roles: string[] }>();
    };
    const first = await put('The watch of Monday.', '--roles', 'analyst,user');
    expect(first).toMatchObject({ version: 1, visibility: 'role', roles: ['analyst', 'user'] });
    expect(await put('The watch of Tuesday.')).toMatchObject({
      id: first.id,
      version: 2,
      visibility: 'role',
    });
    await good(['documents', 'delete', first.id]);
  });

  it('adds a folder, and goes on where it was broken off', async () => {
    const docs = path.join(folder, 'docs');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(path.join(docs, 'inner'), { recursive: true });
    for (const n of [1, 2, 3]) {
      writeFileSync(path.join(docs, `lamp-${n}.txt`), `Lamp ${n} burns ${n} litres of oil in a night.`);
    }
    writeFileSync(path.join(docs, 'inner', 'fog.md'), '# Fog\n\nThe horn sounds every 40 seconds.');
    const some = await good(['documents', 'add', path.join(docs, 'lamp-1.txt'), '--json']);
    expect(some.json()).toMatchObject({ added: 1, present: 0, failed: 0 });
    const rest = await good(['documents', 'add', docs, '--parallel', '2', '--json']);
    expect(rest.json()).toMatchObject({ added: 3, present: 1, failed: 0 });
    const again = await good(['documents', 'add', docs]);
    expect(again.stdout).toContain('0 added, 4 there already, 0 failed');
    const items = rest.json<{ items: { file: string; id: string; status: string }[] }>().items;
    const fog = items.find(({ file }) => file.endsWith('fog.md'))?.id ?? '';
    const text = await good(['documents', 'download', fog, '--format', 'text']);
    expect(text.stdout).toContain('40 seconds');
    const file = path.join(folder, 'fog.md');
    await good(['documents', 'download', fog, '--output', file]);
    expect(readFileSync(file, 'utf8')).toContain('# Fog');
    expect(
      (await good(['documents', 'chunks', fog, '--json'])).json<{ items: unknown[] }>().items,
    ).toHaveLength(1);
    await good(['documents', 'delete', fog]);
    expect((await cli(['documents', 'show', fog])).code).toBe(5);
  });

  it('adds what it can and says what it could not', async () => {
    const docs = path.join(folder, 'mixed');
    const { mkdirSync } = await import('node:fs');
    mkdirSync(docs);
    writeFileSync(path.join(docs, 'a.txt'), 'Paraffin is kept in the north store.');
    writeFileSync(path.join(docs, 'b.txt'), '');
    const ended = await cli(['documents', 'add', docs, '--json']);
    expect(ended.code, ended.stderr).toBe(13);
    expect(ended.json()).toMatchObject({ added: 1, failed: 1 });
    expect((await cli(['documents', 'add', path.join(docs, 'b.txt')])).code).toBe(6);
  });

  it('answers from a document and cites it', async () => {
    await good(['documents', 'add', HANDBOOK]);
    const plain = await good(['chat', 'How many leave days does a first assistant have?']);
    expect(plain.stdout).toContain('34');
    expect(plain.stdout).toMatch(/\[1\] Keeper's Handbook, p\. 4: “/);
    expect(plain.stderr).toContain('conversation ');
    const json = await good(['chat', '--json', '-'], {
      input: 'How many leave days does a first assistant have?',
    });
    expect(json.json<{ citations: unknown[] }>().citations.length).toBeGreaterThan(0);
    const events = await good(['chat', '--events', 'Hello']);
    const names = events.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).event);
    expect(names[0]).toBe('run.started');
    expect(names.at(-1)).toBe('message.completed');
    const found = await good(['search', 'leave', 'days', '--json']);
    expect(found.json<{ items: { title: string }[] }>().items[0]?.title).toBe("Keeper's Handbook");
  });

  it('talks on in one conversation, and takes it up again', async () => {
    const talk = await good(['chat', '--interactive'], {
      input: 'Hello\n/agent chronos\nHello again\n/history\n/quit\n',
    });
    const ids = [...talk.stderr.matchAll(/conversation (\S+)/g)].map(([, id]) => id);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(talk.stderr).toContain('chronos');
    const resumed = await good(['chat', '--resume', ids[0] ?? '', 'And once more', '--json']);
    expect(resumed.json<{ conversation_id: string }>().conversation_id).toBe(ids[0]);
    const newest = await good(['chat', '--resume', '--json', '--', 'Again']);
    expect(newest.json<{ conversation_id: string }>().conversation_id).toBe(ids[0]);
    const bare = await good(['chat', '--json', '--resume', 'And once again']);
    expect(bare.json<{ conversation_id: string }>().conversation_id).toBe(ids[0]);
    expect((await cli(['chat', '--resume', 'no-id', 'Hello'])).code).toBe(2);
  });
});

describe('other commands', () => {
  it('votes on a proposal that somebody else made', async () => {
    const made = await good([
      'users',
      'create',
      'ada@example.com',
      '--roles',
      'operator',
      '--password',
      'a long enough password 1',
      '--json',
    ]);
    expect(made.json<{ status: string }>().status).toBe('active');
    const ada = { env: { XDG_CONFIG_HOME: path.join(folder, 'ada') } };
    await good(['login', '--url', server.url, '--email', 'ada@example.com', '--password-stdin'], {
      ...ada,
      input: 'a long enough password 1',
    });
    const proposal = await good(
      ['proposals', 'create', 'Order lamp oil', '--estimated-cost', '150', '--json'],
      ada,
    );
    const { id, status } = proposal.json<{ id: string; status: string }>();
    expect(status).toBe('awaiting_human');
    expect((await cli(['proposals', 'vote', id, 'maybe'])).code).toBe(2);
    expect((await cli(['proposals', 'vote', id, 'approve'], ada)).code).toBe(4);
    const voted = await good(['proposals', 'vote', id, 'approve', '--json']);
    expect(voted.json<{ status: string }>().status).toBe('approved');
    expect((await cli(['proposals', 'cancel', id])).code).toBe(7);
  });

  it('takes memory and conversations out and in', async () => {
    await good([
      'memory',
      'add',
      'John Smeaton',
      'person',
      '--observations',
      'built a lighthouse',
      'was an engineer',
    ]);
    const file = path.join(folder, 'memory.jsonl');
    await good(['memory', 'export', '--output', file]);
    expect(readFileSync(file, 'utf8')).toContain('was an engineer');
    const taken = await good(['memory', 'import', '-', '--json'], {
      input: `${JSON.stringify({ type: 'entity', name: 'Rudyerd', entityType: 'person', observations: ['silk mercer'] })}\n`,
    });
    expect(taken.json<{ entities: number }>().entities).toBe(1);
    const chat = await good(['chat', '--json', 'Who built Eddystone?']);
    const { conversation_id: id } = chat.json<{ conversation_id: string }>();
    const one = path.join(folder, 'one.json');
    await good(['conversations', 'export', id, '--output', one]);
    const back = await good(['conversations', 'import', one, '--json']);
    const [item] = back.json<{ items: { conversation_id: string; document_id: string }[] }>().items;
    expect(item?.conversation_id).not.toBe(id);
    const transcript = await good(['documents', 'download', item?.document_id ?? '', '--format', 'text']);
    expect(transcript.stdout).toContain('Who built Eddystone?');
    const all = path.join(folder, 'all');
    const many = await good([
      'conversations',
      'export',
      '--all',
      '--format',
      'markdown',
      '--output',
      all,
      '--json',
    ]);
    expect(many.json<{ files: string[] }>().files).toContain(`${id}.md`);
  });

  it('brings in conversations of other products, and ends with 13 where one could not be read', async () => {
    const of = (name: string): string =>
      `@${path.join(ROOT, 'server', 'test', 'fixtures', 'exports', `${name}.json`)}`;
    await good(['conversations', 'bring-in', '--conversations', of('openwebui')]);
    const { code, stdout } = await cli([
      'conversations',
      'bring-in',
      '--json',
      '--conversations',
      of('chatgpt'),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ imported: 3, failed: 2 });
    expect(code).toBe(13);
    expect((await good(['conversations', 'list'])).stdout).toContain('Lamp oil');
  });

  it('calls tools, makes tasks, sets limits and hears events', async () => {
    const time = await good(['mcp', 'call', 'time', 'get_current_time', '{"timezone": "UTC"}']);
    expect(time.stdout).toContain('UTC');
    expect((await cli(['mcp', 'call', 'time', 'get_current_time', '{broken'])).code).toBe(2);
    const task = await good(['tasks', 'create', 'Say hello', '--cron', '0 9 * * MON', '--json']);
    const { id } = task.json<{ id: string }>();
    await good(['tasks', 'runs', id]);
    expect((await good(['tasks', 'cancel', id, '--json'])).json<{ status: string }>().status).toBe(
      'cancelled',
    );
    await good(['tasks', 'delete', id]);
    const limits = await good(['costs', 'set-limit', '42', '--scope', 'tenant', '--period', 'day', '--json']);
    expect(limits.json<{ items: { limit_usd: number }[] }>().items.some((one) => one.limit_usd === 42)).toBe(
      true,
    );
    const listening = start(['events', '--json', '--topics', 'conversations', '--count', '1'], { env });
    await listening.said(/"ready"/);
    await good(['chat', 'Hello events']);
    const ended = await listening.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stdout).toContain('message.created');
  });

  it('finds nothing wrong with a server that is well, and says what to do about a dead one', async () => {
    const ready = async () => (await fetch(`${server.url}/ready`)).status;
    await expect.poll(ready, { timeout: 60_000 }).toBe(200);
    const well = await good(['doctor', '--json']);
    const { ok, checks } = well.json<{ ok: boolean; checks: { name: string; status: string }[] }>();
    expect(ok).toBe(true);
    expect(checks.filter(({ status }) => status === 'fail')).toEqual([]);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'reachable',
        'version',
        'ready: store',
        'clock',
        'token',
        'model',
        'permissions',
      ]),
    );
    const dead = await cli(['doctor', '--url', `http://127.0.0.1:${await freePort()}`]);
    expect(dead.code).toBe(11);
    expect(dead.stdout).toMatch(/FAIL {2}reachable/);
    expect(dead.stdout).toContain('pentarch serve');
    const stranger = await cli(['doctor', '--json'], {
      env: { XDG_CONFIG_HOME: '/nonexistent', PENTARCH_URL: server.url },
    });
    expect(stranger.code).toBe(3);
    expect(stranger.stdout).toContain('pentarch login');
  });
});
