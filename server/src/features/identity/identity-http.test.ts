import { externalOrganisationsSuite } from '../../../test/suites/external-organisations.ts';
import { identityOidcSuite } from '../../../test/suites/identity-oidc.ts';
import { identityUsersSuite } from '../../../test/suites/identity-users.ts';
import { signInDoorsSuite } from '../../../test/suites/sign-in-doors.ts';

identityOidcSuite('SQLite');
identityUsersSuite('SQLite');
externalOrganisationsSuite('SQLite');
signInDoorsSuite('SQLite');
