import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/config.ts';
import { req } from '../requirements.ts';
import type { TestServer } from '../support/server.ts';
import { withServer } from '../support/suite.ts';

/** What deploy/ says holds for the server as it is. */
const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const text = (file: string): string => readFileSync(path.join(ROOT, 'deploy', file), 'utf8');

/** Values at any depth under the key. */
const under = (value: unknown, key: string): unknown[] => {
  if (Array.isArray(value)) return value.flatMap((each) => under(each, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...under(inner, key),
  ]);
};

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; runbook: string };
}

const rules = (): Rule[] =>
  (parse(text('monitoring/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((g) => g.rules);
const panels = (): { title: string; targets: { expr: string }[] }[] =>
  (
    JSON.parse(text('monitoring/dashboard.json')) as {
      panels: { title: string; targets: { expr: string }[] }[];
    }
  ).panels;

const inWorld = withServer();

describe('metrics', () => {
  let server: TestServer;
  const it = inWorld;
  it.beforeAll(({ world }) => {
    ({ server } = world);
  });

  it(
    req('OPS-10', 'all that alerts and panels name is what a running server gives, labels too'),
    async () => {
      const admin = await server.signIn();
      expect((await admin.post('/api/v1/chat', { message: 'hello' })).status).toBe(200);
      const metrics = (await server.anonymous().get('/metrics')).text;
      const kinds = new Map(
        [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map((m) => [m[1] ?? '', m[2] ?? '']),
      );
      const names = new Set<string>();
      for (const [name, kind] of kinds) {
        for (const suffix of kind === 'histogram' ? ['_bucket', '_count', '_sum'] : [''])
          names.add(name + suffix);
      }
      const expressions = [
        ...rules().map((rule) => rule.expr),
        ...panels().flatMap((p) => p.targets.map((t) => t.expr)),
      ];
      const used = new Set(
        expressions.flatMap((expr) => expr.match(/\b(?:pentarch|process|nodejs)_\w+/g) ?? []),
      );
      expect([...used].filter((name) => !names.has(name))).toEqual([]);
      expect(used.size).toBeGreaterThan(12);
      const given = new Map<string, Set<string>>();
      for (const [, name = '', labels = ''] of metrics.matchAll(/^(pentarch_\w+)\{(.*)\} \S+$/gm)) {
        // Prometheus itself adds where a figure comes from.
        const known = given.get(name) ?? new Set(['instance', 'job']);
        given.set(name, known);
        for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label);
      }
      const selectors = expressions.flatMap((expr) => [...expr.matchAll(/\b(pentarch_\w+)\{([^}]*)\}/g)]);
      const unknown = selectors.flatMap(([, name = '', labels = '']) =>
        [...labels.matchAll(/(\w+)(?:=~|!~|!=|=)"/g)]
          .filter(([, label = '']) => given.get(name)?.has(label) === false)
          .map(([, label]) => `${name}{${label}}`),
      );
      expect(unknown).toEqual([]);
      expect(selectors.filter(([, name = '']) => given.has(name)).length).toBeGreaterThan(5);

      // What the first answer brings is counted.
      expect(metrics).toMatch(/^pentarch_ledger_rows_total\{kind="model"\} 1$/m);
      expect(metrics).toMatch(/^pentarch_model_tokens_total\{model="builtin",kind="output"\} [1-9]/m);
      expect(metrics).toMatch(/^pentarch_jobs\{state="dead"\} 0$/m);
      expect(metrics).toMatch(/^pentarch_data_free_bytes [1-9]/m);
      const templates = [...metrics.matchAll(/route="([^"]+)"/g)].map((m) => m[1]);
      expect(templates.some((route) => /^.*\/chat.*$/.test(route ?? ''))).toBe(true);
    },
  );

  it('every alert has a case of figures under which it comes', () => {
    // promtool runs them: server/test/all/alerts.test.ts.
    const cases = text('monitoring/alerts.test.yaml');
    for (const { alert } of rules()) expect(cases).toContain(`alertname="${alert}"`);
  });

  it('every alert has its words in the operations guide', () => {
    const guide = readFileSync(path.join(ROOT, 'docs', 'operations.md'), 'utf8');
    for (const rule of rules()) {
      expect(rule.annotations.runbook).toBe(`docs/operations.md#${rule.alert.toLowerCase()}`);
      expect(guide).toContain(`### ${rule.alert}\n`);
    }
  });
});

describe('images', () => {
  it('the server runs on a read-only root, and every setting of it is one', () => {
    const compose = parse(text('compose.yaml')) as {
      services: Record<
        string,
        { read_only?: boolean; cap_drop?: string[]; environment?: Record<string, string> }
      >;
    };
    expect(Object.keys(compose.services)).toEqual(['pentarch', 'postgres', 'valkey']);
    expect(compose.services.pentarch).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    const known = new Set(Object.keys(SETTINGS));
    for (const name of Object.keys(compose.services.pentarch?.environment ?? {}))
      expect(known).toContain(name);
  });

  it('the image runs without root, copies what is there, and its health check is JavaScript', () => {
    const dockerfile = text('Dockerfile');
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:24-slim$/m);
    expect(dockerfile.match(/^FROM \$\{NODE_IMAGE\}/gm)).toHaveLength(2);
    expect(dockerfile).not.toMatch(/^FROM (?!\$\{NODE_IMAGE\}|manifests )/m);
    const tracked = new Set(
      execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
        .split('\n')
        .flatMap((file) => file.split('/').map((_, i, parts) => parts.slice(0, i + 1).join('/'))),
    );
    const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap((m) =>
      (m[1] ?? '').split(' '),
    );
    expect(sources.length).toBeGreaterThan(8);
    expect(
      sources.map((source) => source.replace(/\/$/, '')).filter((source) => !tracked.has(source)),
    ).toEqual([]);
    const check = /HEALTHCHECK[\s\S]*?CMD (\[.*\])/.exec(dockerfile)?.[1] ?? '';
    const [program, flag, script] = JSON.parse(check) as string[];
    expect([program, flag]).toEqual(['node', '-e']);
    expect(() => new Function(script ?? '')).not.toThrow();
  });
});

interface Service {
  image?: string;
  networks?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test: string[] };
  command?: string[];
  env_file?: string;
}

describe(req('OPS-18', 'what is around the server is no wider than it needs'), () => {
  const compose = () =>
    parse(text('compose.yaml')) as { services: Record<string, Service>; networks: object };

  it('examples trust the address of a proxy, and no range of machines', () => {
    const example = /^TRUST_PROXY=(.*)$/m.exec(text('server.example.env'))?.[1] ?? '';
    expect(example).toMatch(/^[\d.]+$/);
    // What compose.yaml gives the proxy of this machine for an address.
    expect(under(compose().networks, 'gateway')).toEqual([example]);
  });

  it('the server has an ordinary role; nothing outside reaches the stores', () => {
    const { services, networks } = compose();
    const { postgres, valkey, pentarch } = services;
    expect(pentarch?.environment?.DATABASE_URL).toMatch(/^postgres:\/\/pentarch:/);
    expect(postgres?.environment?.POSTGRES_USER).toBe('postgres');
    const mounts = postgres?.volumes?.filter((one) => one.includes('/docker-entrypoint-initdb.d/')) ?? [];
    const [script = ''] = mounts.map((one) => one.split(':')[0]);
    expect(text(script)).toMatch(/create role pentarch .*nosuperuser.* nobypassrls/);
    expect(text(script)).toContain('create extension vector');
    expect(networks).toMatchObject({ store: { internal: true } });
    for (const store of [postgres, valkey]) expect(store).toMatchObject({ networks: ['store'] });
    for (const store of [postgres, valkey]) expect(store).not.toHaveProperty('ports');
  });

  it('no password stands in a command line, and each service gets what it needs alone', () => {
    const { services } = compose();
    for (const [name, service] of Object.entries(services)) {
      const lines = JSON.stringify([service.command ?? [], under(service, 'test')]);
      expect([name, /PASSWORD|PASS\b/.test(lines)]).toEqual([name, false]);
    }
    const variablesOf = (file: string): string[] =>
      [...text(file).matchAll(/^#?([A-Z_]+)=/gm)].map((m) => m[1] ?? '');
    // What compose itself reads is no setting of the server, and the other way round.
    const settings = new Set(Object.keys(SETTINGS));
    expect(variablesOf('example.env').filter((name) => settings.has(name))).toEqual([]);
    expect(variablesOf('server.example.env').filter((name) => !settings.has(name))).toEqual([]);
    expect(services.pentarch?.env_file).toBe('server.env');
    expect(Object.keys(services.valkey?.environment ?? {})).toEqual(['REDISCLI_AUTH']);
    expect(Object.keys(services.postgres?.environment ?? {}).sort()).toEqual([
      'PENTARCH_PASSWORD',
      'POSTGRES_PASSWORD',
      'POSTGRES_USER',
    ]);
  });

  it('images can be pinned by digest, and no digest is made up', () => {
    const { services } = compose();
    const variables = [services.postgres?.image, services.valkey?.image].map(
      (image) => /^\$\{(\w+):-[\w./-]+:[\w.-]+\}$/.exec(image ?? '')?.[1],
    );
    expect(variables).toEqual(['POSTGRES_IMAGE', 'VALKEY_IMAGE']);
    const guide = readFileSync(path.join(ROOT, 'docs', 'operations.md'), 'utf8');
    for (const name of [...variables, 'NODE_IMAGE']) expect(guide).toContain(String(name));
    for (const file of [
      'compose.yaml',
      'Dockerfile',
      'example.env',
      'server.example.env',
      'helm/pentarch/values.yaml',
    ])
      expect([file, /sha256:[0-9a-f]/.test(text(file))]).toEqual([file, false]);
  });
});
