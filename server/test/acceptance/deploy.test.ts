import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { SETTINGS } from '../../src/config.ts';
import { req } from '../requirements.ts';
import type { TestServer } from '../support/server.ts';
import { withServer } from '../support/suite.ts';

/** What deploy/ says holds for the server as it is. */
const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const text = (file: string): string => readFileSync(path.join(ROOT, 'deploy', file), 'utf8');

interface Resource {
  kind: string;
  apiVersion: string;
  metadata: { name: string };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

const KUBERNETES = readdirSync(path.join(ROOT, 'deploy', 'kubernetes'));
const resources = (): Resource[] =>
  KUBERNETES.filter((file) => file !== 'kustomization.yaml').flatMap((file) =>
    parseAllDocuments(text(`kubernetes/${file}`)).map((document) => {
      expect(document.errors).toEqual([]);
      return document.toJS() as Resource;
    }),
  );

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

  it('every alert comes under the figures that it is for, and no other: by promtool where it is installed', () => {
    const cases = text('monitoring/alerts.test.yaml');
    for (const { alert } of rules()) expect(cases).toContain(`alertname="${alert}"`);
    const file = path.join(ROOT, 'deploy', 'monitoring', 'alerts.test.yaml');
    const tool = process.env.PROMTOOL_PATH ?? 'promtool';
    const tested = spawnSync(tool, ['test', 'rules', file], { encoding: 'utf8' });
    if (tested.error === undefined) expect([tested.status, tested.stdout]).toEqual([0, expect.any(String)]);
  });

  it('every alert has its words in the operations guide', () => {
    const guide = readFileSync(path.join(ROOT, 'docs', 'operations.md'), 'utf8');
    for (const rule of rules()) {
      expect(rule.annotations.runbook).toBe(`docs/operations.md#${rule.alert.toLowerCase()}`);
      expect(guide).toContain(`### ${rule.alert}\n`);
    }
  });
});

describe('manifests', () => {
  it('are whole, and refer to each other by names that exist', () => {
    const all = resources();
    const kinds = all.map((each) => each.kind).sort();
    expect(kinds).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Namespace',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
    for (const each of all) {
      expect(each.apiVersion).toMatch(/^[a-z0-9./]+$/);
      expect(each.metadata.name).toMatch(/^pentarch/);
    }
    const listed = (parse(text('kubernetes/kustomization.yaml')) as { resources: string[] }).resources;
    expect([...listed].sort()).toEqual(
      KUBERNETES.filter((file) => !['kustomization.yaml', 'secret.example.yaml'].includes(file)).sort(),
    );
    const deployment = all.find((each) => each.kind === 'Deployment');
    const named = (kind: string): (string | undefined)[] =>
      all.filter((each) => each.kind === kind).map((each) => each.metadata.name);
    expect(named('ConfigMap')).toEqual(
      under(deployment, 'configMapRef').map((ref) => (ref as { name: string }).name),
    );
    expect(named('Secret')).toEqual(
      under(deployment, 'secretRef').map((ref) => (ref as { name: string }).name),
    );
    expect(named('PersistentVolumeClaim')).toEqual(under(deployment, 'claimName'));
    const hpa = all.find((each) => each.kind === 'HorizontalPodAutoscaler');
    expect(under(hpa, 'scaleTargetRef')).toEqual([
      { apiVersion: 'apps/v1', kind: 'Deployment', name: 'pentarch' },
    ]);
  });

  it('run without root, on a read-only root, and give running answers their time', () => {
    const deployment = resources().find((each) => each.kind === 'Deployment');
    expect(under(deployment, 'runAsNonRoot')).toEqual([true]);
    expect(under(deployment, 'readOnlyRootFilesystem')).toEqual([true]);
    expect(under(deployment, 'allowPrivilegeEscalation')).toEqual([false]);
    const [grace] = under(deployment, 'terminationGracePeriodSeconds');
    const settings = resources().find((each) => each.kind === 'ConfigMap')?.data ?? {};
    expect(Number(grace)).toBeGreaterThan(
      Number(settings.SHUTDOWN_LEAD_S) + Number(settings.SHUTDOWN_GRACE_S) + 10,
    );
    const mounts = under(deployment, 'mountPath');
    expect(mounts).toContain(settings.DATA_DIR);
    const paths = under(deployment, 'httpGet').map((probe) => (probe as { path: string }).path);
    expect(new Set(paths)).toEqual(new Set(['/health', '/ready']));

    const compose = parse(text('compose.yaml')) as {
      services: Record<
        string,
        { read_only?: boolean; cap_drop?: string[]; environment?: Record<string, string> }
      >;
    };
    expect(Object.keys(compose.services)).toEqual(['pentarch', 'postgres', 'valkey']);
    expect(compose.services.pentarch).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    const known = new Set(Object.keys(SETTINGS));
    for (const name of [
      ...Object.keys(settings),
      ...Object.keys(compose.services.pentarch?.environment ?? {}),
    ]) {
      expect(known).toContain(name);
    }
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

interface Peer {
  ipBlock?: { cidr: string; except?: string[] };
  namespaceSelector?: unknown;
  podSelector?: unknown;
}
interface PolicyRule {
  to?: Peer[];
  from?: Peer[];
  ports?: { port: number; protocol: string }[];
}
interface Service {
  image?: string;
  networks?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  healthcheck?: { test: string[] };
  command?: string[];
  env_file?: string;
}

const inRange = (address: string, range: string): boolean => {
  const [network = '', bits = ''] = range.split('/');
  if (isIPv6(address) !== isIPv6(network)) return false;
  const list = new BlockList();
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  list.addSubnet(network, Number(bits), family);
  return list.check(address, family);
};

/** Whether a policy lets a pod reach the address: rules add up, and each peer of one is enough. */
const reaches = (rules: readonly PolicyRule[], address: string, port: number): boolean =>
  rules.some(
    ({ to, ports }) =>
      (ports === undefined || ports.some((one) => one.port === port)) &&
      (to === undefined ||
        to.some(
          ({ ipBlock }) =>
            ipBlock !== undefined &&
            inRange(address, ipBlock.cidr) &&
            !(ipBlock.except ?? []).some((range) => inRange(address, range)),
        )),
  );

describe(req('OPS-18', 'what is around the server is no wider than it needs'), () => {
  const policy = () =>
    resources().find(({ kind }) => kind === 'NetworkPolicy')?.spec as {
      policyTypes: string[];
      ingress: PolicyRule[];
      egress: PolicyRule[];
    };
  const compose = () =>
    parse(text('compose.yaml')) as { services: Record<string, Service>; networks: object };

  it('pods reach names, their stores and HTTPS outside, and neither metadata nor what is private', () => {
    const { policyTypes, ingress, egress } = policy();
    expect(policyTypes).toEqual(['Ingress', 'Egress']);
    // No rule is without its peers and its ports: that would be everything.
    for (const rule of egress) {
      expect(rule.to?.length).toBeGreaterThan(0);
      expect(rule.ports?.length).toBeGreaterThan(0);
    }
    expect(ingress.map(({ from }) => from?.length ?? 0).every((peers) => peers > 0)).toBe(true);
    const [names] = egress.filter(({ ports }) => ports?.some(({ port }) => port === 53));
    expect(names?.to?.every(({ podSelector, namespaceSelector }) => podSelector && namespaceSelector)).toBe(
      true,
    );
    for (const address of ['1.1.1.1', '203.0.112.1', '2606:4700::1111']) {
      expect([address, reaches(egress, address, 443)]).toEqual([address, true]);
      expect([address, reaches(egress, address, 80)]).toEqual([address, false]);
      expect([address, reaches(egress, address, 5432)]).toEqual([address, false]);
    }
    const closed = ['169.254.169.254', 'fd00:ec2::254', '127.0.0.1', '10.0.0.1', '10.96.0.1', '172.16.0.1'];
    for (const address of [
      ...closed,
      '192.168.1.1',
      '100.100.100.200',
      'fd00::1',
      'fe80::1',
      '::1',
      '0.0.0.0',
    ])
      expect([address, reaches(egress, address, 443)]).toEqual([address, false]);
    for (const port of [5432, 6379])
      for (const rule of egress.filter(({ ports }) => ports?.some((one) => one.port === port)))
        expect(rule.to?.every(({ ipBlock }) => ipBlock?.cidr.endsWith('/32'))).toBe(true);
  });

  it('examples trust the address of a proxy, and no range of machines', () => {
    const settings = resources().find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
    const example = /^TRUST_PROXY=(.*)$/m.exec(text('server.example.env'))?.[1] ?? '';
    for (const value of [settings.TRUST_PROXY ?? '', example]) {
      expect(value).toMatch(/^[\d.]+(\/\d+)?$/);
      expect(Number(value.split('/')[1] ?? 32)).toBeGreaterThanOrEqual(28);
    }
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
      'kubernetes/kustomization.yaml',
    ])
      expect([file, /sha256:[0-9a-f]/.test(text(file))]).toEqual([file, false]);
  });
});
