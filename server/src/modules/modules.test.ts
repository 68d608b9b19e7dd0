import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { compose } from '../compose.ts';
import { loadConfig } from '../config.ts';
import type { Db } from '../db/db.ts';
import { route } from '../http/route.ts';
import type { ToolSource } from '../kernel/tools.ts';
import { inOrder } from './assemble.ts';
import { MODULES } from './index.ts';
import { defineModule, type FaultsOf, type Given, moduleList } from './module.ts';

const named = (name: string, ...needs: string[]) => ({ name, needs });

describe('the order of modules', () => {
  it('is that of the list, but nobody comes before what it needs', () => {
    const list = [named('c', 'b'), named('a', 'given'), named('b', 'a'), named('d')];
    expect(inOrder(list, ['given']).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('names who waits for whom where modules need each other, or what nobody gives', () => {
    expect(() => inOrder([named('a', 'b'), named('b', 'a')], [])).toThrow('a (waits for b); b (waits for a)');
    expect(() => inOrder([named('a', 'x')], [])).toThrow('a (waits for x)');
  });

  it('takes no name twice', () => {
    expect(() => inOrder([named('a'), named('a')], [])).toThrow('two modules are called a');
    expect(() => inOrder([named('clock')], ['clock'])).toThrow('two modules are called clock');
  });
});

describe('the order of the platform', () => {
  const given = [
    'catalogue',
    'clock',
    'collected',
    'config',
    'decisions',
    'lifecycle',
    'logger',
    'onError',
    'publicUrl',
  ];
  const order: string[] = inOrder(MODULES, given).map(({ name }) => name);
  const before = (first: string, ...later: string[]): void => {
    for (const name of [first, ...later]) expect(order).toContain(name);
    for (const name of later)
      expect([name, order.indexOf(name) > order.indexOf(first)]).toEqual([name, true]);
  };

  it('lets a node sign off after everything else of it has stopped, and close its store last', () => {
    before('nodes', 'audit', 'identity', 'costs', 'knowledge', 'governance', 'chat', 'mcp', 'tasks', 'http');
    before('node', 'db', 'cluster', 'nodes');
    before('db', 'cluster', 'nodes');
  });

  it('checks the keys before anything else can write to the store', () => {
    before('keys', 'cluster', 'blobs', 'audit', 'identity', 'knowledge', 'webhooks');
  });

  it('erases runs of a person before what they could still add to', () => {
    before('memory', 'chat');
    before('knowledge', 'chat');
    before('governance', 'chat');
    before('notifications', 'chat', 'tasks');
    before('chat', 'tasks');
  });

  it('begins work of its own when all have taken up theirs, and serves last', () => {
    expect(order.slice(-2)).toEqual(['background', 'http']);
  });
});

/** Checked by the compiler: each line below must be an error, and is one of the check when it is none. */
describe('what does not fit together does not compile', () => {
  it('a need that is not named, or that nobody gives', () => {
    // @ts-expect-error: build takes `clock`, and `needs` does not say so.
    defineModule({ name: 'a', needs: [], build: (_deps: { clock: object }) => ({ service: {} }) });
    const needy = defineModule({
      name: 'needy',
      needs: ['nobody'],
      build: (_deps: { nobody: object }) => ({ service: {} }),
    });
    // @ts-expect-error: no module is called `nobody`.
    expect(moduleList([...MODULES, needy])).toHaveLength(MODULES.length + 1);
  });

  it('a need that is something else than what is given', () => {
    const wrong = defineModule({
      name: 'wrong',
      needs: ['costs'],
      build: (_deps: { costs: { price(): string } }) => ({ service: {} }),
    });
    // @ts-expect-error: `costs` has no such function.
    expect(moduleList([...MODULES, wrong])).toHaveLength(MODULES.length + 1);
  });

  it('a gauge or a check without a source, and a step of life that nobody takes', () => {
    const lone = defineModule({ name: 'lone', needs: [], build: () => ({ service: {} }) });
    // @ts-expect-error: no gauge and no check of the platform has a source.
    expect(moduleList([lone])).toHaveLength(1);
    const fault: FaultsOf<[typeof lone], Given> = 'the gauge openStreams has no source';
    expect(fault).toContain('openStreams');
    const misspelt = defineModule({
      name: 'misspelt',
      needs: [],
      build: () => ({ service: {}, strat() {} }),
    });
    // @ts-expect-error: nobody reads `strat`.
    expect(moduleList([...MODULES, misspelt])).toHaveLength(MODULES.length + 1);
  });
});

describe('a new module', () => {
  const steps: string[] = [];

  const notes = defineModule({
    name: 'notes',
    needs: ['db'],
    build: ({ db }: { db: Pick<Db, 'dialect'> }) => ({
      service: { kind: () => db.dialect },
      start: () => void steps.push('notes starts'),
      resume: () => void steps.push('notes resumes'),
      opened: () => void steps.push('notes is open'),
      stopping: () => void steps.push('notes hears of the stop'),
      drain: async (graceMs: number) => void steps.push(`notes drains within ${graceMs} ms`),
      drained: () => void steps.push('notes has drained'),
      quiet: () => void steps.push('notes is quiet'),
      stop: () => void steps.push('notes stops'),
    }),
  });

  const pageTools: ToolSource = { list: () => [] };
  const pages = defineModule({
    name: 'pages',
    needs: ['notes', 'costs'],
    build: ({ notes: { kind } }: { notes: { kind(): string }; costs: object }) => ({
      service: {},
      routes: [
        route({
          surface: 'v2',
          method: 'GET',
          path: '/pages',
          operationId: 'listPages',
          summary: 'Pages of this test',
          tag: 'Test',
          access: 'public',
          responses: { 200: Type.Object({ store: Type.String() }) },
          handler: () => ({ store: kind() }),
        }),
      ],
      tools: [pageTools],
      start: () => void steps.push('pages starts'),
      stop: () => void steps.push('pages stops'),
    }),
  });

  it('is found from the list alone: its routes and tools, its start after what it needs, its stop before', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'pentarch-modules-'));
    const config = loadConfig({ DATA_DIR: dataDir, MODEL: 'builtin', SQLITE_SYNCHRONOUS: 'normal' }, dataDir);
    try {
      const platform = await compose(config, pino({ level: 'silent' }), () => 'http://localhost', [
        pages,
        notes,
      ]);
      const answer = await platform.app.inject({ method: 'GET', url: '/v2/pages' });
      expect([answer.statusCode, answer.json()]).toEqual([200, { store: 'sqlite' }]);
      expect(platform.tools).toContain(pageTools);
      await platform.close();
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
    expect(steps).toEqual([
      'notes starts',
      'pages starts',
      'notes resumes',
      'notes is open',
      'notes hears of the stop',
      `notes drains within ${config.SHUTDOWN_GRACE_S * 1000} ms`,
      'notes has drained',
      'notes is quiet',
      'pages stops',
      'notes stops',
    ]);
  });
});
