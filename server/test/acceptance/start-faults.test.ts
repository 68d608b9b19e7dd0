import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { runCommand } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { StartFailure, startProcess } from '../support/server.ts';

/** What keeps a server from starting is said in a sentence that says what to do, and never as a stack. */

let folder: string;
const servers: Server[] = [];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-start-'));
});
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

const refusalOf = async (env: Record<string, string>, dataDir?: string): Promise<string> => {
  const failure = await startProcess({
    env: { DATABASE_URL: '', ...env },
    ...(dataDir === undefined ? {} : { dataDir }),
  }).then(
    async (server) => {
      await server.close();
      return null;
    },
    (error: unknown) => error,
  );
  if (!(failure instanceof StartFailure)) throw new Error('the process started');
  expect(failure.code).toBe(1);
  expect(failure.stderr).toMatch(/^Pentarch cannot start\.\n\S.*\n$/);
  expect(failure.stderr).not.toMatch(/\.ts:\d+/);
  return failure.stderr;
};

/** A server that says one thing to whoever comes. */
const saying = async (answer: Buffer): Promise<number> => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(answer));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** PostgreSQL's ErrorResponse (its manual, 54.7). */
const postgresError = (code: string): Buffer => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mno\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
};

describe(req('OPS-21', 'a start that cannot be'), () => {
  it('PostgreSQL that is not there', async () => {
    const port = await freePort();
    const said = await refusalOf({
      DATABASE_URL: `postgres://keeper:hidden-word@127.0.0.1:${port}/lighthouse`,
    });
    expect(said).toContain(`no PostgreSQL answers at 127.0.0.1:${port}/lighthouse`);
    expect(said).not.toContain('hidden-word');
  });

  it.each([
    ['28P01', 'refuses user or password'],
    ['28000', 'pg_hba.conf'],
    ['3D000', 'does not exist'],
    ['53300', 'max_connections'],
  ])('PostgreSQL that answers %s', async (code, words) => {
    const port = await saying(postgresError(code));
    expect(await refusalOf({ DATABASE_URL: `postgres://keeper:w@127.0.0.1:${port}/lighthouse` })).toContain(
      words,
    );
  });

  it('a data folder that is a file', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    expect(await refusalOf({}, file)).toContain('is a file: set DATA_DIR to a folder');
  });

  it('a port that is taken', async () => {
    const port = await saying(Buffer.alloc(0));
    expect(await refusalOf({ PORT: String(port) })).toContain('the port is taken');
  });

  it('a database file that is none, and what the doctor says of it', async () => {
    const dataDir = path.join(folder, 'broken');
    mkdirSync(dataDir);
    writeFileSync(path.join(dataDir, 'pentarch.sqlite'), 'This is a letter and no database. '.repeat(400));
    expect(await refusalOf({}, dataDir)).toContain('is no sound SQLite database');
    const found = await runCommand(['doctor', '--offline'], {
      DATA_DIR: dataDir,
      PORT: '0',
      DATABASE_URL: '',
    });
    expect(found.code).toBe(1);
    expect(found.out).toMatch(/^fail +database .*is no sound SQLite database.*restore the last backup/m);
    expect(found.out).not.toContain('pg_hba.conf');
  });

  it.each(['ADMIN_PASSWORD', 'METRICS_TOKEN', 'PLATFORM_KEY'])('%s of the example', async (name) => {
    const value = 'please-change-me-before-you-start-it-all';
    const said = await refusalOf({ [name]: value });
    expect(said).toContain(`${name} still has the text of the example`);
    expect(said).not.toContain(value);
  });
});

it(req('OPS-21', 'no account gets the password of examples'), async () => {
  const server = await startProcess({ env: { DATABASE_URL: '' } });
  try {
    const admin = await server.signIn();
    for (const password of ['change-me', 'Change_me1', 'changeme!']) {
      const made = await admin.post('/v2/users', {
        email: 'k@example.com',
        name: 'K',
        password,
        roles: ['user'],
      });
      expect([password, made.status]).toEqual([password, 422]);
      expect(made.text).toContain('of examples');
    }
  } finally {
    await server.close();
  }
});
