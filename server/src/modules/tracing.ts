import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { useTracer } from '../kernel/tracing.ts';
import { VERSION } from '../kernel/version.ts';

/** The part of the composition that sends traces. Before the rest is built, and closed after it. */
export interface Tracing {
  /** Sends what is left. */
  close(): Promise<void>;
}

/** `name=value,name=value` with percent-encoding, as the specification of the settings says. */
const pairs = (text: string): Record<string, string> =>
  Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) return [];
      return [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
    }),
  );

/** Without an address nothing is loaded, and a span is nothing. */
export const startTracing = async (
  config: Config,
  logger: Pick<FastifyBaseLogger, 'warn'>,
): Promise<Tracing> => {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = config;
  const url = own ?? (base === null ? null : `${base}/v1/traces`);
  if (url === null || config.OTEL_SDK_DISABLED) return { close: () => Promise.resolve() };
  const { createOtelTracer } = await import('../adapters/tracing/otel.ts');
  const tracer = createOtelTracer({
    url,
    headers: pairs(config.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
    timeoutMs: config.OTEL_EXPORTER_OTLP_TIMEOUT,
    delayMs: config.OTEL_BSP_SCHEDULE_DELAY,
    serviceName: config.OTEL_SERVICE_NAME,
    version: VERSION,
    instanceId: randomUUID(),
    resource: pairs(config.OTEL_RESOURCE_ATTRIBUTES),
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    contents: config.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT,
    onError: (message) => logger.warn({ reason: message }, 'traces could not be sent'),
  });
  useTracer(tracer);
  return {
    async close() {
      useTracer(null);
      await tracer.close().catch((error: unknown) => logger.warn({ err: error }, 'traces could not be sent'));
    },
  };
};
