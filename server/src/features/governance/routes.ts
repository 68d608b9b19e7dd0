import { Type } from 'typebox';
import { type AnyRoute, route } from '../../http/route.ts';
import type { ProposalService } from './proposal-service.ts';
import { ConfirmBody, Proposal, ProposalBody, ProposalParams, ProposalQuery, VoteBody } from './schema.ts';
import { proposalWire } from './wire.ts';

/** The address of the next page, on the prefix that was asked (RFC 8288). */
const nextLink = (url: string, next: { page?: number; cursor?: string }): string => {
  const [path = '', search = ''] = url.split('?');
  const query = new URLSearchParams(search);
  query.delete('page');
  query.delete('cursor');
  for (const [name, value] of Object.entries(next)) query.set(name, String(value));
  return `<${path}?${query}>; rel="next"`;
};

const proposalRoutes = (proposals: ProposalService): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/governance/proposals',
    operationId: 'listProposals',
    summary: 'Proposals, newest first',
    description: '`X-Total-Count` has the number of all, `Link` the next page.',
    tag: 'Governance',
    access: 'governance:read',
    query: ProposalQuery,
    responses: { 200: Type.Array(Proposal) },
    handler: async ({ caller, query, request, reply }) => {
      const { proposals: items, total, next } = await proposals.list(caller, query);
      reply.header('x-total-count', total);
      if (next !== null) reply.header('link', nextLink(request.originalUrl, next));
      return items.map(proposalWire);
    },
  }),
  route({
    method: 'POST',
    path: '/governance/proposals',
    operationId: 'createProposal',
    summary: 'Propose an action by hand',
    tag: 'Governance',
    access: 'governance:propose',
    body: ProposalBody,
    responses: { 201: Proposal },
    handler: async ({ caller, body, request, reply, requestId }) => {
      const proposal = await proposals.propose(caller, body, requestId);
      const [path = ''] = request.originalUrl.split('?');
      reply.header('location', `${path.replace(/\/$/, '')}/${proposal.id}`);
      return proposalWire(proposal);
    },
  }),
  route({
    method: 'GET',
    path: '/governance/proposals/:id',
    operationId: 'getProposal',
    summary: 'One proposal with its votes and its execution',
    tag: 'Governance',
    access: 'governance:read',
    params: ProposalParams,
    responses: { 200: Proposal },
    handler: async ({ caller, params }) => proposalWire(await proposals.get(caller, params.id)),
  }),
];

const decisionRoutes = (proposals: ProposalService): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/governance/proposals/:id/vote',
    operationId: 'voteOnProposal',
    summary: 'Vote: take a seat while the five vote, or decide what awaits a person',
    tag: 'Governance',
    access: 'governance:vote',
    params: ProposalParams,
    body: VoteBody,
    responses: { 200: Proposal },
    handler: async ({ caller, params, body, requestId }) => {
      const vote = { vote: body.vote, reason: body.reason ?? '', seat: body.seat ?? null };
      return proposalWire(await proposals.vote(caller, params.id, vote, requestId));
    },
  }),
  route({
    method: 'POST',
    path: '/governance/proposals/:id/confirm',
    operationId: 'confirmProposal',
    summary: 'Answer a question that a run with untrusted content asks you: may this call be made',
    description:
      'For proposals with `asks_requester`, by the person who asked. A yes holds for equal calls of the conversation.',
    tag: 'Governance',
    access: 'governance:propose',
    params: ProposalParams,
    body: ConfirmBody,
    responses: { 200: Proposal },
    handler: async ({ caller, params, body, requestId }) =>
      proposalWire(await proposals.confirm(caller, params.id, body.approve, requestId)),
  }),
  route({
    method: 'POST',
    path: '/governance/proposals/:id/cancel',
    operationId: 'cancelProposal',
    summary: 'Withdraw an open proposal',
    tag: 'Governance',
    access: 'governance:propose',
    params: ProposalParams,
    responses: { 200: Proposal },
    handler: async ({ caller, params, requestId }) =>
      proposalWire(await proposals.cancel(caller, params.id, requestId)),
  }),
];

export const governanceRoutes = (proposals: ProposalService): AnyRoute[] => [
  ...proposalRoutes(proposals),
  ...decisionRoutes(proposals),
];
