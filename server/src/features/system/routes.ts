import { timingSafeEqual } from 'node:crypto';
import { Type } from 'typebox';
import { bearerToken } from '../../http/context.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { unauthorized } from '../../kernel/errors.ts';
import { atMost } from '../../kernel/races.ts';
import { StringEnum } from '../../kernel/schema.ts';
import type { Metrics } from './metrics.ts';

/** One part of readiness. `degraded` is told and does not make the service unready. */
export interface Check {
  status: 'ok' | 'degraded' | 'failed';
  detail?: string;
}

export const CHECK_NAMES = [
  'store',
  'redis',
  'disk',
  'migrations',
  'models',
  'embeddings',
  'identity',
  'mcp',
  'queue',
] as const;
export type HealthCheck = () => Check | Promise<Check>;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface SystemOptions {
  version: string;
  /** Epoch ms. */
  startedAt: number;
  now(): number;
  /** Told to stop: not ready, whatever the checks say. */
  stopping(): boolean;
  /** Asked at each look: their sources are built later. */
  checks(): Record<CheckName, HealthCheck>;
  metrics: Metrics;
  metricsToken: string | null;
  /** Told what the parts say each time that somebody asks while the process means to serve. */
  looked?(checks: Readonly<Record<string, Check>>): void;
}

const CheckSchema = Type.Object({
  status: StringEnum(['ok', 'degraded', 'failed']),
  detail: Type.Optional(Type.String()),
});
const Readiness = Type.Object({
  status: StringEnum(['ready', 'not_ready']),
  checks: Type.Object({
    store: CheckSchema,
    redis: CheckSchema,
    disk: CheckSchema,
    migrations: CheckSchema,
    models: CheckSchema,
    embeddings: CheckSchema,
    identity: CheckSchema,
    mcp: CheckSchema,
    queue: CheckSchema,
  }),
});

const CHECK_TIMEOUT_MS = 3_000;

const run = async (check: HealthCheck): Promise<Check> => {
  try {
    const found = await atMost(Promise.resolve().then(check), CHECK_TIMEOUT_MS);
    return found ?? { status: 'failed', detail: 'no answer' };
  } catch {
    return { status: 'failed', detail: 'not reachable' };
  }
};

const sameText = (a: string, b: string): boolean => {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
};

export const systemRoutes = (options: SystemOptions): AnyRoute[] => {
  const readiness = async () => {
    const checked = options.checks();
    const results = await Promise.all(CHECK_NAMES.map((name) => run(checked[name])));
    const checks: Record<string, Check> = {};
    for (const [i, name] of CHECK_NAMES.entries()) checks[name] = results[i] ?? { status: 'failed' };
    if (!options.stopping()) options.looked?.(checks);
    const ready = !options.stopping() && results.every((check) => check.status !== 'failed');
    return { ready, body: { status: ready ? 'ready' : 'not_ready', checks } };
  };

  return [
    route({
      method: 'GET',
      path: '/health',
      surface: 'root',
      operationId: 'getHealth',
      modelNames: { response: 'Health' },
      summary: 'The process runs',
      tag: 'System',
      access: 'public',
      responses: {
        200: Type.Object({ status: StringEnum(['ok']), version: Type.String(), uptime_s: Type.Integer() }),
      },
      handler: () => ({
        status: 'ok',
        version: options.version,
        uptime_s: Math.floor((options.now() - options.startedAt) / 1000),
      }),
    }),
    route({
      method: 'GET',
      path: '/ready',
      surface: 'root',
      operationId: 'getReadiness',
      modelNames: { response: 'Readiness' },
      summary: 'Ready to serve requests; 503 with the same body when not',
      tag: 'System',
      access: 'public',
      responses: { 200: Readiness, 503: Readiness },
      handler: async ({ reply }) => {
        const { ready, body } = await readiness();
        if (!ready) reply.code(503).header('retry-after', '5');
        return body;
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      surface: 'root',
      operationId: 'getMetrics',
      summary: 'Prometheus metrics',
      tag: 'System',
      access: 'public',
      produces: 'text/plain',
      responses: { 200: Type.Unsafe<string>({ type: 'string' }) },
      handler: async ({ request, reply }) => {
        if (options.metricsToken !== null) {
          const token = bearerToken(request);
          if (token === null)
            throw unauthorized('TOKEN_MISSING', 'the metrics need METRICS_TOKEN as bearer token');
          if (!sameText(token, options.metricsToken))
            throw unauthorized('TOKEN_INVALID', 'this is not the METRICS_TOKEN');
        }
        return reply
          .type(options.metrics.registry.contentType)
          .serializer((text: unknown) => String(text))
          .send(await options.metrics.registry.metrics());
      },
    }),
  ];
};
