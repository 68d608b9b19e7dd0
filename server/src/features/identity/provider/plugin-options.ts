import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../../kernel/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { OidcEngine } from '../../../kernel/oidc.ts';
import type { Clients } from '../clients/service.ts';
import type { Assertions } from '../machine-keys/assertions.ts';
import type { MachineKeys } from '../machine-keys/service.ts';
import type { InteractionOptions } from './interaction-access.ts';
import type { LinkPagesOptions } from './link-pages.ts';
import type { CountAddress } from './throttle.ts';
import type { TokenState } from './token-state.ts';

export type Engine = OidcEngine<IncomingMessage, ServerResponse>;

export interface ProviderPluginOptions {
  engine: Engine;
  clock: Clock;
  clients: Clients;
  tokenState: TokenState;
  assertions: Assertions;
  machineKeys: MachineKeys;
  interaction: Omit<InteractionOptions, 'engine'>;
  linkPages: Omit<LinkPagesOptions, 'engine' | 'issuer' | 'csrf'>;
  /** Null for a token that is not accepted. */
  authenticate(token: string): Caller | Promise<Caller>;
  throttle: boolean;
  /** With several nodes, which count together; null: this process by itself. */
  countAddress: CountAddress | null;
  /** The service's own address. */
  issuer(): string;
}
