import { A2A_VERSION_HEADER } from '@a2a-js/sdk';
import { A2A_LEGACY_PROTOCOL_VERSION } from '@a2a-js/sdk/compat/v0_3';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Idempotency } from '../../http/idempotency.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import type { ChatService } from '../chat/index.ts';
import { type CardAgent, type CardOptions, cardJson, cardOf, legacyCardJson } from './cards.ts';
import type { Push } from './push/service.ts';

export interface A2aDoorOptions {
  chat: ChatService;
  idempotency: Idempotency;
  clock: Clock;
  agents: readonly CardAgent[];
  version: string;
  /** Address under which clients reach the service; asked late, since the port may be free. */
  publicUrl(): string;
  issuer(): string;
  push: Push;
  streams: StreamWatch;
  draining(): boolean;
}

const CARD_MAX_AGE_S = 300;

/** The version of the protocol that a client asks for; without a header the one before 1.0. */
export const versionOf = (request: FastifyRequest): string => {
  const header = request.headers[A2A_VERSION_HEADER.toLowerCase()];
  return typeof header === 'string' && header !== '' ? header : A2A_LEGACY_PROTOCOL_VERSION;
};

export const cardOptionsOf = (options: A2aDoorOptions): CardOptions => ({
  publicUrl: options.publicUrl(),
  issuer: options.issuer(),
  version: options.version,
  agents: options.agents,
});

/** Throws NOT_FOUND. */
export const findAgent = (options: A2aDoorOptions, id: string): CardAgent => {
  const agent = options.agents.find((candidate) => candidate.id === id);
  if (agent === undefined) throw notFound('agent');
  return agent;
};

export const sendCard = (
  options: A2aDoorOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  agent: CardAgent | null,
) => {
  const card = cardOf(cardOptionsOf(options), agent);
  reply.header('cache-control', `public, max-age=${CARD_MAX_AGE_S}`).header('vary', A2A_VERSION_HEADER);
  return versionOf(request) === A2A_LEGACY_PROTOCOL_VERSION
    ? legacyCardJson(card, options.issuer())
    : cardJson(card);
};
