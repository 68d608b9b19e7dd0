import { externalOrganisationsSuite } from '../suites/external-organisations.ts';
import { identityOidcSuite } from '../suites/identity-oidc.ts';
import { identityUsersSuite } from '../suites/identity-users.ts';

identityOidcSuite('SQLite');
identityUsersSuite('SQLite');
externalOrganisationsSuite('SQLite');
