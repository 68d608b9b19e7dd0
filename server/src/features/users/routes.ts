import { type AnyRoute, route } from '../../http/route.ts';
import { pageRequest } from '../../kernel/pagination.ts';
import {
  Erased,
  LinkAnswer,
  MyChange,
  NewUser,
  User,
  UserChange,
  UserCreated,
  UserExport,
  UserMove,
  UserMoved,
  UserPage,
  UserParams,
  UserQuery,
} from './schema.ts';
import type { Users } from './service.ts';

const tag = 'Users';
const surface = 'v2' as const;

const selfRoutes = (users: Users): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/users/me',
    surface,
    operationId: 'getMyUser',
    modelNames: { response: 'User' },
    summary: 'The account of the caller',
    tag,
    access: 'signed-in',
    responses: { 200: User },
    handler: ({ caller }) => users.get(caller, caller.userId),
  }),
  route({
    method: 'PATCH',
    path: '/users/me',
    surface,
    operationId: 'updateMyUser',
    summary: 'Change the own name',
    tag,
    access: 'profile:write',
    body: MyChange,
    responses: { 200: User },
    handler: ({ caller, body, requestId }) => users.update(caller, caller.userId, body, requestId),
  }),
];

const collectionRoutes = (users: Users): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/users',
    surface,
    operationId: 'listUsers',
    summary: 'Accounts of the tenant',
    tag,
    access: 'users:read',
    query: UserQuery,
    responses: { 200: UserPage },
    handler: ({ caller, query }) => users.list(caller, query, pageRequest(query)),
  }),
  route({
    method: 'GET',
    path: '/admin/users',
    surface: 'v1',
    operationId: 'listUsersAsAdmin',
    summary: 'Accounts of the tenant, for admins',
    tag,
    access: 'users:manage',
    query: UserQuery,
    responses: { 200: UserPage },
    handler: ({ caller, query }) => users.list(caller, query, pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/users',
    surface,
    operationId: 'createUser',
    summary: 'Make an account; without a password the answer has an invitation link',
    tag,
    acrossTenants: true,
    access: 'users:manage',
    body: NewUser,
    responses: { 201: UserCreated },
    handler: async ({ caller, body, reply, requestId }) => {
      const user = await users.create(caller, body, requestId);
      reply.header('location', `/v2/users/${user.id}`);
      return user;
    },
  }),
];

const itemRoutes = (users: Users): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/users/:id',
    surface,
    operationId: 'getUser',
    summary: 'One account',
    tag,
    access: 'users:read',
    params: UserParams,
    responses: { 200: User },
    handler: ({ caller, params }) => users.get(caller, params.id),
  }),
  route({
    method: 'PATCH',
    path: '/users/:id',
    surface,
    operationId: 'updateUser',
    summary: 'Change name, roles, tier or status; roles and deactivation take effect at once',
    tag,
    access: 'users:manage',
    params: UserParams,
    body: UserChange,
    responses: { 200: User },
    handler: ({ caller, params, body, requestId }) => users.update(caller, params.id, body, requestId),
  }),
  route({
    method: 'DELETE',
    path: '/users/:id',
    surface,
    operationId: 'deactivateUser',
    summary: 'Deactivate an account; its tokens and keys die at once',
    tag,
    access: 'users:manage',
    params: UserParams,
    responses: { 204: null },
    handler: ({ caller, params, requestId }) => users.deactivate(caller, params.id, requestId),
  }),
];

const moveRoutes = (users: Users): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/users/:id/move',
    surface,
    operationId: 'moveUser',
    summary:
      'Move a person to another tenant under a new account; their records stay (platform administrators)',
    tag,
    acrossTenants: true,
    access: 'users:manage',
    params: UserParams,
    body: UserMove,
    responses: { 201: UserMoved },
    handler: async ({ caller, params, body, reply, requestId }) => {
      const user = await users.move(caller, params.id, body, requestId);
      reply.header('location', `/v2/users/${user.id}`);
      return user;
    },
  }),
];

const linkRoutes = (users: Users): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/users/:id/invitation',
    surface,
    operationId: 'inviteUser',
    summary: 'A new invitation link for an account that waits for one',
    tag,
    access: 'users:manage',
    params: UserParams,
    responses: { 200: LinkAnswer },
    handler: ({ caller, params, requestId }) => users.link(caller, params.id, 'invitation', requestId),
  }),
  route({
    method: 'POST',
    path: '/users/:id/password-reset',
    surface,
    operationId: 'resetUserPassword',
    summary: 'A link with which the person sets a new password',
    tag,
    access: 'users:manage',
    params: UserParams,
    responses: { 200: LinkAnswer },
    handler: ({ caller, params, requestId }) => users.link(caller, params.id, 'password_reset', requestId),
  }),
];

/** Export and erasure of what is kept of a person. */
const personDataRoutes = (users: Users): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/users/:id/export',
    surface,
    operationId: 'exportUserData',
    summary: "Everything that is stored of a person: one's own, or as an admin",
    tag,
    access: 'signed-in',
    params: UserParams,
    responses: { 200: UserExport },
    handler: ({ caller, params, requestId }) => users.exportData(caller, params.id, requestId),
  }),
  route({
    method: 'DELETE',
    path: '/users/:id/data',
    surface,
    operationId: 'eraseUserData',
    summary: "Erase a person's content: one's own, or as an admin",
    tag,
    access: 'signed-in',
    params: UserParams,
    responses: { 200: Erased },
    handler: ({ caller, params, requestId }) => users.eraseData(caller, params.id, requestId),
  }),
];

export const userRoutes = (users: Users): AnyRoute[] => [
  ...selfRoutes(users),
  ...collectionRoutes(users),
  ...itemRoutes(users),
  ...moveRoutes(users),
  ...linkRoutes(users),
  ...personDataRoutes(users),
];
