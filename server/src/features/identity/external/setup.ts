import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { IssuerHttp } from '../../../kernel/issuer.ts';
import type { Audit } from '../../audit/index.ts';
import type { AccountEnds } from '../../users/index.ts';
import type { IdentityConfig } from '../config.ts';
import type { PlatformAdmins } from './claims.rules.ts';
import { createPeople } from './people.ts';
import { proveExternal } from './prove.ts';
import { createExternalVerifier } from './verify.ts';

export interface ExternalOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  config: IdentityConfig;
  issuerHttp: IssuerHttp | undefined;
  admins: PlatformAdmins;
  accounts: AccountEnds;
  forgetUser(userId: string): void;
}

/** People of an external provider, as IDP_URL names it; null without one. */
export const createExternalProof = (options: ExternalOptions) => {
  const { db, clock, audit, config, admins, forgetUser } = options;
  if (config.IDP_URL === null) return null;
  if (options.issuerHttp === undefined) throw new Error('IDP_URL needs issuerHttp');
  return proveExternal({
    db,
    clock,
    claims: { clientId: config.IDP_CLIENT_ID, projectId: config.IDP_PROJECT_ID },
    admins,
    verifier: createExternalVerifier({
      http: options.issuerHttp,
      clock,
      issuer: config.IDP_URL,
      audience: config.IDP_AUDIENCE ?? config.IDP_CLIENT_ID,
      clientIds: [config.IDP_CLIENT_ID, config.IDP_CONSOLE_CLIENT_ID, config.IDP_CLI_CLIENT_ID],
    }),
    people: createPeople({
      db,
      clock,
      audit,
      issuer: config.IDP_URL,
      create: config.IDP_CREATE_USERS,
      requireOrganisation: config.IDP_REQUIRE_ORGANISATION,
      accounts: options.accounts,
      forgetUser,
    }),
    changed: forgetUser,
  });
};
