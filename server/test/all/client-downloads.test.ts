import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AcceptanceServer, startAcceptanceServer } from '../../../sdk/acceptance.ts';
import { buildClients } from '../../../sdk/build.ts';

/** Who has only the server's address gets a client in one line: pip, npm and go install from a started server, with no registry. */

interface Listed {
  packages: { language: string; file: string; install: string }[];
}

let acceptance: AcceptanceServer;
let env: Record<string, string>;
let listed: Listed['packages'];
let home: string;
beforeAll(async () => {
  buildClients({ ifStale: true });
  acceptance = await startAcceptanceServer();
  env = await acceptance.freshEnv();
  const answer = await fetch(`${acceptance.server.url}/sdk/packages.json`);
  listed = ((await answer.json()) as Listed).packages;
  home = mkdtempSync(path.join(tmpdir(), 'pentarch-downloads-'));
}, 180_000);
afterAll(async () => {
  rmSync(home, { recursive: true, force: true });
  await acceptance?.close();
});

const run = (
  command: string,
  args: readonly string[],
  cwd: string,
  more: Record<string, string> = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env, ...more } });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${command} ${args.join(' ')}: ${output}`)),
    );
  });

const folder = (name: string): string => {
  const made = path.join(home, name);
  mkdirSync(made, { recursive: true });
  return made;
};

/** The line that the server tells, in parts: `NAME=value` in front are variables. */
const lineOf = (language: string): { variables: Record<string, string>; command: string; args: string[] } => {
  const words = (listed.find((one) => one.language === language)?.install ?? '').split(' ');
  const assigned = words.filter((word) => /^[A-Z]+=/.test(word));
  const [command = '', ...args] = words.slice(assigned.length);
  const variables = Object.fromEntries(
    assigned.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
  return { variables, command, args };
};

/** A proxy for http that knows one name, and lets nothing else through. */
const HIDDEN_NAME = 'pentarch.test';
const startProxy = async (target: URL): Promise<{ url: string; asked: string[]; close(): Promise<void> }> => {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const url = new URL(request.url ?? '', 'http://none.test');
    if (url.hostname !== HIDDEN_NAME) {
      response.writeHead(502).end();
      return;
    }
    const { method = '', headers } = request;
    const onward = forward(
      { host: target.hostname, port: target.port, path: url.pathname + url.search, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  });
  proxy.on('connect', (request, socket, head) => {
    asked.push(`CONNECT ${request.url}`);
    if (request.url !== `${HIDDEN_NAME}:80`) {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const onward = connect(Number(target.port), target.hostname, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    for (const one of [socket, onward]) one.on('error', () => one.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    close: () => {
      proxy.closeAllConnections();
      return new Promise((resolve) => proxy.close(() => resolve()));
    },
  };
};

/** What a program is told so that it can reach the server through the proxy alone. */
const behindProxy = async (
  work: (variables: Record<string, string>) => Promise<string>,
): Promise<{ output: string; asked: string[] }> => {
  const proxy = await startProxy(new URL(acceptance.server.url));
  try {
    const variables = {
      HTTP_PROXY: proxy.url,
      http_proxy: proxy.url,
      HTTPS_PROXY: proxy.url,
      NO_PROXY: '',
      no_proxy: '',
    };
    const output = await work({ ...variables, PENTARCH_URL: `http://${HIDDEN_NAME}` });
    return { output: output.trim(), asked: proxy.asked };
  } finally {
    await proxy.close();
  }
};

const USE_PYTHON = `import os
from pentarch import Client
from pentarch.models import User
with Client(os.environ["PENTARCH_URL"], auth=os.environ["PENTARCH_API_KEY"]) as client:
    me = client.users.get_me()
    assert isinstance(me, User)
    print(me.email)
`;

/** Both forms, live events, and a host that the proxy refuses. */
const PROXIED_PYTHON = `import asyncio, os
from pentarch import AsyncClient, Client, ConnectionFailedError
url, key = os.environ["PENTARCH_URL"], os.environ["PENTARCH_API_KEY"]
with Client(url, auth=key) as client:
    assert client.users.get_me().email == os.environ["PENTARCH_EMAIL"]
    assert next(iter(client.events())).type == "ready"
    try:
        client.with_options(base_url="https://pentarch.test", max_retries=0).users.get_me()
    except ConnectionFailedError as error:
        assert "403" in str(error), error

async def work():
    async with AsyncClient(url, auth=key) as client:
        print((await client.users.get_me()).email)
        async for event in client.events():
            assert event.type == "ready"
            break
        try:
            await client.with_options(base_url="https://pentarch.test", max_retries=0).users.get_me()
        except ConnectionFailedError as error:
            assert "403" in str(error), error

asyncio.run(work())
`;

it('installs the Python client with pip, by its address and by the index', async () => {
  const { command, args } = lineOf('python');
  expect([command, args[0]]).toEqual(['pip', 'install']);
  const byIndex = ['install', '--index-url', `${acceptance.server.url}/sdk/simple/`, 'pentarch'];
  for (const [n, line] of [args, byIndex].entries()) {
    const target = folder(`python${n}`);
    const options = ['--no-cache-dir', '--disable-pip-version-check', '--root-user-action=ignore'];
    const where = n === 0 ? ['--no-index'] : [];
    await run('python3', ['-m', 'pip', ...line, ...options, ...where, '--target', target], home);
    const used = await run('python3', ['-c', USE_PYTHON], home, { PYTHONPATH: target });
    expect(used.trim()).toBe(env.PENTARCH_EMAIL);
  }
  const proxied = await behindProxy((variables) =>
    run('python3', ['-c', PROXIED_PYTHON], home, { ...variables, PYTHONPATH: folder('python0') }),
  );
  expect(proxied.output).toBe(env.PENTARCH_EMAIL);
  const tunnels = proxied.asked.filter((line) => line.startsWith('CONNECT'));
  expect(tunnels.map((line) => line.split(':')[1])).toEqual(['80', '443', '80', '443']);
  expect(proxied.asked).toContain(`GET http://${HIDDEN_NAME}/v2/users/me`);
}, 300_000);

it('installs the TypeScript client with npm', async () => {
  const project = folder('typescript');
  writeFileSync(path.join(project, 'package.json'), '{"name":"empty","version":"1.0.0","type":"module"}');
  const { command, args } = lineOf('typescript');
  expect([command, args[0]]).toEqual(['npm', 'install']);
  await run('npm', [...args, '--no-audit', '--no-fund', '--cache', folder('npm-cache')], project, {
    // No registry is there to be asked.
    npm_config_registry: 'http://127.0.0.1:9/',
  });
  writeFileSync(
    path.join(project, 'use.js'),
    `import { createClient } from 'pentarch-sdk';
const client = createClient({ baseUrl: process.env.PENTARCH_URL, auth: process.env.PENTARCH_API_KEY });
console.log((await client.users.getMe()).email);
`,
  );
  expect((await run(process.execPath, ['use.js'], project)).trim()).toBe(env.PENTARCH_EMAIL);
  const proxied = await behindProxy((variables) =>
    run(process.execPath, ['use.js'], project, { ...variables, NODE_USE_ENV_PROXY: '1' }),
  );
  expect(proxied.output).toBe(env.PENTARCH_EMAIL);
  expect(proxied.asked).not.toEqual([]);
}, 300_000);

it('installs the Go client with go get', async () => {
  const project = folder('go');
  const cache = folder('go-cache');
  const { variables, command, args } = lineOf('go');
  expect([command, args[0]]).toEqual(['go', 'get']);
  const set = { ...variables, GOMODCACHE: cache, GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local' };
  await run('go', ['mod', 'init', 'example.test/empty'], project, set);
  await run('go', args, project, set);
  writeFileSync(
    path.join(project, 'main.go'),
    `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/pentarch/pentarch/sdk/go/v2"
)

func main() {
	client, err := pentarch.New(os.Getenv("PENTARCH_URL"), pentarch.WithToken(os.Getenv("PENTARCH_API_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	me, err := client.Users.GetMe(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(me.Email)
}
`,
  );
  expect((await run('go', ['run', '.'], project, set)).trim()).toBe(env.PENTARCH_EMAIL);
  const proxied = await behindProxy((variables) =>
    run('go', ['run', '.'], project, { ...set, ...variables }),
  );
  expect(proxied.output).toBe(env.PENTARCH_EMAIL);
  expect(proxied.asked).not.toEqual([]);
}, 300_000);

const SAME_WHEEL = `import sys, zipfile
one, other = (zipfile.ZipFile(name) for name in sys.argv[1:])
assert one.testzip() is None
assert sorted(one.namelist()) == sorted(other.namelist()), (one.namelist(), other.namelist())
lines = lambda archive, name: sorted(archive.read(name).splitlines()) if name.endswith("RECORD") else archive.read(name)
different = [name for name in one.namelist() if lines(one, name) != lines(other, name)]
assert not different, different
print("same")
`;

it('holds the same as the wheel that pip builds from the sources', async () => {
  const root = path.join(import.meta.dirname, '..', '..', '..');
  const out = folder('wheel');
  const source = path.join(root, 'sdk', 'python');
  await run('python3', ['-m', 'pip', 'wheel', '--no-index', '--no-deps', '--wheel-dir', out, source], home);
  const file = listed.find(({ language }) => language === 'python')?.file ?? '';
  const served = path.join(root, 'sdk', 'dist', file);
  const compared = await run('python3', ['-c', SAME_WHEEL, served, path.join(out, file)], home);
  expect(compared.trim()).toBe('same');
}, 300_000);
