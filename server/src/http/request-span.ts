import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTracing, openSpan, type Span } from '../kernel/tracing.ts';
import { isProbe } from './request-line.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | null;
  }
}

const headerOf = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;

/** The span of a request, within that of its client where the headers name one; probes have none. */
export const openRequestSpan = (request: FastifyRequest): void => {
  if (!isTracing()) return;
  const route = request.routeOptions.url;
  if (isProbe(route)) return;
  const { traceparent, tracestate, host } = request.headers;
  const parent = headerOf(traceparent);
  const state = headerOf(tracestate);
  request.span = openSpan(route === undefined ? request.method : `${request.method} ${route}`, {
    kind: 'server',
    parent:
      parent === undefined
        ? 'root'
        : { traceparent: parent, ...(state === undefined ? {} : { tracestate: state }) },
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'url.scheme': request.protocol,
      'server.address': host,
    },
  });
};

export const endRequestSpan = (request: FastifyRequest, reply: FastifyReply): void => {
  const { span } = request;
  if (span === null) return;
  const caller = request.context?.caller ?? null;
  const run = request.context?.log?.fields;
  span.set({
    'http.response.status_code': reply.statusCode,
    'pentarch.request.id': request.id,
    'pentarch.tenant.id': caller?.tenantId,
    'user.id': caller?.userId,
    'pentarch.run.id': run?.run_id,
    'gen_ai.conversation.id': run?.conversation_id,
  });
  if (reply.statusCode >= 500) span.fail(request.context?.fault ?? new Error('failed'));
  span.end();
};
