import { externalOrganisationsSuite } from '../suites/external-organisations.ts';
import { identityOidcSuite } from '../suites/identity-oidc.ts';
import { identityUsersSuite } from '../suites/identity-users.ts';
import { signInDoorsSuite } from '../suites/sign-in-doors.ts';

identityOidcSuite('SQLite');
identityUsersSuite('SQLite');
externalOrganisationsSuite('SQLite');
signInDoorsSuite('SQLite');
