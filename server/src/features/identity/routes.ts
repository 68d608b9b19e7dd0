import { type AnyRoute, route } from '../../http/route.ts';
import { pageRequest } from '../../kernel/pagination.ts';
import type { Accounts } from './accounts/service.ts';
import { readClaims } from './jwt-form.ts';
import { type Keys, keyView } from './keys/service.ts';
import { originOf } from './origin.ts';
import {
  ApiKeyCreated,
  ApiKeyPage,
  ChangePassword,
  ForgotPassword,
  IdParams,
  ListQuery,
  LoginRequest,
  Me,
  type MeBody,
  NewApiKey,
  NewPersonalToken,
  PersonalTokenCreated,
  RefreshRequest,
  ResetPassword,
  RotateKey,
  SessionList,
  SessionParams,
  TokenPair,
} from './schema.ts';
import type { Sessions } from './sessions/service.ts';

export interface IdentityRoutesOptions {
  sessions: Sessions;
  apiKeys: Keys;
  personalTokens: Keys;
  accounts: Accounts;
}

const DEFAULT_OVERLAP_S = 86_400;
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const whole = (value: unknown): number | null => (typeof value === 'number' ? Math.trunc(value) : null);

const authRoutes = ({ sessions }: IdentityRoutesOptions): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/auth/login',
    surface: 'v2',
    operationId: 'login',
    modelNames: { response: 'TokenResponse' },
    summary: 'Sign in with e-mail and password',
    tag: 'Authentication',
    access: 'public',
    // Tokens are never kept for a replay.
    idempotency: 'own',
    body: LoginRequest,
    responses: { 200: TokenPair },
    handler: ({ body, request, reply, requestId }) => {
      reply.header('cache-control', 'no-store');
      return sessions.login(body, originOf(request, requestId));
    },
  }),
  route({
    method: 'POST',
    path: '/auth/refresh',
    surface: 'v2',
    operationId: 'refreshToken',
    summary: 'Exchange a refresh token for a new pair',
    tag: 'Authentication',
    access: 'public',
    idempotency: 'own',
    body: RefreshRequest,
    responses: { 200: TokenPair },
    handler: ({ body, request, reply, requestId }) => {
      reply.header('cache-control', 'no-store');
      return sessions.refresh(body.refresh_token, originOf(request, requestId));
    },
  }),
  route({
    method: 'POST',
    path: '/auth/logout',
    surface: 'v2',
    operationId: 'logout',
    summary: 'End the session of the token',
    tag: 'Authentication',
    access: 'signed-in',
    responses: { 204: null },
    handler: ({ caller, request, requestId }) => sessions.logout(caller, originOf(request, requestId)),
  }),
  route({
    method: 'GET',
    path: '/auth/me',
    surface: 'v2',
    operationId: 'getMe',
    modelNames: { response: 'Caller' },
    summary: 'Claims, tier and effective permissions of the caller',
    tag: 'Authentication',
    access: 'signed-in',
    responses: { 200: Me },
    handler: ({ caller, request }): MeBody => {
      const token = request.headers.authorization?.replace(/^bearer +/i, '') ?? '';
      const claims = (caller.credential === 'jwt' ? readClaims(token) : null) ?? {};
      return {
        sub: caller.userId,
        email: caller.email,
        name: caller.name,
        roles: [...caller.roles],
        org_id: caller.tenantId,
        permissions: [...caller.permissions].sort(),
        tier: caller.tier,
        platform_admin: caller.platformAdmin,
        credential: caller.credential,
        token_id: caller.tokenId,
        session_id: caller.sessionId,
        client_id: text(claims.client_id),
        scope: text(claims.scope),
        iss: text(claims.iss),
        iat: whole(claims.iat),
        exp: caller.expiresAt === null ? null : Math.floor(caller.expiresAt / 1000),
      };
    },
  }),
];

const apiKeyRoutes = ({ apiKeys }: IdentityRoutesOptions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/auth/api-keys',
    surface: 'v2',
    operationId: 'listApiKeys',
    summary: 'API keys of the caller',
    tag: 'Authentication',
    access: 'keys:read',
    query: ListQuery,
    responses: { 200: ApiKeyPage },
    handler: ({ caller, query }) => apiKeys.list(caller, pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/auth/api-keys',
    surface: 'v2',
    operationId: 'createApiKey',
    summary: 'Make an API key; the secret is shown once',
    tag: 'Authentication',
    access: 'keys:write',
    body: NewApiKey,
    responses: { 201: ApiKeyCreated },
    handler: async ({ caller, body, reply, requestId }) => {
      const { row, secret } = await apiKeys.create(caller, body, requestId);
      reply.header('cache-control', 'no-store');
      return { ...keyView(row), key: secret };
    },
  }),
  route({
    method: 'POST',
    path: '/auth/api-keys/:id/rotate',
    surface: 'v2',
    operationId: 'rotateApiKey',
    summary: 'Replace an API key; the old secret works for an overlap',
    tag: 'Authentication',
    access: 'keys:write',
    params: IdParams,
    body: RotateKey,
    responses: { 201: ApiKeyCreated },
    handler: async ({ caller, params, body, reply, requestId }) => {
      const overlapS = body.overlap_s ?? DEFAULT_OVERLAP_S;
      const { row, secret } = await apiKeys.rotate(caller, params.id, overlapS, requestId);
      reply.header('cache-control', 'no-store');
      return { ...keyView(row), key: secret };
    },
  }),
  route({
    method: 'DELETE',
    path: '/auth/api-keys/:id',
    surface: 'v2',
    operationId: 'deleteApiKey',
    summary: 'Delete an API key; it stops working at once',
    tag: 'Authentication',
    access: 'keys:write',
    params: IdParams,
    responses: { 204: null },
    handler: ({ caller, params, requestId }) => apiKeys.remove(caller, params.id, requestId),
  }),
];

const personalTokenRoutes = ({ personalTokens }: IdentityRoutesOptions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/users/me/tokens',
    surface: 'v2',
    operationId: 'listPersonalTokens',
    summary: 'Personal access tokens of the caller',
    tag: 'Users',
    access: 'keys:read',
    query: ListQuery,
    responses: { 200: ApiKeyPage },
    handler: ({ caller, query }) => personalTokens.list(caller, pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/users/me/tokens',
    surface: 'v2',
    operationId: 'createPersonalToken',
    summary: 'Make a personal access token; the secret is shown once',
    tag: 'Users',
    access: 'keys:write',
    body: NewPersonalToken,
    responses: { 201: PersonalTokenCreated },
    handler: async ({ caller, body, reply, requestId }) => {
      const { row, secret } = await personalTokens.create(caller, body, requestId);
      reply.header('cache-control', 'no-store');
      return { ...keyView(row), token: secret };
    },
  }),
  route({
    method: 'DELETE',
    path: '/users/me/tokens/:id',
    surface: 'v2',
    operationId: 'deletePersonalToken',
    summary: 'Delete a personal access token; it stops working at once',
    tag: 'Users',
    access: 'keys:write',
    params: IdParams,
    responses: { 204: null },
    handler: ({ caller, params, requestId }) => personalTokens.remove(caller, params.id, requestId),
  }),
];

const passwordRoutes = ({ accounts }: IdentityRoutesOptions): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/auth/password/forgot',
    surface: 'v2',
    operationId: 'forgotPassword',
    summary: 'Ask for a link to a new password; it goes by mail if the account exists',
    tag: 'Authentication',
    access: 'public',
    idempotency: 'own',
    body: ForgotPassword,
    responses: { 202: null },
    handler: ({ body, request, reply }) => {
      accounts.assertOwnPasswords();
      accounts
        .forgotPassword(body.email)
        .catch((error: unknown) => request.log.error({ err: error }, 'a reset link could not be made'));
      return reply.code(202).send();
    },
  }),
  route({
    method: 'POST',
    path: '/auth/password/reset',
    surface: 'v2',
    operationId: 'resetPassword',
    summary: 'Set the password that an invitation or reset link is for',
    tag: 'Authentication',
    access: 'public',
    idempotency: 'own',
    body: ResetPassword,
    responses: { 204: null },
    handler: async ({ body, request, requestId }) => {
      await accounts.useLink(body.token, body.password, originOf(request, requestId));
    },
  }),
  route({
    method: 'POST',
    path: '/users/me/password',
    surface: 'v2',
    operationId: 'changeMyPassword',
    summary: 'Change the own password; other sessions end',
    tag: 'Users',
    access: 'signed-in',
    idempotency: 'own',
    body: ChangePassword,
    responses: { 204: null },
    handler: ({ caller, body, request, requestId }) =>
      accounts.changePassword(caller, body, originOf(request, requestId)),
  }),
];

const sessionRoutes = ({ sessions }: IdentityRoutesOptions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/users/me/sessions',
    surface: 'v2',
    operationId: 'listMySessions',
    summary: 'Open sign-ins of the caller',
    tag: 'Users',
    access: 'signed-in',
    responses: { 200: SessionList },
    handler: ({ caller }) => sessions.list(caller),
  }),
  route({
    method: 'DELETE',
    path: '/users/me/sessions/:id',
    surface: 'v2',
    operationId: 'endMySession',
    summary: 'End one sign-in; its tokens die at once',
    tag: 'Users',
    access: 'signed-in',
    params: SessionParams,
    responses: { 204: null },
    handler: ({ caller, params, request, requestId }) =>
      sessions.end(caller, params.id, originOf(request, requestId)),
  }),
];

export const identityRoutes = (options: IdentityRoutesOptions): AnyRoute[] => [
  ...authRoutes(options),
  ...apiKeyRoutes(options),
  ...personalTokenRoutes(options),
  ...passwordRoutes(options),
  ...sessionRoutes(options),
];
