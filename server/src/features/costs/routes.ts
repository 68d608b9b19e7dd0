import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type AnyRoute, route } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type LimitsOptions, type LimitsService, limitWire, parseChanges } from './limits.ts';
import { Csv, Limits, LimitsBody, Usage, UsageQuery } from './schema.ts';
import { readsTenantCosts, type UsageService } from './usage.ts';

export interface CostRouteOptions {
  usage: UsageService;
  limits: LimitsService;
  known: Pick<LimitsOptions, 'userExists' | 'agentExists'>;
}

const sendCsv = async (
  usage: UsageService,
  caller: Caller,
  query: UsageQuery,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { name, text } = await usage.csv(caller, query);
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(text));
};

/** JSON unless the client asks for CSV and not for JSON. */
const wantsCsv = (accept: string | undefined): boolean =>
  accept !== undefined && /\btext\/csv\b/i.test(accept) && !/\bapplication\/json\b/i.test(accept);

export const costRoutes = ({ usage, limits, known }: CostRouteOptions): AnyRoute[] => {
  /** Limits of the tenant, of agents and of runs concern everybody; those of other users only who reads the tenant. */
  const listed = async (caller: Caller) => {
    const all = await limits.list(caller.tenantId);
    const visible = readsTenantCosts(caller)
      ? all
      : all.filter((limit) => limit.scope !== 'user' || limit.subject === caller.userId);
    return { limits: visible.map(limitWire) };
  };

  return [
    route({
      method: 'GET',
      path: '/costs/usage',
      operationId: 'getCostUsage',
      summary: 'Spending of a period, divided by agent, model, tool, day and user',
      description: 'With `Accept: text/csv` the metered calls themselves, one a line.',
      tag: 'Costs',
      access: 'costs:read',
      query: UsageQuery,
      audit: { action: 'costs.exported', targetType: 'costs', onlyAs: 'text/csv' },
      responses: { 200: Usage },
      produces: ['application/json', 'text/csv'],
      handler: ({ caller, query, request, reply }) =>
        wantsCsv(request.headers.accept) ? sendCsv(usage, caller, query, reply) : usage.usage(caller, query),
    }),
    route({
      method: 'GET',
      path: '/costs/usage/export',
      operationId: 'exportCostUsage',
      summary: 'The metered calls of a period as CSV',
      tag: 'Costs',
      access: 'costs:read',
      query: UsageQuery,
      audit: { action: 'costs.exported', targetType: 'costs' },
      responses: { 200: Csv },
      produces: 'text/csv',
      handler: ({ caller, query, reply }) => sendCsv(usage, caller, query, reply),
    }),
    route({
      method: 'GET',
      path: '/costs/limits',
      operationId: 'getCostLimits',
      summary: 'Limits with what is used and reserved of them',
      tag: 'Costs',
      access: 'costs:read',
      responses: { 200: Limits },
      handler: ({ caller }) => listed(caller),
    }),
    route({
      method: 'PUT',
      path: '/costs/limits',
      operationId: 'setCostLimits',
      summary: 'Set or remove limits; those that are not named stay',
      tag: 'Costs',
      access: 'costs:manage',
      body: LimitsBody,
      responses: { 200: Limits },
      handler: async ({ caller, body, requestId }) => {
        const changes = await parseChanges(known, caller.tenantId, body);
        await limits.put(caller.tenantId, changes, { caller, requestId });
        return listed(caller);
      },
    }),
  ];
};
