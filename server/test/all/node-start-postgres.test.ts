import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { runCommand } from '../support/command.ts';
import { redisServer, StartFailure, startProcess } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** What an operator is told of PostgreSQL, Redis and the clock around a node. */

const [LIBRARY] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
let database: { url: string; drop(): Promise<void> };
beforeEach(async () => {
  database = await newDatabase(postgresServer ?? '');
});
afterEach(() => database?.drop());

describe(req('OPS-21', 'around a node'), () => {
  it('a Redis that does not take the password is told from one that is not there', async () => {
    const url = new URL(redisServer ?? '');
    // The default user of a Redis without a password takes any.
    url.username = 'nobody';
    url.password = 'hidden-word';
    const failure = await startProcess({ env: { DATABASE_URL: database.url, REDIS_URL: url.href } }).then(
      async (server) => {
        await server.close();
        return null;
      },
      (error: unknown) => error,
    );
    const said = failure instanceof StartFailure ? failure.stderr : '';
    expect(said).toMatch(
      /^Pentarch cannot start\.\nREDIS_URL: Redis answers, and refuses the user or password/,
    );
    expect(said).not.toContain('hidden-word');
  }, 60_000);

  it('a clock ten minutes ahead is told by log, /ready and metric', async () => {
    if (LIBRARY === undefined) throw new Error('libfaketime is missing: apt-get install faketime');
    const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-skew-'));
    const file = path.join(folder, 'offset');
    writeFileSync(file, '+600\n');
    const server = await startProcess({
      env: {
        DATABASE_URL: database.url,
        LD_PRELOAD: LIBRARY,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      },
    });
    try {
      expect(server.log.filter((line) => line.skew_s !== undefined)).toEqual([
        expect.objectContaining({ level: 40, msg: expect.stringContaining("this machine's clock is off") }),
      ]);
      const look = async () => {
        const ready = await server.anonymous().get('/ready');
        const { checks } = ready.json<{ checks: { store: { status: string; detail: string } } }>();
        return [ready.status, checks.store];
      };
      await expect
        .poll(look, { timeout: 30_000 })
        .toEqual([
          200,
          { status: 'ok', detail: expect.stringMatching(/clock is (599|600|601) s ahead of the store's/) },
        ]);
      const metrics = (await server.anonymous().get('/metrics')).text;
      const skew = Number(/^pentarch_clock_skew_seconds (\S+)$/m.exec(metrics)?.[1]);
      expect(Math.round(skew / 10)).toBe(60);
      writeFileSync(file, '+0\n');
      const right = () => server.log.some((line) => line.msg === "this machine's clock is right again");
      await expect.poll(right, { timeout: 120_000, interval: 500 }).toBe(true);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  }, 240_000);

  it('doctor says who has to make the extension where the owner of the database may not', async () => {
    const server = new pg.Client({ connectionString: postgresServer });
    await server.connect();
    await server.query('create role plain_keeper login');
    await server.query('create database plain_lighthouse owner plain_keeper');
    try {
      const url = new URL(postgresServer ?? '');
      url.username = 'plain_keeper';
      url.pathname = '/plain_lighthouse';
      const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-doctor-'));
      const settings = { DATA_DIR: path.join(folder, 'data'), PORT: '0', DATABASE_URL: url.href };
      const before = await runCommand(['doctor', '--offline'], settings);
      expect(before.out).toMatch(
        /^fail +pgvector .*run "create extension vector" in this database once, as a superuser/m,
      );
      url.username = new URL(postgresServer ?? '').username;
      const owner = new pg.Client({ connectionString: url.href });
      await owner.connect();
      await owner.query('create extension vector');
      await owner.end();
      const after = await runCommand(['doctor', '--offline'], settings);
      expect(after.out).toMatch(/^ok +pgvector +0\.\d/m);
      rmSync(folder, { recursive: true });
    } finally {
      await server.query('drop database plain_lighthouse with (force)');
      await server.query('drop role plain_keeper');
      await server.end();
    }
  }, 120_000);
});
