import { type AnyRoute, route } from '../../http/route.ts';
import { pageRequest } from '../../kernel/pagination.ts';
import { AgentParams, Suggestion, SuggestionPage, SuggestionQuery } from './schema.ts';
import type { Suggestions } from './suggestions.ts';

const tag = 'Agents';
const access = 'agents:manage' as const;

export const suggestionRoutes = (suggestions: Suggestions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/agents/suggestions',
    operationId: 'listAgentSuggestions',
    summary: 'Suggested changes of agents’ instructions, newest first',
    tag,
    access,
    query: SuggestionQuery,
    responses: { 200: SuggestionPage },
    handler: ({ caller, query }) =>
      suggestions.list(caller, { status: query.status, agentId: query.agent_id }, pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/agents/suggestions/:id/accept',
    operationId: 'acceptAgentSuggestion',
    summary: 'Add the suggested text to the instructions of the agent',
    tag,
    access,
    params: AgentParams,
    audit: { action: 'agent.suggestion_accepted', targetType: 'suggestion', target: 'id' },
    responses: { 200: Suggestion },
    handler: ({ caller, params, note }) => suggestions.accept(caller, params.id, note),
  }),
  route({
    method: 'POST',
    path: '/agents/suggestions/:id/reject',
    operationId: 'rejectAgentSuggestion',
    summary: 'Close a suggestion without any change',
    tag,
    access,
    params: AgentParams,
    audit: { action: 'agent.suggestion_rejected', targetType: 'suggestion', target: 'id' },
    responses: { 200: Suggestion },
    handler: ({ caller, params, note }) => suggestions.reject(caller, params.id, note),
  }),
];
