/**
 * Which ids each operation of api/openapi.json takes, for the suite that calls all of them with the ids of others
 * (acceptance/isolation.test.ts). An operation, a parameter or a field with an id that does not stand here fails that suite.
 */

/** What a person of the test has made; `Ids` has one of each. */
export const KINDS = [
  'agent_suggestion',
  'api_key',
  'chunk_document',
  'conversation',
  'delivery',
  'directory_group',
  'document',
  'entity',
  'machine_key',
  'mcp_server',
  'message',
  'notification',
  'oauth_client',
  'observation',
  'picture',
  'proposal',
  'relation',
  'run',
  'second_entity',
  'session',
  'share',
  'task',
  'tenant',
  'token',
  'user',
  'webhook',
] as const;
export type Kind = (typeof KINDS)[number];
export type Ids = Readonly<Record<Kind, string>>;

export interface Plan {
  /** Path parameters that name a record of somebody. Others are words that everybody may use (an agent, a tool). */
  path?: Readonly<Record<string, Kind>>;
  /** Query parameters that name one: they narrow a list, so there is nothing to find. */
  query?: Readonly<Record<string, Kind>>;
  /** Fields of the body that name one, and what the answer must be where the caller may use the operation. */
  body?: Readonly<Record<string, { kind: Kind; status: number }>>;
  /** A valid body around those fields, made from the caller's ids. */
  send?: (ids: Ids) => Record<string, unknown>;
  /** Bytes of another type, for operations that take no JSON object. */
  upload?: { type: string; text: string };
  /** Words in place of path parameters that name no record. */
  words?: Readonly<Record<string, string>>;
  /** Must not be called here, and why. */
  left?: string;
  /** Answers as a form protocol does, without 404: then the answers for a foreign and a random id are compared alone. */
  anyStatus?: true;
}

/** Query parameters that name no record: paging, words to find, forms and times; and a client at the sign-in, which is public. */
export const HARMLESS_QUERY: ReadonlySet<string> = new Set(
  'page limit users_page users_limit cursor branches pinned folder permanent q status type agent_id window scope format order period from to tags content_type uri depth at visibility unread category event action outcome last_event_id after code state iss error response_type client_id redirect_uri nonce code_challenge code_challenge_method request_uri prompt login_hint resource id_token_hint post_logout_redirect_uri user_code include include[]'.split(
    ' ',
  ),
);

/** Fields of bodies that end like an id and name no record of anybody. */
export const HARMLESS_FIELDS: ReadonlySet<string> = new Set(['agent_id', 'oauth.client_id', 'user']);

/** A word that stands in all that is made, to find it by; and one that nobody else may ever read. */
export const FIND = 'quillonfeather';
export const SECRET = 'zanzibarite-7731';

const message = { message: `What do you know about ${FIND}?` };
const none: Plan = {};
const id = (kind: Kind, more: Omit<Plan, 'path'> = {}): Plan => ({ path: { id: kind }, ...more });
const chat: Plan = {
  send: () => message,
  body: {
    conversation_id: { kind: 'conversation', status: 404 },
    // Named alone it is 422: whose message it is is not looked at.
    parent_message_id: { kind: 'message', status: 422 },
    'attachments.0.document_id': { kind: 'document', status: 422 },
    'attachments.0.picture_id': { kind: 'picture', status: 422 },
  },
};
const rpc = (method: string, params: Record<string, unknown>): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params,
});
const mcp = (more: Omit<Plan, 'path'> = {}): Plan => ({ path: { server: 'mcp_server' }, ...more });
const oauthForm = (field: string, more: string): Plan => ({
  upload: { type: 'application/x-www-form-urlencoded', text: `${field}=nothing${more}` },
  anyStatus: true,
});

/** By method and path, without the prefix of the surface. */
export const PLANS: Readonly<Record<string, Plan>> = {
  'GET /.well-known/agent-card.json': none,
  'GET /.well-known/oauth-authorization-server': none,
  'GET /.well-known/oauth-protected-resource': none,
  'GET /.well-known/oauth-protected-resource/mcp': none,
  'GET /.well-known/openid-configuration': none,
  'GET /health': none,
  'GET /metrics': none,
  'GET /ready': none,
  'GET /a2a/.well-known/agent-card.json': none,
  'GET /a2a/{agent}/.well-known/agent-card.json': { words: { agent: 'athena' } },
  'POST /a2a': {
    send: () => rpc('tasks/get', {}),
    body: { 'params.id': { kind: 'run', status: 200 } },
  },
  'POST /a2a/{agent}': {
    words: { agent: 'athena' },
    send: () =>
      rpc('message/send', {
        message: {
          kind: 'message',
          messageId: 'm1',
          role: 'user',
          parts: [{ kind: 'text', text: message.message }],
        },
      }),
    body: { 'params.message.contextId': { kind: 'conversation', status: 404 } },
  },
  'GET /mcp/oauth/callback': none,
  'GET /oauth/v2/authorize': { anyStatus: true },
  'POST /oauth/v2/introspect': oauthForm('token', ''),
  'POST /oauth/v2/revoke': oauthForm('token', ''),
  'POST /oauth/v2/token': oauthForm('code', '&grant_type=authorization_code'),
  'GET /oauth/v2/keys': none,
  'POST /oauth/v2/device_authorization': oauthForm('scope', '&client_id=pentarch-cli'),
  'GET /oauth/v2/device': { anyStatus: true },
  'POST /oauth/v2/par': oauthForm('redirect_uri', '&client_id=pentarch-cli&response_type=code'),
  'POST /oauth/v2/device': oauthForm('user_code', '&xsrf=none'),
  'GET /oidc/v1/end_session': { anyStatus: true },
  'GET /oidc/v1/userinfo': { anyStatus: true },
  'POST /oidc/v1/userinfo': { anyStatus: true },
  'POST /management/v1/users/{user_id}/machine_keys': {
    path: { user_id: 'user' },
    send: () => ({ type: 'KEY_TYPE_JSON' }),
  },
  'GET /management/v1/users/{user_id}/machine_keys': { path: { user_id: 'user' } },
  'DELETE /management/v1/users/{user_id}/machine_keys/{key_id}': {
    path: { user_id: 'user', key_id: 'machine_key' },
  },
  'POST /v1/chat/completions': {
    send: () => ({ model: 'pentarch', messages: [{ role: 'user', content: message.message }] }),
    body: { 'metadata.conversation_id': { kind: 'conversation', status: 404 } },
  },
  'POST /v1/completions': { send: () => ({ model: 'pentarch', prompt: message.message }) },
  'GET /v1/responses/{id}': { path: { id: 'run' } },
  'DELETE /v1/responses/{id}': { path: { id: 'run' } },
  'GET /v1/responses/{id}/input_items': { path: { id: 'run' } },
  'POST /v1/responses': {
    send: () => ({ model: 'pentarch', input: message.message }),
    body: {
      conversation: { kind: 'conversation', status: 404 },
      previous_response_id: { kind: 'run', status: 400 },
    },
  },
  'POST /v1/messages': {
    send: () => ({
      model: 'pentarch',
      max_tokens: 500,
      messages: [{ role: 'user', content: message.message }],
    }),
    body: { 'metadata.conversation_id': { kind: 'conversation', status: 404 } },
  },
  'POST /v1/messages/count_tokens': {
    send: () => ({ model: 'pentarch', messages: [{ role: 'user', content: message.message }] }),
  },
  'POST /v1/embeddings': { send: () => ({ model: 'text-embedding', input: FIND }) },
  'GET /v1/models': none,
  'GET /v1/models/{id}': { words: { id: 'pentarch' } },
  'GET /v1/models/pentarch/{name}': { words: { name: 'athena' } },
  'GET /admin/users': none,
  'GET /agents': none,
  'GET /models': none,
  'GET /agents/suggestions': none,
  'POST /agents/suggestions/{id}/accept': id('agent_suggestion'),
  'POST /agents/suggestions/{id}/reject': id('agent_suggestion'),
  'GET /agents/{id}': { words: { id: 'athena' } },
  'PATCH /agents/{id}': { words: { id: 'athena' }, send: () => ({ instructions: null }) },
  'POST /agents/{id}/invoke': { ...chat, words: { id: 'athena' } },
  'GET /agents/{id}/metrics': { words: { id: 'athena' } },
  'GET /audit': { query: { actor: 'user', target: 'conversation' } },
  'GET /audit/verify': none,
  'GET /auth/api-keys': none,
  'POST /auth/api-keys': { send: () => ({ name: 'of another' }) },
  'DELETE /auth/api-keys/{id}': id('api_key'),
  'POST /auth/api-keys/{id}/rotate': id('api_key', { send: () => ({}) }),
  'POST /auth/login': { left: 'takes no id; its refusals are those of identity-users.ts' },
  'POST /auth/logout': { left: 'ends the session that the suite goes on with' },
  'GET /auth/me': none,
  'POST /auth/password/forgot': { send: () => ({ email: 'nobody@nowhere.test' }), anyStatus: true },
  'POST /auth/password/reset': {
    send: () => ({ token: 'nothing', password: 'a long enough password' }),
    anyStatus: true,
  },
  'POST /auth/refresh': { send: () => ({ refresh_token: 'nothing' }), anyStatus: true },
  'POST /chat': chat,
  'POST /chat/stream': chat,
  'GET /chat/runs/{id}': id('run'),
  'POST /chat/runs/{id}/cancel': id('run'),
  'GET /chat/runs/{id}/stream': id('run'),
  'GET /conversations': none,
  'POST /conversations': { send: () => ({ title: 'of another' }) },
  'POST /conversations/delete': {
    body: { 'ids.0': { kind: 'conversation', status: 200 } },
  },
  'GET /conversations/folders': none,
  'POST /conversations/folders/rename': { send: () => ({ name: 'of another', to: null }) },
  'POST /conversations/import': {
    upload: { type: 'application/json', text: '[]' },
    anyStatus: true,
  },
  'GET /conversations/{id}': id('conversation'),
  'PATCH /conversations/{id}': id('conversation', {
    send: () => ({ title: 'taken' }),
    body: { active_message_id: { kind: 'message', status: 404 } },
  }),
  'DELETE /conversations/{id}': id('conversation'),
  'GET /conversations/{id}/export': id('conversation'),
  'GET /conversations/{id}/pictures/{picture_id}': {
    path: { id: 'conversation', picture_id: 'picture' },
  },
  'GET /conversations/{id}/shares': id('conversation'),
  'POST /conversations/{id}/shares': id('conversation', {
    send: () => ({ audience: 'tenant' }),
    body: { up_to_message_id: { kind: 'message', status: 404 } },
  }),
  'DELETE /conversations/{id}/shares/{share_id}': {
    path: { id: 'conversation', share_id: 'share' },
  },
  // Whoever in the tenant has the token may read it: it is nothing to guess.
  'GET /shares/{token}': { words: { token: 'A'.repeat(43) } },
  'GET /shares/{token}/public': { words: { token: 'A'.repeat(43) } },
  'POST /conversations/{id}/fork': id('conversation', {
    send: (ids) => ({ message_id: ids.message }),
    body: { message_id: { kind: 'message', status: 404 } },
  }),
  'GET /conversations/{id}/messages': id('conversation'),
  'POST /conversations/{id}/messages/{message_id}/edit': {
    path: { id: 'conversation', message_id: 'message' },
    send: () => message,
    body: {
      'attachments.0.document_id': { kind: 'document', status: 422 },
      'attachments.0.picture_id': { kind: 'picture', status: 422 },
    },
  },
  'POST /conversations/{id}/messages/{message_id}/regenerate': {
    path: { id: 'conversation', message_id: 'message' },
  },
  'POST /conversations/{id}/restore': id('conversation'),
  'GET /costs/limits': none,
  'PUT /costs/limits': {
    send: () => ({ limits: [{ scope: 'user', period: 'day', limit_usd: 1 }] }),
    body: { 'limits.0.subject': { kind: 'user', status: 422 } },
  },
  'GET /costs/usage': none,
  'GET /costs/usage/export': none,
  'GET /governance/proposals': { query: { run_id: 'run', conversation_id: 'conversation' } },
  'POST /governance/proposals': { send: () => ({ action: 'Buy a lamp', estimated_cost: 1 }) },
  'GET /governance/proposals/{id}': id('proposal'),
  'POST /governance/proposals/{id}/cancel': id('proposal'),
  'POST /governance/proposals/{id}/confirm': id('proposal', { send: () => ({ approve: true }) }),
  'POST /governance/proposals/{id}/vote': id('proposal', { send: () => ({ vote: 'approve' }) }),
  'GET /knowledge/documents': none,
  'POST /knowledge/documents': {
    upload: { type: 'application/json', text: '{"title":"Mine","content":"Of another owner."}' },
  },
  'GET /knowledge/documents/{id}': id('document'),
  'PATCH /knowledge/documents/{id}': id('document', { send: () => ({ title: 'taken' }) }),
  'DELETE /knowledge/documents/{id}': id('document'),
  'GET /knowledge/documents/{id}/chunks': id('chunk_document'),
  'GET /knowledge/documents/{id}/content': id('document'),
  'GET /knowledge/documents/{id}/versions': id('document'),
  'POST /knowledge/documents/{id}/retry': id('document'),
  'GET /knowledge/tags': none,
  'POST /knowledge/search': {
    send: () => ({ query: FIND, include_memories: true, limit: 100 }),
    body: { 'filters.document_ids.0': { kind: 'document', status: 200 } },
  },
  'GET /mcp/servers': none,
  'POST /mcp/servers': {
    left: 'takes no id: a name is of the tenant; made by the world of the suite in both tenants',
  },
  'POST /mcp/servers/import': { send: () => ({ mcpServers: {} }), anyStatus: true },
  'POST /mcp/servers/test': {
    send: () => ({ transport: 'http', url: 'http://127.0.0.1:9/nothing' }),
    anyStatus: true,
  },
  'PATCH /mcp/servers/{name}': { path: { name: 'mcp_server' }, send: () => ({ title: 'taken' }) },
  'DELETE /mcp/servers/{name}': { path: { name: 'mcp_server' } },
  'POST /mcp/servers/{name}/refresh': { path: { name: 'mcp_server' } },
  'POST /mcp/servers/{name}/authorize': { path: { name: 'mcp_server' } },
  'GET /mcp/servers/{name}/logs': { path: { name: 'mcp_server' } },
  'POST /mcp/{server}/call': mcp({ send: () => ({ tool: 'echo', arguments: { text: 'x' } }) }),
  'GET /mcp/{server}/prompts': mcp(),
  'POST /mcp/{server}/prompts/get': mcp({ send: () => ({ prompt: 'greet' }) }),
  'GET /mcp/{server}/resources': mcp(),
  'GET /mcp/{server}/resources/read': mcp({ words: { uri: 'test://a' } }),
  'GET /mcp/{server}/tools': mcp(),
  'POST /mcp/{server}/tools/accept': mcp({ send: () => ({}) }),
  'POST /mcp/{server}/tools/{tool}/accept': mcp({ words: { tool: 'echo' }, send: () => ({}) }),
  'GET /memory/entities': none,
  'POST /memory/entities': { send: () => ({ name: 'Someone else', entity_type: 'person' }) },
  'GET /memory/entities/{id}': id('entity'),
  'PATCH /memory/entities/{id}': id('entity', { send: () => ({ importance: 0.1 }) }),
  'DELETE /memory/entities/{id}': id('entity'),
  'POST /memory/entities/{id}/merge': id('entity', {
    send: (ids) => ({ entity_id: ids.second_entity }),
    body: { entity_id: { kind: 'second_entity', status: 404 } },
  }),
  'POST /memory/entities/{id}/observations': id('entity', { send: () => ({ text: 'taken' }) }),
  'PATCH /memory/entities/{id}/observations/{observation_id}': {
    path: { id: 'entity', observation_id: 'observation' },
    send: () => ({ text: 'taken' }),
  },
  'DELETE /memory/entities/{id}/observations/{observation_id}': {
    path: { id: 'entity', observation_id: 'observation' },
  },
  'GET /memory/export': none,
  'GET /memory/graph': { query: { entity_id: 'entity' } },
  'GET /memory/preferences': none,
  'POST /memory/preferences': { send: () => ({ name: 'tone', value: 'taken' }) },
  'POST /memory/import': {
    upload: {
      type: 'application/x-ndjson',
      text: '{"type":"entity","name":"Someone else","entityType":"person","observations":["of another"]}\n',
    },
  },
  'GET /memory/relations': { query: { entity_id: 'entity' } },
  'POST /memory/relations': {
    send: (ids) => ({
      from_entity_id: ids.entity,
      to_entity_id: ids.second_entity,
      relation_type: 'takes from',
    }),
    body: {
      from_entity_id: { kind: 'entity', status: 404 },
      to_entity_id: { kind: 'entity', status: 404 },
    },
  },
  'GET /memory/relations/{id}': id('relation'),
  'PATCH /memory/relations/{id}': id('relation', { send: () => ({ relation_type: 'taken' }) }),
  'DELETE /memory/relations/{id}': id('relation'),
  'POST /messages/{id}/feedback': id('message', { send: () => ({ rating: 'down' }) }),
  'GET /notifications': none,
  'GET /notifications/preferences': none,
  'PATCH /notifications/preferences': { send: () => ({ categories: {} }), anyStatus: true },
  'POST /notifications/read-all': none,
  'GET /notifications/unread': none,
  'POST /notifications/{id}/read': id('notification'),
  'GET /oauth/clients': none,
  'GET /directory/groups': none,
  'PUT /directory/groups/{id}/roles': id('directory_group', { send: () => ({ roles: ['user'] }) }),
  'POST /oauth/clients': { send: () => ({ name: 'of another', type: 'confidential' }) },
  'DELETE /oauth/clients/{client_id}': { path: { client_id: 'oauth_client' } },
  'GET /tasks': none,
  'POST /tasks': {
    send: () => ({ description: 'Say hello', scheduled_at: '2099-01-01T00:00:00.000Z' }),
  },
  'GET /tasks/{id}': id('task'),
  'PATCH /tasks/{id}': id('task', { send: () => ({ description: 'taken' }) }),
  'DELETE /tasks/{id}': id('task'),
  'POST /tasks/{id}/cancel': id('task'),
  'POST /tasks/{id}/retry': id('task'),
  'GET /tasks/{id}/runs': id('task'),
  'GET /tenants': none,
  'POST /tenants': { left: 'takes no id; only the platform administrator may, by the access table' },
  'GET /tenants/{id}': id('tenant'),
  'PATCH /tenants/{id}': id('tenant', { send: () => ({ name: 'taken' }) }),
  'GET /users': none,
  'POST /users': {
    send: () => ({ email: 'new@elsewhere.test' }),
    body: { tenant_id: { kind: 'tenant', status: 403 } },
  },
  'GET /users/me': none,
  'PATCH /users/me': { send: () => ({ name: 'Somebody' }) },
  'POST /users/me/password': {
    send: () => ({ current_password: 'not this one', new_password: 'a long enough password' }),
    anyStatus: true,
  },
  'GET /users/me/sessions': none,
  'DELETE /users/me/sessions/{id}': id('session'),
  'GET /users/me/tokens': none,
  'POST /users/me/tokens': { send: () => ({ name: 'of another' }) },
  'DELETE /users/me/tokens/{id}': id('token'),
  'GET /users/{id}': id('user'),
  'PATCH /users/{id}': id('user', { send: () => ({ name: 'taken' }) }),
  'DELETE /users/{id}': id('user'),
  'DELETE /users/{id}/data': id('user'),
  'GET /users/{id}/export': id('user'),
  'POST /users/{id}/invitation': id('user'),
  'POST /users/{id}/move': id('user', {
    body: { tenant_id: { kind: 'tenant', status: 403 } },
    send: (ids) => ({ tenant_id: ids.tenant }),
  }),
  'POST /users/{id}/password-reset': id('user'),
  'GET /webhooks': none,
  'POST /webhooks': { send: () => ({ url: 'https://hooks.example.test/x', events: ['*'] }), anyStatus: true },
  'GET /webhooks/{id}': id('webhook'),
  'PATCH /webhooks/{id}': id('webhook', { send: () => ({ description: 'taken' }) }),
  'DELETE /webhooks/{id}': id('webhook'),
  'GET /webhooks/{id}/deliveries': id('webhook'),
  'GET /webhooks/{id}/deliveries/{delivery_id}': { path: { id: 'webhook', delivery_id: 'delivery' } },
  'POST /webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    path: { id: 'webhook', delivery_id: 'delivery' },
  },
  'POST /webhooks/{id}/rotate-secret': id('webhook'),
  'POST /webhooks/{id}/test': id('webhook'),
  'GET /ws': { left: 'a socket: held to it by a test of its own in the same file' },
};
