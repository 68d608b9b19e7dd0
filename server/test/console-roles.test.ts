import { expect, it } from 'vitest';
import { permissionsOf, ROLES } from '../../console/src/features/admin/roles.ts';
import { PERMISSIONS, ROLE_PERMISSIONS } from '../src/kernel/permissions.ts';

/** The console says what each role may; the server decides it. */

it.each(ROLES)('says of the role %s what the server holds', (role) => {
  expect([...permissionsOf(role)].toSorted()).toEqual([...ROLE_PERMISSIONS[role]].toSorted());
});

it('knows every role and every permission', () => {
  expect([...ROLES].toSorted()).toEqual(Object.keys(ROLE_PERMISSIONS).toSorted());
  expect([...permissionsOf('admin')].toSorted()).toEqual([...PERMISSIONS].toSorted());
});
