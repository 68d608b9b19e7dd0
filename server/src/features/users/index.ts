export {
  findUser,
  findUserByEmail,
  findUserByExternalId,
  foldEmail,
  insertUser,
  touchUser,
  type UserRow,
} from './store.ts';
