// Over 500 lines: one description, a path after the other, best read beside each other.
import { DEVICE_GRANT, OIDC_PATHS, OIDC_SCOPES } from '../../../kernel/oidc.ts';

/**
 * The identity provider's paths for the OpenAPI document. They are a protocol's and not the API's: forms in, the error body
 * of RFC 6749 out, no rate headers. `document.test.ts` holds them to what the provider serves.
 */

type Json = Record<string, unknown>;

export const PROVIDER_TAG = 'Identity provider';

const text = (description?: string): Json => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
});
const number = (description: string): Json => ({ type: 'integer', description });
const strings = (description: string): Json => ({ type: 'array', items: { type: 'string' }, description });
const object = (properties: Json, required: readonly string[] = [], more = false): Json => ({
  type: 'object',
  ...(required.length === 0 ? {} : { required }),
  properties,
  additionalProperties: more,
});
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const json = (description: string, schema: Json): Json => ({
  description,
  content: { 'application/json': { schema } },
});
const page = (description: string): Json => ({
  description,
  content: { 'text/html': { schema: { type: 'string' } } },
});
const fault = (description: string): Json => json(description, ref('OAuthError'));
/** To a browser a page, to others the error of RFC 6749. */
const pageOrFault = (description: string): Json => ({
  description,
  content: {
    'text/html': { schema: { type: 'string' } },
    'application/json': { schema: ref('OAuthError') },
  },
});
const form = (schema: Json): Json => ({
  required: true,
  content: { 'application/x-www-form-urlencoded': { schema } },
});
const query = (name: string, required: boolean, schema: Json, description?: string): Json => ({
  name,
  in: 'query',
  required,
  schema,
  ...(description === undefined ? {} : { description }),
});
const inPath = (name: string): Json => ({ name, in: 'path', required: true, schema: { type: 'string' } });

/** A confidential client proves itself by Basic, by a secret in the form, or by an assertion (RFC 7523, section 2.2). */
const CLIENT_PROOF: Json = {
  client_id: text('Of a public client, or with client_secret'),
  client_secret: text('In place of HTTP Basic'),
  client_assertion_type: {
    type: 'string',
    enum: ['urn:ietf:params:oauth:client-assertion-type:jwt-bearer'],
  },
  client_assertion: text('A JWT signed with a key of the client'),
};

const accessText = (security: readonly Json[]): string => {
  if (security.length === 0) return 'Asks for no token.';
  return security.some((way) => 'bearer' in way)
    ? 'Asks for a bearer token.'
    : 'A confidential client proves who it is; a public one names itself.';
};

const operation = (
  id: string,
  summary: string,
  security: readonly Json[],
  responses: Json,
  more: Json = {},
): Json => ({
  operationId: id,
  summary,
  description: `${summary}. ${accessText(security)}`,
  tags: [PROVIDER_TAG],
  security,
  ...more,
  responses: {
    ...responses,
    429: fault('Too many requests from this address; Retry-After in seconds'),
    default: fault('Refused before the operation was reached, such as a token in the address (401)'),
  },
});

const BEARER = [{ bearer: [] }];
const CLIENT = [{ client: [] }, {}];

const authorizeParameters = [
  query('response_type', false, { type: 'string', enum: ['code'] }, 'Needed without request_uri'),
  query('client_id', true, text(), 'Or the https address of a client metadata document'),
  query('request_uri', false, text(), 'RFC 9126: of a request that was sent before, in place of the rest'),
  query('redirect_uri', false, text(), 'Exactly as registered; loopback addresses with any port'),
  query('scope', false, text(), `Some of: ${OIDC_SCOPES.join(' ')}`),
  query('state', false, text()),
  query('nonce', false, text()),
  query('code_challenge', false, text(), 'RFC 7636; needed without request_uri'),
  query('code_challenge_method', false, { type: 'string', enum: ['S256'] }),
  query('prompt', false, text(), 'login, consent or none'),
  query('login_hint', false, text(), 'An e-mail address'),
  query('resource', false, text(), 'RFC 8707: the address of the service or of its MCP endpoint'),
];

const keysPath = '/management/v1/users/{user_id}/machine_keys';

/** OpenAPI path items by path. */
export const providerPaths: Readonly<Record<string, Json>> = {
  [OIDC_PATHS.authorization]: {
    get: operation(
      'authorize',
      'Begin a sign-in: authorization code with PKCE (RFC 6749, 4.1; RFC 7636)',
      [],
      {
        303: {
          description: 'To the sign-in page, or back to redirect_uri with code and state, or with error',
          content: { 'text/html': { schema: { type: 'string' } } },
        },
        400: pageOrFault('The client or redirect_uri is not good: nothing is redirected'),
      },
      { parameters: authorizeParameters },
    ),
  },
  [OIDC_PATHS.token]: {
    post: operation(
      'issueTokens',
      'Tokens for a code, a refresh token, a signed assertion or a client',
      CLIENT,
      {
        200: json('Tokens', ref('OAuthTokens')),
        400: fault('invalid_request, invalid_grant, unsupported_grant_type, invalid_scope'),
        401: fault('invalid_client'),
        413: fault('The form is too large'),
        415: fault('No form'),
      },
      {
        requestBody: form(
          object(
            {
              grant_type: {
                type: 'string',
                enum: [
                  'authorization_code',
                  'refresh_token',
                  'client_credentials',
                  'urn:ietf:params:oauth:grant-type:jwt-bearer',
                  DEVICE_GRANT,
                ],
              },
              code: text('authorization_code'),
              redirect_uri: text('authorization_code'),
              code_verifier: text('authorization_code'),
              refresh_token: text('refresh_token: good for one use; a second one ends the whole family'),
              device_code: text('Of the device flow: authorization_pending until its person has allowed it'),
              assertion: text('jwt-bearer: RS256, signed with a machine key, at most an hour long'),
              scope: text(),
              ...CLIENT_PROOF,
            },
            ['grant_type'],
          ),
        ),
      },
    ),
  },
  [OIDC_PATHS.pushedAuthorization]: {
    post: operation(
      'pushAuthorizationRequest',
      'Send an authorization request first, and the browser with its name alone (RFC 9126)',
      CLIENT,
      {
        201: json('What names the request, once', ref('OAuthPushedRequest')),
        400: fault('invalid_request, invalid_scope, invalid_target'),
        401: fault('invalid_client'),
        413: fault('The form is too large'),
        415: fault('No form'),
      },
      {
        requestBody: form(
          object(
            {
              ...CLIENT_PROOF,
              response_type: { type: 'string', enum: ['code'] },
              redirect_uri: text('Exactly as registered; loopback addresses with any port'),
              scope: text(`Some of: ${OIDC_SCOPES.join(' ')}`),
              state: text(),
              nonce: text(),
              code_challenge: text('RFC 7636'),
              code_challenge_method: { type: 'string', enum: ['S256'] },
              prompt: text('login, consent or none'),
              login_hint: text('An e-mail address'),
              resource: text('RFC 8707: the address of the service or of its MCP endpoint'),
            },
            ['response_type', 'redirect_uri', 'code_challenge', 'code_challenge_method'],
          ),
        ),
      },
    ),
  },
  [OIDC_PATHS.deviceAuthorization]: {
    post: operation(
      'authorizeDevice',
      'Begin a sign-in whose person uses a page on another device (RFC 8628)',
      CLIENT,
      {
        200: json('Codes: one to show, one to fetch the tokens with', ref('OAuthDeviceCodes')),
        400: fault('invalid_request (also a client that does not have the device flow), invalid_scope'),
        401: fault('invalid_client'),
        413: fault('The form is too large'),
        415: fault('No form'),
      },
      {
        requestBody: form(
          object({
            ...CLIENT_PROOF,
            scope: text(`Some of: ${OIDC_SCOPES.join(' ')}`),
            nonce: text(),
            resource: text('RFC 8707: the address of the service or of its MCP endpoint'),
          }),
        ),
      },
    ),
  },
  [OIDC_PATHS.device]: {
    get: operation(
      'showDevicePage',
      'The page into which a person types the code of a device (RFC 8628, 3.3)',
      [],
      {
        200: page('Asks for the code, or shows the one of the link'),
        400: pageOrFault('A parameter is not good'),
      },
      { parameters: [query('user_code', false, text(), 'Of verification_uri_complete')] },
    ),
    post: operation(
      'submitDeviceCode',
      'The form of that page',
      [],
      {
        200: page('Asks whether it is one’s own device, or says what is wrong with the code'),
        303: {
          description: 'To the sign-in page, or to a fresh form',
          content: { 'text/html': { schema: { type: 'string' } } },
        },
        400: pageOrFault('The form is not of this browser'),
      },
      {
        // Without its token, or without a word, the browser is sent to a fresh form.
        requestBody: {
          ...form(
            object({ xsrf: text(), user_code: text(), confirm: text('yes'), abort: text('yes') }, [], true),
          ),
          required: false,
        },
      },
    ),
  },
  [OIDC_PATHS.introspection]: {
    post: operation(
      'introspectToken',
      'Whether a token is good, and whose (RFC 7662)',
      [{ client: [] }],
      {
        200: json('Its state', ref('OAuthIntrospection')),
        400: fault('invalid_request'),
        401: fault('invalid_client'),
        415: fault('No form'),
      },
      {
        requestBody: form(
          object({ token: text(), token_type_hint: text('Not needed'), ...CLIENT_PROOF }, ['token']),
        ),
      },
    ),
  },
  [OIDC_PATHS.revocation]: {
    post: operation(
      'revokeToken',
      'End a token; a refresh token with its whole session (RFC 7009)',
      CLIENT,
      {
        200: { description: 'It is not good any more, or never was' },
        400: fault('invalid_request'),
        401: fault('invalid_client'),
        415: fault('No form'),
      },
      {
        requestBody: form(
          object({ token: text(), token_type_hint: text('Not needed'), ...CLIENT_PROOF }, ['token']),
        ),
      },
    ),
  },
  [OIDC_PATHS.jwks]: {
    get: operation('getSigningKeys', 'Public keys that access and ID tokens are signed with (RFC 7517)', [], {
      200: {
        description: 'A JWK set',
        content: { 'application/jwk-set+json': { schema: ref('JwkSet') } },
      },
    }),
  },
  [OIDC_PATHS.userinfo]: Object.fromEntries(
    ['get', 'post'].map((method) => [
      method,
      operation(
        method === 'get' ? 'getUserInfo' : 'postUserInfo',
        'Who the bearer is (OpenID Connect Core, 5.3)',
        BEARER,
        { 200: json('Claims', ref('OidcUserInfo')), 401: fault('invalid_token') },
      ),
    ]),
  ),
  [OIDC_PATHS.endSession]: {
    get: operation(
      'endSession',
      'Sign-out page (OpenID Connect RP-Initiated Logout)',
      [],
      {
        200: page('Asks whether to sign out'),
        303: { description: 'Back to the client', content: { 'text/html': { schema: { type: 'string' } } } },
        400: pageOrFault('A parameter is not good'),
      },
      {
        parameters: [
          query('id_token_hint', false, text()),
          query('client_id', false, text()),
          query('post_logout_redirect_uri', false, text()),
          query('state', false, text()),
        ],
      },
    ),
  },
  '/.well-known/openid-configuration': {
    get: operation('getOpenIdConfiguration', 'Discovery (OpenID Connect Discovery 1.0)', [], {
      200: json('Metadata of the provider', ref('ProviderMetadata')),
    }),
  },
  '/.well-known/oauth-authorization-server': {
    get: operation('getAuthorizationServerMetadata', 'Discovery (RFC 8414)', [], {
      200: json('Metadata of the provider', ref('ProviderMetadata')),
    }),
  },
  [keysPath]: {
    post: operation(
      'createMachineKey',
      'A machine key for a service account; keyDetails is handed out this once',
      BEARER,
      {
        200: json('The key', ref('MachineKeyCreated')),
        400: fault('A field is not good'),
        401: fault('invalid_token'),
        403: fault('insufficient_scope'),
        404: fault('There is no such service account'),
        409: fault('It has as many keys as it may have'),
      },
      {
        parameters: [inPath('user_id')],
        requestBody: {
          required: false,
          content: {
            'application/json': {
              schema: object({
                type: { type: 'string', enum: ['KEY_TYPE_JSON'] },
                expirationDate: { type: 'string', format: 'date-time' },
              }),
            },
          },
        },
      },
    ),
    get: operation(
      'listMachineKeys',
      'Machine keys of a service account, without the keys themselves',
      BEARER,
      {
        200: json('The keys', ref('MachineKeyList')),
        401: fault('invalid_token'),
        403: fault('insufficient_scope'),
        404: fault('There is no such service account'),
      },
      { parameters: [inPath('user_id')] },
    ),
  },
  [`${keysPath}/{key_id}`]: {
    delete: operation(
      'deleteMachineKey',
      'End a machine key',
      BEARER,
      {
        200: json('It is gone', object({})),
        401: fault('invalid_token'),
        403: fault('insufficient_scope'),
        404: fault('There is no such key'),
      },
      { parameters: [inPath('user_id'), inPath('key_id')] },
    ),
  },
};

const person: Json = {
  sub: text('Id of the account'),
  email: text(),
  name: text(),
  roles: strings('admin, operator, analyst, user, readonly'),
  org_id: text('Id of the tenant'),
  permissions: strings('Effective permissions'),
};
const details = object({ creationDate: { type: 'string', format: 'date-time' } }, ['creationDate']);

export const providerSchemas: Readonly<Record<string, Json>> = {
  OAuthError: object(
    { error: text('RFC 6749, 5.2'), error_description: text(), request_id: text() },
    ['error'],
    true,
  ),
  OAuthTokens: object(
    {
      access_token: text('JWT (RFC 9068)'),
      token_type: text(),
      expires_in: number('Seconds'),
      refresh_token: text('For people; not for service accounts'),
      id_token: text('With the scope openid'),
      scope: text(),
    },
    ['access_token', 'token_type', 'expires_in'],
    true,
  ),
  OAuthPushedRequest: object(
    { request_uri: text('For the authorization endpoint'), expires_in: number('Seconds') },
    ['request_uri', 'expires_in'],
    true,
  ),
  OAuthDeviceCodes: object(
    {
      device_code: text('For the token endpoint'),
      user_code: text('To show'),
      verification_uri: text('Where the person goes'),
      verification_uri_complete: text('The same with the code'),
      expires_in: number('Seconds'),
    },
    ['device_code', 'user_code', 'verification_uri', 'expires_in'],
    true,
  ),
  OAuthIntrospection: object(
    {
      active: { type: 'boolean' },
      token_type: text(),
      iss: text(),
      aud: text(),
      client_id: text(),
      scope: text(),
      jti: text(),
      iat: number('Seconds since the epoch'),
      exp: number('Seconds since the epoch'),
      username: text('E-mail'),
      ...person,
    },
    ['active'],
    true,
  ),
  JwkSet: object(
    {
      keys: {
        type: 'array',
        items: object(
          { kty: text(), kid: text(), alg: text(), use: text(), n: text(), e: text() },
          ['kty', 'kid'],
          true,
        ),
      },
    },
    ['keys'],
  ),
  OidcUserInfo: object(
    { ...person, preferred_username: text('The e-mail'), groups: strings('The roles') },
    ['sub'],
    true,
  ),
  ProviderMetadata: object(
    {
      issuer: text(),
      authorization_endpoint: text(),
      token_endpoint: text(),
      introspection_endpoint: text(),
      revocation_endpoint: text(),
      userinfo_endpoint: text(),
      end_session_endpoint: text(),
      jwks_uri: text(),
      device_authorization_endpoint: text(),
      pushed_authorization_request_endpoint: text(),
      client_id_metadata_document_supported: { type: 'boolean' },
      grant_types_supported: strings('Grants'),
      response_types_supported: strings('code alone'),
      code_challenge_methods_supported: strings('S256 alone'),
    },
    ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
    true,
  ),
  MachineKeyCreated: object(
    {
      keyId: text(),
      keyDetails: text('base64 of {type: "serviceaccount", keyId, key (PEM), userId}'),
      details,
    },
    ['keyId', 'keyDetails', 'details'],
  ),
  MachineKeyList: object(
    {
      details: object({ totalResult: text('A number') }, ['totalResult']),
      result: {
        type: 'array',
        items: object(
          {
            id: text(),
            type: text(),
            details,
            expirationDate: { type: 'string', format: 'date-time' },
          },
          ['id', 'type', 'details', 'expirationDate'],
        ),
      },
    },
    ['details', 'result'],
  ),
};
