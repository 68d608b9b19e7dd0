import type { FastifyReply, FastifyRequest } from 'fastify';
import { type LogWork, logWork } from '../kernel/log-fields.ts';

/** Asked every few seconds by machines: their lines are for who looks for them. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

export const isProbe = (route: string | undefined): boolean => route !== undefined && PROBES.has(route);

/** What every line of a request says of it; made with the first of them. */
export const logWorkOf = (request: FastifyRequest): LogWork => {
  const { context } = request;
  if (context?.log !== undefined) return context.log;
  const caller = context?.caller ?? null;
  const made = logWork({
    request_id: request.id,
    client: request.ip,
    ...(caller === null ? {} : { tenant_id: caller.tenantId, user_id: caller.userId }),
  });
  if (context !== undefined) context.log = made;
  return made;
};

/** The line at the end of a request, at its level. */
export const requestLine = (
  request: FastifyRequest,
  reply: FastifyReply,
  route: string,
): { level: 'debug' | 'info'; line: Record<string, unknown> } => {
  const { fields } = logWorkOf(request);
  const { statusCode: status } = reply;
  return {
    // That a part is not ready is a line of its own (features/system/readiness-log.ts).
    level: isProbe(route) && (status < 400 || status === 503) ? 'debug' : 'info',
    line: {
      ...fields,
      method: request.method,
      route,
      status,
      ms: Math.round(reply.elapsedTime * 100) / 100,
    },
  };
};
