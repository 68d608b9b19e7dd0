import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { SETTINGS } from '../../src/config.ts';
import { req } from '../requirements.ts';

/**
 * The chart by helm itself: linted, rendered under several values, and each resource held to Kubernetes' own schemas. Needs helm
 * on the PATH and KUBERNETES_VALIDATE_PATH, the folder of the Python package (.ci/run installs both). No cluster is asked.
 */
const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const CHART = path.join(ROOT, 'deploy', 'helm', 'pentarch');

interface Resource {
  kind: string;
  apiVersion: string;
  metadata: { name: string; labels: Record<string, string> };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-helm-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const GIVEN = {
  existingSecret: 'pentarch',
  config: { PUBLIC_URL: 'https://pentarch.example.com', TRUST_PROXY: '10.20.1.0/28' },
  ingress: { host: 'pentarch.example.com' },
  networkPolicy: {
    stores: [
      { cidr: '10.20.0.10/32', port: 5432 },
      { cidr: '10.20.0.11/32', port: 6379 },
    ],
  },
};
const EVERYTHING = {
  ...GIVEN,
  imagePullSecrets: [{ name: 'registry' }],
  image: { digest: `sha256:${'a'.repeat(64)}` },
  podAnnotations: { 'example.com/team': 'platform' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'platform', operator: 'Exists', effect: 'NoSchedule' }],
  files: { enabled: true, storageClass: 'shared' },
  networkPolicy: {
    ...GIVEN.networkPolicy,
    except: ['93.184.216.0/24', '2606:2800::/32'],
    extraEgress: [
      { to: [{ podSelector: { matchLabels: { app: 'llm' } } }], ports: [{ port: 8000, protocol: 'TCP' }] },
    ],
  },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: 'prometheus' } },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  },
};
const TRIAL = {
  existingSecret: 'pentarch',
  config: GIVEN.config,
  autoscaling: { enabled: false },
  replicas: 1,
  ingress: { enabled: false },
  pdb: { enabled: false },
  trial: {
    postgres: { enabled: true, storageClass: 'standard' },
    valkey: { enabled: true, storageClass: 'standard' },
  },
};

const valuesFile = (values: unknown): string => {
  const file = path.join(folder, `${crypto.randomUUID()}.yaml`);
  writeFileSync(file, stringify(values));
  return file;
};
const helm = (args: readonly string[], values: unknown) => {
  const [command = ''] = args;
  // A helm that Go has installed takes an old Kubernetes for what it renders for.
  const version = command === 'template' ? ['--kube-version', '1.30.0'] : [];
  const ran = spawnSync('helm', [...args, ...version, '--values', valuesFile(values)], { encoding: 'utf8' });
  if (ran.error !== undefined)
    throw new Error(`helm is needed (.ci/run says where from): ${ran.error.message}`);
  return ran;
};
const template = (values: unknown, release = 'pentarch'): string => {
  const ran = helm(['template', release, CHART, '--namespace', 'pentarch'], values);
  expect(ran.stderr.split('\n').filter((line) => /error/i.test(line))).toEqual([]);
  expect(ran.status).toBe(0);
  return ran.stdout;
};
const resourcesOf = (text: string): Resource[] =>
  parseAllDocuments(text).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Resource;
  });
const one = (all: readonly Resource[], kind: string): Resource => {
  const [found, ...more] = all.filter((each) => each.kind === kind);
  if (found === undefined || more.length > 0)
    throw new Error(`${more.length + 1} resources of the kind ${kind}`);
  return found;
};

/** Values at any depth under the key. */
const under = (value: unknown, key: string): unknown[] => {
  if (Array.isArray(value)) return value.flatMap((each) => under(each, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...under(inner, key),
  ]);
};

/** Kinds of Kubernetes itself; those of the Prometheus operator have no schema there. */
const VALIDATE = `
import sys, yaml, kubernetes_validate
every = [one for one in yaml.safe_load_all(sys.stdin) if not one["apiVersion"].startswith("monitoring.coreos.com/")]
for version in sys.argv[1:]:
    for one in every:
        try:
            kubernetes_validate.validate(one, version, strict=True)
        except kubernetes_validate.ValidationError as fault:
            sys.exit(f"{one['kind']} by {version}: {fault.message}")
print(len(every))
`;
/** How many resources the schemas of these releases of Kubernetes take; throws for one that they do not. */
const validate = (text: string): number => {
  const ran = spawnSync('python3', ['-c', VALIDATE, '1.27', '1.37'], {
    input: text,
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: process.env.KUBERNETES_VALIDATE_PATH ?? '' },
  });
  if (ran.status !== 0) throw new Error(ran.stderr);
  return Number(ran.stdout);
};

describe(req('OPS-22', 'the Helm chart renders resources that Kubernetes takes'), () => {
  it.each([
    ['the least values', GIVEN],
    ['everything on', EVERYTHING],
    ['a trial', TRIAL],
  ])('lint finds nothing: %s', (_, values) => {
    const ran = helm(['lint', '--strict', CHART], values);
    expect([ran.status, ran.stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')]);
  });

  it('kinds are these, under the names of the release, by the schemas of the oldest and the newest Kubernetes', () => {
    const least = template(GIVEN);
    expect(
      resourcesOf(least)
        .map((each) => each.kind)
        .sort(),
    ).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
    const all = template(EVERYTHING);
    expect(
      resourcesOf(all)
        .map((each) => each.kind)
        .sort(),
    ).toEqual([
      'ConfigMap',
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'PersistentVolumeClaim',
      'PodDisruptionBudget',
      'PrometheusRule',
      'Service',
      'ServiceMonitor',
    ]);
    const trial = template(TRIAL);
    expect(
      resourcesOf(trial)
        .map((each) => `${each.kind} ${each.metadata.name}`)
        .sort(),
    ).toEqual([
      'ConfigMap pentarch',
      'ConfigMap pentarch-postgres',
      'Deployment pentarch',
      'NetworkPolicy pentarch',
      'NetworkPolicy pentarch-postgres',
      'NetworkPolicy pentarch-valkey',
      'Service pentarch',
      'Service pentarch-postgres',
      'Service pentarch-valkey',
      'StatefulSet pentarch-postgres',
      'StatefulSet pentarch-valkey',
    ]);
    expect(validate([least, all, trial].join('\n'))).toBe(7 + 8 + 11);
    for (const each of resourcesOf(template(EVERYTHING, 'acme')))
      expect(each.metadata.name).toMatch(/^acme-pentarch(-files)?$/);
    expect(() => validate(least.replace('maxSurge', 'maxSurges'))).toThrow(
      /Deployment by 1\.27: .*maxSurges/,
    );
  }, 300_000);

  it('what they name of each other is there', () => {
    for (const values of [GIVEN, EVERYTHING, TRIAL]) {
      const all = resourcesOf(template(values));
      const deployment = one(all, 'Deployment');
      const named = (kind: string): string[] =>
        all.filter((each) => each.kind === kind).map((each) => each.metadata.name);
      for (const ref of under(deployment, 'configMapRef'))
        expect(named('ConfigMap')).toContain((ref as { name: string }).name);
      for (const ref of [...under(deployment, 'secretRef'), ...under(all, 'secretKeyRef')])
        expect((ref as { name: string }).name).toBe('pentarch');
      for (const claim of under(deployment, 'claimName'))
        expect(named('PersistentVolumeClaim')).toContain(claim);
      const labels = under(deployment.spec?.template, 'labels')[0] as Record<string, string>;
      for (const each of all.filter(({ metadata }) => metadata.name === 'pentarch')) {
        const [selector] = [
          ...under(each.spec, 'matchLabels'),
          ...(each.kind === 'Service' ? under(each.spec, 'selector') : []),
        ];
        if (selector !== undefined) expect(labels).toMatchObject(selector as object);
      }
      const service = all.find((each) => each.kind === 'Service' && each.metadata.name === 'pentarch');
      for (const monitor of all.filter((each) => each.kind === 'ServiceMonitor')) {
        expect(service?.metadata.labels).toMatchObject(under(monitor, 'matchLabels')[0] as object);
        // The job that the alerts and the dashboard ask for.
        expect(service?.metadata.labels[String(monitor.spec?.jobLabel)]).toBe('pentarch');
        expect(under(monitor, 'credentials')).toEqual([{ name: 'pentarch', key: 'METRICS_TOKEN' }]);
      }
    }
  });

  it('the rules are those of deploy/monitoring, and no others', () => {
    const rule = one(resourcesOf(template(EVERYTHING)), 'PrometheusRule');
    expect(rule.spec).toEqual(
      parse(readFileSync(path.join(ROOT, 'deploy', 'monitoring', 'alerts.yaml'), 'utf8')),
    );
  });

  it('pods run without root on a read-only root, hold no token of the cluster, and give answers their time', () => {
    for (const values of [EVERYTHING, TRIAL]) {
      const all = resourcesOf(template(values));
      const pods = all.filter((each) => ['Deployment', 'StatefulSet'].includes(each.kind));
      for (const pod of pods) {
        expect(under(pod, 'runAsNonRoot')).toEqual([true]);
        expect(under(pod, 'readOnlyRootFilesystem')).toEqual([true]);
        expect(under(pod, 'allowPrivilegeEscalation')).toEqual([false]);
        expect(under(pod, 'automountServiceAccountToken')).toEqual([false]);
        expect(under(pod, 'seccompProfile')).toEqual([{ type: 'RuntimeDefault' }]);
        expect(under(pod, 'drop')).toEqual([['ALL']]);
        expect(under(pod, 'memory').length).toBeGreaterThan(1);
        expect(JSON.stringify(under(pod, 'command'))).not.toMatch(/PASSWORD/);
      }
      const settings =
        all.find((each) => each.kind === 'ConfigMap' && each.metadata.name === 'pentarch')?.data ?? {};
      const known = new Set(Object.keys(SETTINGS));
      for (const name of Object.keys(settings)) expect(known).toContain(name);
      const deployment = one(all, 'Deployment');
      const [grace] = under(deployment, 'terminationGracePeriodSeconds');
      expect(Number(grace)).toBeGreaterThan(
        Number(settings.SHUTDOWN_LEAD_S) + Number(settings.SHUTDOWN_GRACE_S) + 10,
      );
      expect(under(deployment, 'mountPath')).toContain(settings.DATA_DIR);
      const paths = under(deployment, 'httpGet').map((probe) => (probe as { path: string }).path);
      expect(new Set(paths)).toEqual(new Set(['/health', '/ready']));
    }
  });

  it('replicas and an autoscaler do not stand beside each other; files need their volume; a change of settings rolls', () => {
    const scaled = resourcesOf(template(GIVEN));
    expect(one(scaled, 'Deployment').spec).not.toHaveProperty('replicas');
    expect(one(scaled, 'ConfigMap').data?.MCP_BUILTIN).toBe('off');
    const trial = resourcesOf(template(TRIAL));
    expect(one(trial, 'Deployment').spec).toMatchObject({ replicas: 1 });
    expect(trial.some((each) => each.kind === 'HorizontalPodAutoscaler')).toBe(false);
    expect(one(resourcesOf(template(EVERYTHING)), 'ConfigMap').data).not.toHaveProperty('MCP_BUILTIN');
    const sum = (values: unknown) =>
      under(one(resourcesOf(template(values)), 'Deployment'), 'checksum/config')[0];
    expect(sum(GIVEN)).toBe(sum(GIVEN));
    expect(sum({ ...GIVEN, config: { ...GIVEN.config, LOG_LEVEL: 'debug' } })).not.toBe(sum(GIVEN));
    expect(under(one(resourcesOf(template(EVERYTHING)), 'Deployment'), 'image')).toEqual([
      `pentarch@sha256:${'a'.repeat(64)}`,
    ]);
  });

  it('values that cannot be right are refused with their name, and no secret stands in values', () => {
    const refused = (values: unknown): string => {
      const ran = helm(['template', 'pentarch', CHART], values);
      expect(ran.status).not.toBe(0);
      return ran.stderr;
    };
    expect(refused({ ...GIVEN, existingSecret: '' })).toContain('existingSecret');
    expect(refused({ ...GIVEN, replica: 3 })).toContain('replica');
    expect(refused({ ...GIVEN, config: { ...GIVEN.config, PUBLIC_URL: 'pentarch.example.com' } })).toContain(
      'PUBLIC_URL',
    );
    expect(refused({ ...GIVEN, ingress: {} })).toContain('ingress.host');
    expect(refused({ ...GIVEN, networkPolicy: { stores: [{ cidr: '10.0.0.0/8', port: 5432 }] } })).toContain(
      'cidr',
    );
    const schema = JSON.parse(readFileSync(path.join(CHART, 'values.schema.json'), 'utf8')) as {
      properties: { config: { propertyNames: { not: { enum: string[] } } } };
    };
    const secrets = Object.entries(SETTINGS).flatMap(([name, setting]) =>
      setting.secret === true ? [name] : [],
    );
    expect([...schema.properties.config.propertyNames.not.enum].sort()).toEqual(
      ['DATA_DIR', 'HOST', 'PORT', ...secrets].sort(),
    );
    for (const name of secrets) refused({ ...GIVEN, config: { ...GIVEN.config, [name]: 'x' } });
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
      (ports === undefined || ports.some((each) => each.port === port)) &&
      (to === undefined ||
        to.some(
          ({ ipBlock }) =>
            ipBlock !== undefined &&
            inRange(address, ipBlock.cidr) &&
            !(ipBlock.except ?? []).some((range) => inRange(address, range)),
        )),
  );

describe(req('OPS-18', 'pods reach what they need and no more'), () => {
  const policyOf = (values: unknown, name = 'pentarch') =>
    resourcesOf(template(values)).find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name,
    )?.spec as { policyTypes: string[]; ingress: PolicyRule[]; egress?: PolicyRule[] };

  it('names, their stores and HTTPS outside, and neither metadata nor what is private', () => {
    const { policyTypes, ingress, egress = [] } = policyOf(GIVEN);
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
    const more = ['192.168.1.1', '100.100.100.200', 'fd00::1', 'fe80::1', '::1', '0.0.0.0'];
    for (const address of [...closed, ...more])
      expect([address, reaches(egress, address, 443)]).toEqual([address, false]);
    expect(reaches(egress, '10.20.0.10', 5432)).toBe(true);
    expect(reaches(egress, '10.20.0.11', 6379)).toBe(true);
    const narrowed = policyOf(EVERYTHING).egress ?? [];
    for (const address of ['93.184.216.34', '2606:2800::1']) {
      expect([address, reaches(egress, address, 443)]).toEqual([address, true]);
      expect([address, reaches(narrowed, address, 443)]).toEqual([address, false]);
    }
  });

  it('stores of a trial reach nothing, and the servers alone reach them', () => {
    for (const [name, port] of [
      ['pentarch-postgres', 5432],
      ['pentarch-valkey', 6379],
    ] as const) {
      const { policyTypes, ingress, egress } = policyOf(TRIAL, name);
      expect([policyTypes, egress]).toEqual([['Ingress', 'Egress'], undefined]);
      expect(ingress.map((rule) => rule.ports)).toEqual([[{ port, protocol: 'TCP' }]]);
      expect(under(ingress, 'matchLabels')).toEqual([
        expect.objectContaining({ 'app.kubernetes.io/component': 'server' }),
      ]);
      const out = (policyOf(TRIAL).egress ?? []).filter(({ ports }) =>
        ports?.some((each) => each.port === port),
      );
      expect(out.map(({ to }) => under(to, 'app.kubernetes.io/component'))).toEqual([
        [name.replace('pentarch-', '')],
      ]);
    }
  });
});
