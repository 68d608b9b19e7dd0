import { afterAll, beforeAll } from 'vitest';
import { openPostgres } from '../../src/db/open.ts';
import { externalOrganisationsSuite } from '../suites/external-organisations.ts';
import { identityOidcSuite } from '../suites/identity-oidc.ts';
import { identityUsersSuite } from '../suites/identity-users.ts';
import { signInEndpointsSuite } from '../suites/sign-in-endpoints.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

let postgres: TestPostgres | null = null;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres?.stop();
});

const open = async () => {
  if (postgres === null) throw new Error('PostgreSQL has not been started');
  return openPostgres({ url: await postgres.freshUrl(), maxConnections: 10, unscoped: 'all' });
};

identityOidcSuite('PostgreSQL', open);
identityUsersSuite('PostgreSQL', open);
externalOrganisationsSuite('PostgreSQL', open);
signInEndpointsSuite('PostgreSQL', open);
