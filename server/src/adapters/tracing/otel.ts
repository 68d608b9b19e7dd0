import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  type Link,
  SpanKind as OtelKind,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { parseTraceParent, TraceState } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { AppError } from '../../kernel/errors.ts';
import type {
  Span,
  SpanAttributes,
  SpanKind,
  SpanOptions,
  TraceHeaders,
  Tracer,
} from '../../kernel/tracing.ts';

/** Spans by OpenTelemetry's SDK, sent by OTLP over HTTP in protobuf. */

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface OtelOptions {
  /** Where traces go, `/v1/traces` included. */
  url: string;
  headers: Readonly<Record<string, string>>;
  timeoutMs: number;
  /** Longest wait of a span until it is sent. */
  delayMs: number;
  serviceName: string;
  version: string;
  instanceId: string;
  resource: Readonly<Record<string, string>>;
  sampler: (typeof SAMPLERS)[number];
  /** Share of traces, 0 to 1, of the samplers by ratio. */
  ratio: number;
  contents: boolean;
  onError(message: string): void;
}

const KINDS: Readonly<Record<SpanKind, OtelKind>> = {
  internal: OtelKind.INTERNAL,
  server: OtelKind.SERVER,
  client: OtelKind.CLIENT,
  producer: OtelKind.PRODUCER,
  consumer: OtelKind.CONSUMER,
};

const samplerOf = ({ sampler, ratio }: Pick<OtelOptions, 'sampler' | 'ratio'>): Sampler => {
  const [, based, name] = /^(parentbased_)?(\w+)$/.exec(sampler) ?? [];
  const root =
    name === 'traceidratio'
      ? new TraceIdRatioBasedSampler(ratio)
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new AlwaysOnSampler();
  return based === undefined ? root : new ParentBasedSampler({ root });
};

const attributesOf = (given: SpanAttributes | undefined): Attributes => {
  const out: Attributes = {};
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null || value === undefined) continue;
    out[name] = typeof value === 'object' ? [...value] : value;
  }
  return out;
};

const remote = (traceparent: string | undefined, tracestate?: string): SpanContext | null => {
  const found = traceparent === undefined ? null : parseTraceParent(traceparent);
  if (found === null || !isSpanContextValid(found)) return null;
  return {
    ...found,
    isRemote: true,
    ...(tracestate === undefined ? {} : { traceState: new TraceState(tracestate) }),
  };
};

/** The kind of an error in few words, as `error.type` wants it. */
const typeOf = (error: unknown): string => {
  if (error instanceof AppError) return error.code;
  if (!(error instanceof Error)) return 'unknown';
  return 'kind' in error && typeof error.kind === 'string' ? error.kind : error.name;
};

/** Nobody will see it: its attributes are not even read. What is opened within it knows by `run` that it is not seen either. */
const unseen = (run: Span['within']): Span => ({
  recorded: false,
  set: () => {},
  rename: () => {},
  fail: () => {},
  end: () => {},
  within: run,
});
const WITHIN_UNSEEN = unseen((work) => work());

const wrap = (own: OtelSpan, context: Context, present: AsyncLocalStorage<Context>): Span => {
  const inner = trace.setSpan(context, own);
  const within: Span['within'] = (work) => present.run(inner, work);
  if (!own.isRecording()) return unseen(within);
  return {
    get recorded() {
      return own.isRecording();
    },
    set: (attributes) => void own.setAttributes(attributesOf(attributes)),
    rename: (name) => void own.updateName(name),
    fail(error) {
      own.setStatus({ code: SpanStatusCode.ERROR });
      own.setAttribute('error.type', typeOf(error));
    },
    end: () => own.end(),
    within,
  };
};

/** In a trace of our own that is not sampled; no sampler of these decides otherwise for a part of it. */
const isUnseen = (context: Context): boolean => {
  const parent = trace.getSpanContext(context);
  return parent !== undefined && parent.isRemote !== true && (parent.traceFlags & TraceFlags.SAMPLED) === 0;
};

const headersOf = (context: Context): TraceHeaders => {
  const found = trace.getSpanContext(context);
  if (found === undefined || !isSpanContextValid(found)) return {};
  const flags = found.traceFlags.toString(16).padStart(2, '0');
  const state = found.traceState?.serialize();
  return {
    traceparent: `00-${found.traceId}-${found.spanId}-${flags}`,
    ...(state === undefined || state === '' ? {} : { tracestate: state }),
  };
};

const ERROR_EVERY_MS = 60_000;

/** What the SDK complains of, at most once a minute: a collector that is away must not fill the log. */
const listenToSdk = (onError: (message: string) => void): void => {
  let last = Number.NEGATIVE_INFINITY;
  const tell = (message: string): void => {
    if (performance.now() - last < ERROR_EVERY_MS) return;
    last = performance.now();
    onError(message);
  };
  const nothing = (): void => {};
  diag.setLogger(
    { error: tell, warn: tell, info: nothing, debug: nothing, verbose: nothing },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
};

export const createOtelTracer = (options: OtelOptions): Tracer & { close(): Promise<void> } => {
  listenToSdk(options.onError);
  const exporter = new OTLPTraceExporter({
    url: options.url,
    headers: { ...options.headers },
    timeoutMillis: options.timeoutMs,
  });
  const provider = new TracerProvider({
    sampler: samplerOf(options),
    resource: defaultResource().merge(
      resourceFromAttributes({
        ...options.resource,
        'service.name': options.serviceName,
        'service.version': options.version,
        'service.instance.id': options.instanceId,
      }),
    ),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: options.delayMs })],
  });
  const own = provider.getTracer('pentarch', options.version);
  const present = new AsyncLocalStorage<Context>();
  const now = (): Context => present.getStore() ?? ROOT_CONTEXT;

  const parentOf = (parent: SpanOptions['parent']): Context => {
    if (parent === undefined) return now();
    if (parent === 'root') return ROOT_CONTEXT;
    const caller = remote(parent.traceparent, parent.tracestate);
    return caller === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, caller);
  };

  return {
    contents: options.contents,
    headers: () => headersOf(now()),
    open(name, how) {
      const context = parentOf(how.parent);
      if (how.parent === undefined && isUnseen(context)) return WITHIN_UNSEEN;
      const links: Link[] = (how.links ?? []).flatMap((traceparent) => {
        const linked = remote(traceparent);
        return linked === null ? [] : [{ context: linked }];
      });
      const span = own.startSpan(
        name,
        { kind: KINDS[how.kind ?? 'internal'], attributes: attributesOf(how.attributes), links },
        context,
      );
      return wrap(span, context, present);
    },
    async close() {
      await provider.shutdown();
      diag.disable();
    },
  };
};
