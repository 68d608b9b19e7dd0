import { Type } from 'typebox';
import { locationOf } from '../../http/location.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { AgentMetrics, AgentParams, AgentPatch, AgentStatus, ListAgents, MetricsQuery } from './schema.ts';
import type { AgentService } from './service.ts';

export const agentRoutes = (agents: AgentService): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/agents',
    operationId: 'listAgents',
    summary: 'Statuses of all eleven agents',
    tag: 'Agents',
    access: 'agents:read',
    query: ListAgents,
    responses: { 200: Type.Array(AgentStatus) },
    handler: async ({ caller, query, request, reply }) => {
      const { page = 1, limit = 20 } = query;
      const statuses = await agents.list(caller.tenantId);
      reply.header('x-total-count', statuses.length);
      if (page * limit < statuses.length) {
        const next = locationOf(request, `/agents?page=${page + 1}&limit=${limit}`);
        reply.header('link', `<${next}>; rel="next"`);
      }
      return statuses.slice((page - 1) * limit, page * limit);
    },
  }),
  route({
    method: 'GET',
    path: '/agents/:id',
    operationId: 'getAgent',
    modelNames: { response: 'AgentStatus' },
    summary: 'Status of one agent',
    tag: 'Agents',
    access: 'agents:read',
    params: AgentParams,
    responses: { 200: AgentStatus },
    handler: ({ caller, params }) => agents.get(caller.tenantId, params.id),
  }),
  route({
    method: 'GET',
    path: '/agents/:id/metrics',
    operationId: 'getAgentMetrics',
    summary: 'Performance of one agent, measured from its runs',
    tag: 'Agents',
    access: 'agents:read',
    params: AgentParams,
    query: MetricsQuery,
    responses: { 200: AgentMetrics },
    handler: ({ caller, params, query }) => agents.metrics(caller.tenantId, params.id, query.window ?? '24h'),
  }),
  route({
    method: 'PATCH',
    path: '/agents/:id',
    operationId: 'updateAgent',
    summary: 'Switch an agent on or off, set its model or instructions',
    tag: 'Agents',
    access: 'agents:manage',
    params: AgentParams,
    body: AgentPatch,
    audit: { action: 'agent.updated', targetType: 'agent', target: 'id' },
    responses: { 200: AgentStatus },
    handler: ({ caller, params, body, note }) => agents.patch(caller.tenantId, params.id, body, note),
  }),
];
