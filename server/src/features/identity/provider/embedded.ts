import type { FastifyInstance } from 'fastify';
import type { Db } from '../../../db/db.ts';
import type { Authenticate } from '../../../http/route.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Audit } from '../../audit/index.ts';
import type { AccessTokens } from '../access-tokens.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Clients } from '../clients/service.ts';
import type { IdentityConfig } from '../config.ts';
import { createAssertions } from '../machine-keys/assertions.ts';
import { createMachineKeys } from '../machine-keys/service.ts';
import type { Families } from '../sessions/families.ts';
import type { Sessions } from '../sessions/service.ts';
import { findPrincipal } from '../store.ts';
import { createCsrf } from './csrf.ts';
import { providerPlugin } from './plugin.ts';
import type { Engine } from './plugin-options.ts';
import type { CountAddress } from './throttle.ts';
import { createTokenState } from './token-state.ts';

export interface EmbeddedOptions {
  db: Db;
  clock: Clock;
  config: IdentityConfig;
  audit: Audit;
  publicUrl: () => string;
  countAddress: CountAddress | null;
  cookieKey: string;
  tokens: AccessTokens;
  families: Families;
  sessions: Sessions;
  clients: Clients;
  accounts: Accounts;
  authenticate: Authenticate;
  onTokenRevoked(tokenId: string): void;
}

/** The identity provider's own paths, over the OpenID engine. */
export const createEmbeddedProvider = (options: EmbeddedOptions) => {
  const { db, clock, config, audit, tokens, families, sessions, clients, accounts } = options;
  const issuer = options.publicUrl;
  return (engine: Engine): ((app: FastifyInstance) => void) =>
    providerPlugin({
      engine,
      clock,
      clients,
      tokenState: createTokenState({
        db,
        clock,
        tokens,
        families,
        audit,
        issuer,
        audience: config.IDP_CLIENT_ID,
        apiKeyPrefix: config.API_KEY_PREFIX,
        onTokenRevoked: options.onTokenRevoked,
      }),
      assertions: createAssertions({
        db,
        clock,
        tokens,
        audit,
        issuer,
        accessLifeS: config.ACCESS_TOKEN_EXPIRE_MINUTES * 60,
      }),
      machineKeys: createMachineKeys({ db, clock, audit }),
      interaction: {
        csrf: createCsrf(options.cookieKey),
        families,
        checkPassword: (email, password, origin) => sessions.checkPassword(email, password, origin),
        findPrincipal: (userId) => findPrincipal(db.read, userId),
        mailsLinks: accounts.mailDelivers,
        tenantOfClient: (clientId) => clients.tenantOf(clientId),
      },
      linkPages: { accounts },
      authenticate: options.authenticate,
      throttle: config.RATE_LIMITS,
      countAddress: options.countAddress,
      issuer,
    });
};
