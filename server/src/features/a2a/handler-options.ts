import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { Idempotency } from '../../http/idempotency.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { AppError } from '../../kernel/errors.ts';
import type { ChatService } from '../chat/index.ts';
import type { Push } from './push/service.ts';

/** What one request of the protocol is answered with. */
export interface HandlerOptions {
  chat: ChatService;
  idempotency: Idempotency;
  clock: Clock;
  push: Push;
  caller: Caller;
  /** Version in which the client speaks: `1.0`, `0.3`. */
  protocol: string;
  /** Null: the network finds the agent. */
  agentId: string | null;
  requestId: string;
  /** False: a busy conversation is a CONFLICT. */
  wait: boolean;
  idempotencyKey: string | null;
  card(): ReturnType<A2ARequestHandler['getAgentCard']>;
  /** A refusal of the platform, which the HTTP layer tells by its own status. */
  refused(error: AppError): void;
}

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
