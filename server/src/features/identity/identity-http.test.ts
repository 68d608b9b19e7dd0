import { externalOrganisationsSuite } from '../../../test/suites/external-organisations.ts';
import { identityOidcSuite } from '../../../test/suites/identity-oidc.ts';
import { identityUsersSuite } from '../../../test/suites/identity-users.ts';
import { signInEndpointsSuite } from '../../../test/suites/sign-in-endpoints.ts';

identityOidcSuite('SQLite');
identityUsersSuite('SQLite');
externalOrganisationsSuite('SQLite');
signInEndpointsSuite('SQLite');
