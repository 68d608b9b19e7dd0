export {
  directoryGivesRoles,
  findDirectoryPerson,
  findWaiting,
  hasLeft,
  leftDirectory,
  type Waiting,
} from './directory.ts';
export { userCreated } from './events.rules.ts';
export { firstAdminOf } from './first-admin.ts';
export { movedAway, moveUser, noteMove } from './move.ts';

export { activePeople, type RightsHolder } from './people.ts';
export type { AccountPort, CopyHolder, Person, PersonalData } from './ports.ts';
export { type AccountEnds, changeUser, isBeyond, mayMoreThan, permissionsOfMaker } from './raised.ts';
export { rightsOf } from './rights.ts';
export { userRoutes } from './routes.ts';

export { createUsers, type Users } from './service.ts';
export {
  countActiveAdmins,
  findUser,
  findUserByEmail,
  findUserByExternalId,
  findUserOfTenant,
  foldEmail,
  insertUser,
  touchUser,
  type UserChanges,
  type UserRow,
} from './store.ts';
export { findRights } from './tools.ts';
export { isActiveAdmin } from './wire.ts';
