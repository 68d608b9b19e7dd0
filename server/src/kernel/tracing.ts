/**
 * Spans of distributed traces, as the rest of the platform opens them. Without a tracer (the setting
 * OTEL_EXPORTER_OTLP_ENDPOINT) a span is nothing and work runs as if it were not there; nothing is decided by one.
 */

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';
type SpanValue = string | number | boolean | readonly string[];
/** What is null or undefined is left out. */
export type SpanAttributes = Readonly<Record<string, SpanValue | null | undefined>>;

/** The headers of W3C Trace Context. */
export interface TraceHeaders {
  traceparent?: string;
  tracestate?: string;
}

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: SpanAttributes;
  /** Of the caller, as its headers name it. Without it the present span; `root`: none. */
  parent?: TraceHeaders | 'root';
  /** `traceparent` of spans that this one follows from without being a part of them. */
  links?: readonly string[];
}

export interface Span {
  /** Somebody will see it: false where there is no tracer, and where it is not sampled. */
  readonly recorded: boolean;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** It ends badly; the error's text is not told, since it may hold what a person wrote. */
  fail(error: unknown): void;
  end(): void;
  /** What `work` opens is within this span. */
  within<T>(work: () => T): T;
}

export interface Tracer {
  open(name: string, options: SpanOptions): Span;
  /** Of the present span; empty outside of any. */
  headers(): TraceHeaders;
  /** Whether spans may hold what people and models wrote. */
  readonly contents: boolean;
}

const NO_SPAN: Span = {
  recorded: false,
  set: () => {},
  rename: () => {},
  fail: () => {},
  end: () => {},
  within: (work) => work(),
};
const NO_HEADERS: TraceHeaders = Object.freeze({});
const NOTHING: SpanOptions = Object.freeze({});

let tracer: Tracer | null = null;

/** For the start of the process. */
export const useTracer = (next: Tracer | null): void => {
  tracer = next;
};

/** Whether anybody asked for spans. */
export const isTracing = (): boolean => tracer !== null;

/** A span that is ended by who opened it. */
export const openSpan = (name: string, options: SpanOptions = NOTHING): Span =>
  tracer === null ? NO_SPAN : tracer.open(name, options);

/** A span as long as `work`. */
export const traced = async <T>(
  name: string,
  options: SpanOptions,
  work: (span: Span) => T | Promise<T>,
): Promise<T> => {
  if (tracer === null) return work(NO_SPAN);
  const span = tracer.open(name, options);
  try {
    return await span.within(() => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
};

/** For requests to others. */
export const traceHeaders = (): TraceHeaders => tracer?.headers() ?? NO_HEADERS;

/** `traceparent` of the present span, to be kept beside work that is done later; null outside of any. */
export const presentTrace = (): string | null => tracer?.headers().traceparent ?? null;

/** Whether spans may hold what people and models wrote (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT). */
export const tracesContents = (): boolean => tracer?.contents === true;

/** A request with the headers of the present trace. */
export const withTrace = (init: RequestInit | undefined): RequestInit | undefined => {
  const own = Object.entries(traceHeaders());
  if (own.length === 0) return init;
  const headers = new Headers(init?.headers);
  for (const [name, value] of own) headers.set(name, value);
  return { ...init, headers };
};
