// Generated from api/openapi.json by sdk/codegen. Do not edit.

export interface AcceptMcpToolRequest {
  /** Of the tool as it was looked at */
  fingerprint?: string;
}

export interface AcceptMcpToolsRequest {
  /** By tool, of what was looked at; without it, all that are new */
  fingerprints?: Record<string, string>;
}

export interface AddMemoryObservationsRequest {
  /** One fact */
  text?: string;
  observations?: (string | CorrectMemoryObservationRequest)[];
}

export interface AgentMetrics {
  window: '1h' | '24h' | '7d' | '30d';
  /** Runs that this agent answered */
  requests: number;
  /** Runs that completed */
  successes: number;
  /** Runs that failed */
  failures: number;
  /** Successes of all finished, 0–1 */
  success_rate: number | null;
  /** Runs going on now */
  active_runs: number;
  latency_ms: AgentMetricsLatencyMs;
  first_token_ms: AgentMetricsFirstTokenMs;
  /** Tokens read */
  input_tokens: number;
  /** Tokens written */
  output_tokens: number;
  /** US dollars */
  cost_usd: number;
  /** Tool calls made */
  tool_calls: number;
  last_active_at: string | null;
}

export interface AgentMetricsFirstTokenMs {
  /** Median in ms */
  p50: number | null;
  /** 95th percentile in ms */
  p95: number | null;
}

export interface AgentMetricsLatencyMs {
  /** Mean in ms */
  avg: number | null;
  /** Median in ms */
  p50: number | null;
  /** 95th percentile in ms */
  p95: number | null;
  /** 99th percentile in ms */
  p99: number | null;
}

export interface AgentStatus {
  id: string;
  name: string;
  domain: string;
  state: 'idle' | 'busy' | 'degraded' | 'disabled';
  enabled: boolean;
  description: string;
  /** What the agent’s seat in the Pentarchy looks at; null without a seat */
  seat: string | null;
  /** Model of this agent; null = the default */
  model: string | null;
  /** Instructions of this tenant, added to the charter */
  instructions: string | null;
  /** Its model is told of all its tools with each call; else of a few, and finds the others */
  all_tools: boolean;
  /** Measured from runs; a figure without data is null */
  metrics: AgentMetrics;
}

export interface AgentSuggestion {
  id: string;
  agent_id: string;
  /** Text that accepting adds to the agent’s instructions */
  instruction: string;
  reason: string | null;
  status: 'open' | 'accepted' | 'rejected';
  /** Id of the person in whose conversation it came up */
  suggested_by: string;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  decided_by: string | null;
  /** ISO 8601 UTC with milliseconds */
  decided_at: string | null;
}

export interface ApiKey {
  id: string;
  name: string;
  /** First characters of the secret */
  hint: string;
  /** null: all that the owner may */
  permissions: string[] | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  last_used_at: string | null;
}

export interface AuditEvent {
  id: string;
  /** Place in the chain of the tenant, from 1 without gaps */
  seq: number;
  actor_id: string | null;
  actor_type: string;
  action: string;
  outcome: string;
  target_type: string | null;
  target_id: string | null;
  request_id: string | null;
  address: string | null;
  details: Record<string, unknown>;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** SHA-256 of the row before */
  previous_hash: string;
  /** SHA-256 over the row and previous_hash */
  hash: string;
}

export interface AuthorizeMcpServerRequest {
  /** To finish: what a browser was shown that had not begun the sign-in */
  answer?: string;
}

export interface AuthorizeMcpServerResult {
  /** For a browser; null when no person is needed */
  authorization_url: string | null;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface Budget {
  scope: 'tenant' | 'user' | 'agent' | 'run';
  subject: string;
  period: 'day' | 'month' | 'run';
  /** US dollars, exact to 1e-9 */
  limit_usd: number;
  /** US dollars, exact to 1e-9 */
  used_usd: number;
  /** Set aside for calls that are running */
  reserved_usd: number;
  /** US dollars, exact to 1e-9 */
  remaining_usd: number;
  /** ISO 8601 UTC with milliseconds */
  resets_at: string | null;
  alert_level: 'none' | 'info' | 'warning' | 'critical' | 'exceeded';
  /** Spend at the end of the period when it goes on like this */
  forecast_usd: number | null;
}

export interface CallMcpToolRequest {
  tool: string;
  arguments?: Record<string, unknown>;
  /** The call is cancelled after so long */
  timeout_ms?: number;
}

export interface Caller {
  /** User id */
  sub: string;
  email: string;
  name: string;
  roles: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** Tenant id */
  org_id: string;
  /** Effective permissions, <resource>:<action> */
  permissions: string[];
  tier: 'free' | 'pro' | 'enterprise';
  platform_admin: boolean;
  credential: 'jwt' | 'api_key' | 'personal_token';
  token_id: string;
  session_id: string | null;
  client_id: string | null;
  scope: string | null;
  iss: string | null;
  /** Epoch seconds */
  iat: number | null;
  /** Epoch seconds */
  exp: number | null;
}

export interface ChangeMyPasswordRequest {
  current_password: string;
  new_password: string;
}

export interface ChatRequest {
  /** What the person says; the setting MAX_MESSAGE_CHARS may allow less */
  message: string;
  /** Conversation to continue; absent: a new one */
  conversation_id?: string;
  /** Message of the conversation that this one follows; absent: the last one of the active branch; null: none, a first message */
  parent_message_id?: string | null;
  /** Up to 32 KiB. agent_id addresses one agent, model picks a configured model; the rest goes to the agent as data */
  context?: Record<string, unknown>;
  /** Each has one of document_id, image and picture_id. Documents that the message is about are looked at first, in all of the conversation; up to 10 pictures are shown to a model that can see, else the message is refused before it costs anything */
  attachments?: ChatRequestAttachment[];
  /** false: a temporary chat, of which nothing but its costs is stored. It has no conversation, and what was said before comes with it as history. Default true */
  store?: boolean;
  /** Of a temporary chat: what was said before, oldest first */
  history?: ChatRequestHistory[];
  /** A JSON Schema of up to 32 KiB that the answer has to fit: content is JSON then, and parsed its value */
  response_schema?: Record<string, unknown>;
}

export interface ChatRequestAttachment {
  /** A document that the caller can read; one that is a picture is also shown to a model that can see */
  document_id?: string;
  /** A picture: PNG, JPEG, WebP or GIF of up to 3932160 bytes as base64 or a data: URL. It is stored without its metadata */
  image?: string;
  /** A picture of the same conversation, once more */
  picture_id?: string;
  /** With image: what the file is called */
  name?: string;
}

export interface ChatRequestHistory {
  role: 'user' | 'assistant';
  content: string;
}

export interface ChatResponse {
  /** Id of the answer */
  id: string;
  /** Of a temporary chat: what its costs stand under on the ledger; there is no such conversation */
  conversation_id: string;
  /** Id of the question */
  parent_id: string | null;
  content: string;
  /** The value of content, where response_schema was given and the answer is whole */
  parsed?: unknown;
  agent_id: string;
  tool_calls: ToolCall[];
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  run_id: string;
  finish_reason: 'stop' | 'length' | 'cancelled' | 'awaiting_approval' | 'cost_exceeded' | 'tool_calls' | 'failed' | 'interrupted';
  usage: Usage;
  citations: Citation[];
  proposals: string[];
  /** model, and built_in where the built-in model answered */
  metadata: Record<string, unknown>;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
}

export interface Citation {
  document_id: string;
  title: string;
  chunk_id: string;
  page: number | null;
  quote: string;
}

export interface ConfirmProposalRequest {
  /** true: make the call; false: do not */
  approve: boolean;
}

export interface Conversation {
  id: string;
  title: string | null;
  /** unlisted: of a call of /v1 that asked for no place in the list; restore puts it there */
  status: 'active' | 'archived' | 'unlisted';
  metadata: Record<string, unknown>;
  agent_ids: string[];
  /** Of the active branch */
  message_count: number;
  /** US dollars, exact to 1e-9 */
  total_cost_usd: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** ISO 8601 UTC with milliseconds */
  archived_at: string | null;
  pinned: boolean;
  /** Name of the folder that its owner keeps it in */
  folder: string | null;
  /** Where untrusted content in it came from; with any, calls that reach out or change own things ask first. Empty: none */
  taint: ('context' | 'history' | 'import' | 'documents' | 'tools' | 'tool_descriptions' | 'memory' | 'task' | 'earlier')[];
  /** Of a search alone */
  hit?: ConversationHit;
}

export interface ConversationDetail {
  id: string;
  title: string | null;
  /** unlisted: of a call of /v1 that asked for no place in the list; restore puts it there */
  status: 'active' | 'archived' | 'unlisted';
  metadata: Record<string, unknown>;
  agent_ids: string[];
  /** Of the active branch */
  message_count: number;
  /** US dollars, exact to 1e-9 */
  total_cost_usd: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** ISO 8601 UTC with milliseconds */
  archived_at: string | null;
  pinned: boolean;
  /** Name of the folder that its owner keeps it in */
  folder: string | null;
  /** Where untrusted content in it came from; with any, calls that reach out or change own things ask first. Empty: none */
  taint: ('context' | 'history' | 'import' | 'documents' | 'tools' | 'tool_descriptions' | 'memory' | 'task' | 'earlier')[];
  /** The last message of the active branch that has had its turn */
  active_message_id: string | null;
  /** The active branch: oldest first, the newest 200 */
  messages: Message[];
}

export interface ConversationHit {
  /** The newest message of the active branch with these words; null: they are in the title */
  message_id: string | null;
  /** Where they stand, with some words around; plain text */
  snippet: string;
}

export interface CorrectMemoryObservationRequest {
  /** One fact */
  text: string;
}

export interface CostLimits {
  limits: CostLimitsLimit[];
}

export interface CostLimitsLimit {
  id: string;
  scope: 'tenant' | 'user' | 'agent' | 'run';
  /** Id of the tenant, user or agent; * for every run */
  subject: string;
  period: 'day' | 'month' | 'run';
  /** US dollars, exact to 1e-9 */
  limit_usd: number;
  /** US dollars, exact to 1e-9 */
  used_usd: number;
  /** Set aside for calls that are running */
  reserved_usd: number;
  /** US dollars, exact to 1e-9 */
  remaining_usd: number;
  /** ISO 8601 UTC with milliseconds */
  resets_at: string | null;
  /** info from 50 %, warning from 75 %, critical from 90 %, exceeded when nothing is left */
  alert_level: 'none' | 'info' | 'warning' | 'critical' | 'exceeded';
}

export interface CostUsage {
  period: CostUsagePeriod;
  scope: 'me' | 'tenant';
  currency: 'USD';
  /** US dollars, exact to 1e-9 */
  total_usd: number;
  /** Total at the end of the period when it goes on like this */
  forecast_usd: number | null;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  /** Calls that have cost more than was reserved for them */
  beyond_estimate: number;
  by_agent: CostUsageByAgent[];
  by_model: CostUsageByModel[];
  by_tool: CostUsageByTool[];
  by_day: CostUsageByDay[];
  by_user?: CostUsageByUser[];
  /** Users with spending in the period, on all pages of by_user */
  users_total?: number;
  /** The limit that is nearest to the question; null without one */
  budget: Budget | null;
}

export interface CostUsageByAgent {
  /** null: spend without one */
  agent_id: string | null;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  /** Metered calls: model, embedding or priced tool */
  requests: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  /** Calls that have cost more than was reserved for them */
  beyond_estimate: number;
}

export interface CostUsageByDay {
  /** null: spend without one */
  date: string | null;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  /** Metered calls: model, embedding or priced tool */
  requests: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  /** Calls that have cost more than was reserved for them */
  beyond_estimate: number;
}

export interface CostUsageByModel {
  /** null: spend without one */
  model: string | null;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  /** Metered calls: model, embedding or priced tool */
  requests: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  /** Calls that have cost more than was reserved for them */
  beyond_estimate: number;
}

export interface CostUsageByTool {
  /** null: spend without one */
  tool: string | null;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  /** Metered calls: model, embedding or priced tool */
  requests: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  /** Calls that have cost more than was reserved for them */
  beyond_estimate: number;
}

export interface CostUsageByUser {
  /** null: spend without one */
  user_id: string | null;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  /** Metered calls: model, embedding or priced tool */
  requests: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  /** Calls that have cost more than was reserved for them */
  beyond_estimate: number;
}

export interface CostUsagePeriod {
  name: 'day' | 'week' | 'month' | 'custom';
  /** ISO 8601 UTC with milliseconds */
  start: string;
  /** ISO 8601 UTC with milliseconds */
  end: string;
}

export interface CountUnreadNotificationsResult {
  unread: number;
}

export interface CreateApiKeyRequest {
  name: string;
  permissions?: ('chat:write' | 'conversations:read' | 'conversations:write' | 'agents:read' | 'agents:manage' | 'knowledge:read' | 'knowledge:write' | 'knowledge:manage' | 'memory:read' | 'memory:write' | 'mcp:read' | 'mcp:call' | 'mcp:manage' | 'governance:read' | 'governance:propose' | 'governance:vote' | 'tasks:read' | 'tasks:write' | 'costs:read' | 'costs:manage' | 'analytics:read' | 'audit:read' | 'webhooks:read' | 'webhooks:manage' | 'notifications:read' | 'notifications:write' | 'keys:read' | 'keys:write' | 'profile:write' | 'users:read' | 'users:manage' | 'tenants:read' | 'tenants:manage' | 'clients:manage' | 'scim:manage')[];
  /** ISO 8601 UTC with milliseconds */
  expires_at?: string | null;
}

export interface CreateConversationRequest {
  title?: string | null;
  /** Up to 16 KiB of your own data */
  metadata?: Record<string, unknown>;
}

export interface CreateDocumentRequest {
  /** Needed with `content` */
  title?: string;
  /** The text itself; files are uploaded as a form */
  content?: string;
  /** In place of `content`: a public http or https address to read the document from */
  url?: string;
  /** A name of the source; the same again replaces the content of the document in place */
  external_id?: string;
  /** `markdown`, `text/html`, …; decides among text formats */
  content_type?: string;
  /** Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by */
  metadata?: Record<string, unknown>;
  /** private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant */
  visibility?: 'private' | 'tenant' | 'role';
  /** Who may read it with the visibility role */
  roles?: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** An administrator vouches for the document as it is (`knowledge:manage`): what is read of it does not mark a conversation. Other content or another title sets it back */
  trusted?: boolean;
}

export interface CreateMcpServerRequest {
  /** a-z, 0-9 and -, up to 40 */
  name: string;
  transport: 'stdio' | 'http';
  /** Program of a stdio server; MCP_ALLOW_STDIO must name it */
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Address of an http server */
  url?: string;
  headers?: Record<string, string>;
  oauth?: CreateMcpServerRequestOauth;
  title?: string;
  enabled?: boolean;
  /** Longest time of a call that names none */
  timeout_ms?: number;
  policy?: CreateMcpServerRequestPolicy;
  access?: CreateMcpServerRequestAccess;
  /** You accept the tools that it lists at first, but for those that look like orders to the model (default false) */
  accept_tools?: boolean;
}

export interface CreateMcpServerRequestAccess {
  allow?: CreateMcpServerRequestAccessAllow[];
  /** Wins over allow */
  deny?: CreateMcpServerRequestAccessAllow[];
}

export interface CreateMcpServerRequestAccessAllow {
  /** Ids of tenants */
  tenants?: string[];
  roles?: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** Globs */
  tools?: string[];
}

export interface CreateMcpServerRequestOauth {
  grant?: 'authorization_code' | 'client_credentials';
  /** Left out: registered where that is possible */
  client_id?: string;
  client_secret?: string;
  scope?: string;
}

export interface CreateMcpServerRequestPolicy {
  default?: CreateMcpServerRequestPolicyDefault;
  /** By glob of the tool name */
  tools?: Record<string, CreateMcpServerRequestPolicyDefault>;
}

export interface CreateMcpServerRequestPolicyDefault {
  /** Cost of one call */
  cost_usd?: number;
  risk?: 'low' | 'medium' | 'high' | 'critical';
  flags?: ('security' | 'legal' | 'irreversible' | 'personal_data')[];
  approval?: 'auto' | 'pentarchy' | 'human';
  /** Calls that are made unasked with untrusted content in the conversation: by argument, globs of the host of its address or of its text */
  allow?: CreateMcpServerRequestPolicyDefaultAllow[];
}

export interface CreateMcpServerRequestPolicyDefaultAllow {
  hosts?: Record<string, string[]>;
  arguments?: Record<string, string[]>;
}

export interface CreateMemoryEntityRequest {
  /** Unique by type within its owner */
  name: string;
  /** person, organization, project, … */
  entity_type: string;
  observations?: (string | CorrectMemoryObservationRequest)[];
  importance?: number;
  /** Default private; tenant needs memory:* */
  visibility?: 'private' | 'tenant';
}

export interface CreateMemoryRelationRequest {
  from_entity_id: string;
  to_entity_id: string;
  /** works_at, knows, part_of, … */
  relation_type: string;
  properties?: Record<string, unknown>;
  /** ISO 8601 UTC with milliseconds */
  valid_from?: string;
  /** ISO 8601 UTC with milliseconds */
  valid_to?: string | null;
  /** tenant needs memory:* and two shared entities */
  visibility?: 'private' | 'tenant';
}

export interface CreateOauthClientRequest {
  name: string;
  type: 'public' | 'confidential';
  redirect_uris?: string[];
  /** Where people may be sent after a sign-out, compared exactly */
  post_logout_redirect_uris?: string[];
  /** May sign people in by the device flow (RFC 8628) */
  device_flow?: boolean;
  /** Public keys of a confidential client that authenticates by private_key_jwt */
  jwks?: CreateOauthClientRequestJwks;
}

export interface CreateOauthClientRequestJwks {
  keys: (Record<string, unknown>)[];
}

export interface CreatePersonalTokenRequest {
  name: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at?: string | null;
}

export interface CreateProposalRequest {
  action: string;
  description?: string;
  /** US dollars, at most nine decimal places */
  estimated_cost: number;
  risk?: 'low' | 'medium' | 'high' | 'critical';
  flags?: ('security' | 'legal' | 'irreversible' | 'personal_data')[];
  tool?: CreateProposalRequestTool;
}

export interface CreateProposalRequestTool {
  server: string;
  name: string;
  arguments?: Record<string, unknown>;
}

export interface CreateTaskRequest {
  /** What is to be done, as one would tell an agent */
  description: string;
  /** Agent that does it; absent: Zeus chooses */
  agent_id?: string;
  /** Up to 32 KiB, given to the agent as data; model picks a configured model */
  context?: Record<string, unknown>;
  /** default normal */
  priority?: 'low' | 'normal' | 'high' | 'urgent';
  /** When to run; past or absent: at once. With cron: not before */
  scheduled_at?: string;
  /** Five fields, names allowed: 0 9 * * MON-FRI */
  cron?: string;
  /** IANA time zone of cron (default UTC) */
  timezone?: string;
  /** A slot that comes due while the last run goes on: left out, or run afterwards (default skip) */
  overlap?: 'skip' | 'queue';
  /** Slots missed while the platform was down: one run for all of them, or none (default run_once) */
  missed?: 'run_once' | 'skip';
}

export interface CreateTenantRequest {
  name: string;
  slug: string;
  tier?: 'free' | 'pro' | 'enterprise';
  /** `timezone` (IANA) is what days and months of costs go by; the rest is free, up to 32 KiB */
  settings?: Record<string, unknown>;
  admin?: CreateTenantRequestAdmin;
}

export interface CreateTenantRequestAdmin {
  email: string;
  password?: string;
}

export interface CreateUserRequest {
  email: string;
  name?: string;
  password?: string;
  roles?: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** Permissions beyond those of the roles */
  permissions?: ('chat:write' | 'conversations:read' | 'conversations:write' | 'agents:read' | 'agents:manage' | 'knowledge:read' | 'knowledge:write' | 'knowledge:manage' | 'memory:read' | 'memory:write' | 'mcp:read' | 'mcp:call' | 'mcp:manage' | 'governance:read' | 'governance:propose' | 'governance:vote' | 'tasks:read' | 'tasks:write' | 'costs:read' | 'costs:manage' | 'analytics:read' | 'audit:read' | 'webhooks:read' | 'webhooks:manage' | 'notifications:read' | 'notifications:write' | 'keys:read' | 'keys:write' | 'profile:write' | 'users:read' | 'users:manage' | 'tenants:read' | 'tenants:manage' | 'clients:manage' | 'scim:manage')[];
  type?: 'person' | 'service';
  tier?: 'free' | 'pro' | 'enterprise' | null;
  /** Another tenant: platform administrators only */
  tenant_id?: string;
}

export interface CreateWebhookRequest {
  /** Public https address; loopback, private, link-local and metadata addresses are refused */
  url: string;
  /** Types of events, or * for all */
  events: ('*' | 'conversation.completed' | 'message.created' | 'proposal.created' | 'proposal.decided' | 'task.completed' | 'task.failed' | 'document.indexed' | 'document.failed' | 'cost.alert' | 'cost.limit_reached' | 'agent.state_changed' | 'user.created' | 'notification')[];
  description?: string | null;
}

export interface CreatedApiKey {
  id: string;
  name: string;
  /** First characters of the secret */
  hint: string;
  /** null: all that the owner may */
  permissions: string[] | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  last_used_at: string | null;
  /** The secret, shown only now */
  key: string;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface CreatedConversation {
  id: string;
  title: string | null;
  /** unlisted: of a call of /v1 that asked for no place in the list; restore puts it there */
  status: 'active' | 'archived' | 'unlisted';
  metadata: Record<string, unknown>;
  agent_ids: string[];
  /** Of the active branch */
  message_count: number;
  /** US dollars, exact to 1e-9 */
  total_cost_usd: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** ISO 8601 UTC with milliseconds */
  archived_at: string | null;
  pinned: boolean;
  /** Name of the folder that its owner keeps it in */
  folder: string | null;
  /** Where untrusted content in it came from; with any, calls that reach out or change own things ask first. Empty: none */
  taint: ('context' | 'history' | 'import' | 'documents' | 'tools' | 'tool_descriptions' | 'memory' | 'task' | 'earlier')[];
}

export interface CreatedOauthClient {
  client_id: string;
  name: string;
  type: 'public' | 'confidential';
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  /** Signs people in by a code that they type on another device */
  device_flow: boolean;
  /** The service account that a confidential client acts as with client_credentials */
  service_user_id: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** Shown only now; none for clients with keys */
  client_secret?: string;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface CreatedTenant {
  id: string;
  name: string;
  slug: string;
  tier: 'free' | 'pro' | 'enterprise';
  status: 'active' | 'suspended';
  settings: Record<string, unknown>;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  admin?: CreatedTenantAdmin;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface CreatedTenantAdmin {
  id: string;
  email: string;
  /** Once, when no password was given */
  invitation_url?: string;
}

export interface CreatedUser {
  id: string;
  type: 'person' | 'service';
  email: string;
  name: string;
  roles: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** Permissions beyond those of the roles */
  permissions: string[];
  tenant_id: string;
  /** The tenant's, or the override of this account */
  tier: 'free' | 'pro' | 'enterprise';
  status: 'active' | 'invited' | 'deactivated';
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  last_seen_at: string | null;
  /** Once, when no password was given */
  invitation_url?: string;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface CreatedWebhook {
  id: string;
  url: string;
  events: string[];
  description: string | null;
  status: 'active' | 'disabled';
  /** gone: the receiver answered 410; failing: nothing was delivered for five days; key_deleted, account_inactive: whoever made or changed it cannot read for it any more, and who switches it on stands in for them */
  disabled_reason: 'gone' | 'failing' | 'manual' | 'key_deleted' | 'account_inactive' | null;
  /** ISO 8601 UTC with milliseconds */
  previous_secret_expires_at: string | null;
  created_by: string;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** whsec_…, shown this once */
  secret: string;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface DeleteConversationsRequest {
  ids: string[];
}

export interface DeleteConversationsResult {
  /** Those that are gone */
  deleted: string[];
  failed: DeleteConversationsResultFailed[];
}

export interface DeleteConversationsResultFailed {
  id: string;
  /** CONFLICT: a run of it has not ended */
  code: 'NOT_FOUND' | 'CONFLICT';
}

export interface DirectoryGroup {
  id: string;
  /** As the directory names it */
  name: string;
  /** Id in the directory */
  external_id: string | null;
  /** Roles that its members have by it */
  roles: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** How many people are in it */
  members: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
}

export interface Document {
  id: string;
  title: string;
  filename: string | null;
  /** Detected from the bytes */
  content_type: string;
  size_bytes: number;
  sha256: string;
  /** ISO 639-1 */
  language: string | null;
  chunk_count: number;
  page_count: number | null;
  /** private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant */
  visibility: 'private' | 'tenant' | 'role';
  /** Who may read it with the visibility role */
  roles: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by */
  metadata: Record<string, unknown>;
  created_by: string;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  indexed_at: string | null;
  /** Name in the source that it comes from */
  external_id: string | null;
  /** From 1; another with each replacement of the content */
  version: number;
  /** An administrator vouches for it: what is read of it does not mark a conversation */
  trusted: boolean;
  /** Pages that show something and have no text that can be read (scans, pictures), from 1 */
  unread_pages: number[];
  /** What the file holds and was left out on purpose: it is not searched */
  left_out: DocumentLeftOut[];
  /** Of its newest upload. A document whose content is being replaced is found and read in its present version all the while */
  status: 'processing' | 'indexed' | 'failed';
  /** How far the reading is; null: indexed */
  progress: DocumentProgress | null;
  /** Why the upload has failed, as an error of the API */
  error: DocumentError | null;
}

export interface DocumentChunk {
  id: string;
  document_id: string;
  /** From 0, in reading order */
  ordinal: number;
  content: string;
  /** From 1; null in types without pages */
  page: number | null;
  /** Title and headings above, outermost first */
  heading_path: string[];
  /** Offset into the text (`…/content?format=text`), in UTF-16 code units */
  start: number;
  /** Exclusive */
  end: number;
}

export interface DocumentError {
  code: string;
  message: string;
  details: Record<string, unknown>;
}

export interface DocumentLeftOut {
  what: 'hidden_text' | 'deleted_text' | 'hidden_rows' | 'hidden_columns' | 'hidden_sheets' | 'hidden_slides' | 'readings' | 'pictures' | 'attachments' | 'embedded_files' | 'comments' | 'navigation' | 'chapters' | 'far_cells' | 'page_furniture';
  /** How often it was met */
  count: number;
}

export interface DocumentProgress {
  /** Pages read; null in types without pages */
  pages_done: number | null;
  /** Of how many, once that is known */
  pages: number | null;
  /** Passages with their vectors */
  chunks_done: number;
  /** Of how many, once the file is read */
  chunks: number | null;
}

export interface EditMessageRequest {
  /** What the person says; the setting MAX_MESSAGE_CHARS may allow less */
  message: string;
  /** As in a chat request; absent: what was attached before, pictures as well */
  attachments?: ChatRequestAttachment[];
  /** A configured model; absent: as before */
  model?: string;
  /** The agent to answer; absent: as before */
  agent_id?: string;
}

export interface EraseUserDataResult {
  user_id: string;
  /** Records erased by feature */
  erased: Record<string, number>;
}

export interface ExportUserDataResult {
  user: User;
  /** ISO 8601 UTC with milliseconds */
  exported_at: string;
  /** Content by feature */
  data: Record<string, unknown>;
}

export interface ForgotPasswordRequest {
  email: string;
}

export interface ForkConversationRequest {
  /** The last message that the new conversation has, with all that it follows */
  message_id: string;
}

export interface GetMcpPromptRequest {
  prompt: string;
  arguments?: Record<string, string>;
}

export interface Health {
  status: 'ok';
  version: string;
  uptime_s: number;
}

export interface ImportConversationsRequest {
  /** As ChatGPT, Open WebUI, LibreChat or Pentarch exports them */
  conversations: (Record<string, unknown>)[];
}

export interface ImportConversationsResult {
  imported: number;
  /** Imported before, or twice in this export */
  skipped: number;
  failed: number;
  /** Of those that came in */
  conversation_ids: string[];
  /** The first 100 */
  errors: ImportConversationsResultError[];
}

export interface ImportConversationsResultError {
  /** Place in the export, from 0 */
  index: number;
  source_id: string | null;
  title: string | null;
  reason: string;
}

export interface ImportMcpServersRequest {
  /** The form that MCP clients share */
  mcpServers: Record<string, ImportMcpServersRequestMcpServer>;
}

export interface ImportMcpServersRequestMcpServer {
  type?: 'stdio' | 'http' | 'streamable-http' | 'sse';
  disabled?: boolean;
  /** Program of a stdio server; MCP_ALLOW_STDIO must name it */
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Address of an http server */
  url?: string;
  headers?: Record<string, string>;
  oauth?: CreateMcpServerRequestOauth;
  title?: string;
  enabled?: boolean;
  /** Longest time of a call that names none */
  timeout_ms?: number;
  policy?: CreateMcpServerRequestPolicy;
  access?: CreateMcpServerRequestAccess;
  /** You accept the tools that it lists at first, but for those that look like orders to the model (default false) */
  accept_tools?: boolean;
}

export interface ImportMcpServersResult {
  items: McpServer[];
}

export interface ImportMemoryResult {
  /** Lines that made an entity or added to one */
  entities: number;
  /** Lines that made a relation */
  relations: number;
  /** Lines that could not be read, or said nothing new */
  skipped: number;
}

export interface InviteUserResult {
  /** null when it went out by mail */
  url: string | null;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface ListDocumentTagsResult {
  items: ListDocumentTagsResultItem[];
}

export interface ListDocumentTagsResultItem {
  tag: string;
  /** Documents with this tag that the caller may read */
  documents: number;
}

export interface ListDocumentVersionsResult {
  items: ListDocumentVersionsResultItem[];
}

export interface ListDocumentVersionsResultItem {
  version: number;
  title: string;
  sha256: string;
  size_bytes: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
}

export interface ListFoldersResult {
  /** Folders that hold conversations, by name */
  items: ListFoldersResultItem[];
}

export interface ListFoldersResultItem {
  name: string;
  count: number;
}

export interface ListMcpPromptsResult {
  items: (Record<string, unknown>)[];
  /** Cut at 1 MB of JSON */
  truncated: boolean;
}

export interface ListMySessionsResult {
  items: ListMySessionsResultItem[];
  total: number;
}

export interface ListMySessionsResultItem {
  id: string;
  client_id: string;
  address: string | null;
  user_agent: string | null;
  /** The session of this request */
  current: boolean;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  last_used_at: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string;
}

export interface LoginRequest {
  email: string;
  password: string;
}

export interface McpCallPending {
  /** The Proposal that must be approved first */
  proposal: Record<string, unknown>;
}

export interface McpCallResult {
  call_id: string;
  server: string;
  tool: string;
  content: (Record<string, unknown>)[];
  structured_content: unknown;
  /** The tool itself reports a failure */
  is_error: boolean;
  /** Cut at 1 MB */
  truncated: boolean;
  duration_ms: number;
}

export interface McpServer {
  name: string;
  title: string;
  transport: 'stdio' | 'http' | 'builtin';
  source: 'builtin' | 'file' | 'api';
  enabled: boolean;
  status: 'connected' | 'connecting' | 'error' | 'disabled';
  tool_count: number;
  /** Tools that nobody has accepted as they are: each run that is told of them is marked with untrusted content */
  unaccepted_tools: number;
  protocol_version: string | null;
  server_info: ServerInfo | null;
  last_error: string | null;
  /** ISO 8601 UTC with milliseconds */
  connected_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  timeout_ms: number;
  /** For those with mcp:manage */
  policy?: Record<string, unknown>;
  /** For those with mcp:manage */
  access?: Record<string, unknown>;
}

export interface McpServerLogs {
  items: McpServerLogsItem[];
}

export interface McpServerLogsItem {
  /** ISO 8601 UTC with milliseconds */
  at: string;
  source: 'stderr' | 'client';
  text: string;
}

export interface McpTool {
  name: string;
  title: string | null;
  /** Text of the server: data, not instructions */
  description: string;
  input_schema: Record<string, unknown>;
  output_schema: Record<string, unknown> | null;
  annotations: Record<string, unknown> | null;
  policy: Policy;
  /** Not to be called until an operator accepts it */
  held_back: boolean;
  warnings: ('suspicious_text' | 'identical_name' | 'lookalike_name')[];
  fingerprint: string;
  /** Of a changed tool: what was accepted or first seen of it */
  accepted: McpToolAccepted | null;
}

export interface McpToolAccepted {
  title: string | null;
  description: string;
  input_schema: Record<string, unknown>;
  output_schema: Record<string, unknown> | null;
  annotations: Record<string, unknown> | null;
}

export interface MemoryEntity {
  id: string;
  name: string;
  entity_type: string;
  /** private: of one user; tenant: shared with all of the tenant */
  visibility: 'private' | 'tenant';
  /** The user whose memory it is; null when the tenant shares it */
  owner_id: string | null;
  /** Oldest first, those that no longer hold included */
  observations: Observation[];
  /** As it stands now: it fades while it is not used */
  importance: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
}

export interface MemoryGraph {
  entities: MemoryEntity[];
  relations: MemoryRelation[];
  /** True when more was reachable than is answered */
  truncated: boolean;
}

export interface MemoryPreference {
  /** Of the observation that keeps it: corrected and deleted there */
  id: string;
  /** The entity of the caller, which holds the observation */
  entity_id: string;
  /** Null for what is kept in other words, and for what the person is called */
  name: 'language' | 'tone' | 'answer_length' | 'format' | 'units' | 'time_zone' | 'date_format' | 'form_of_address' | 'theme' | 'other' | null;
  /** Null where the text has another form */
  value: string | null;
  /** As the agents read it */
  text: string;
  /** Told to the agents with every message: the newest 20 are */
  told: boolean;
  /** Where a fact comes from */
  source: ObservationSource;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
}

export interface MemoryRelation {
  id: string;
  from_entity_id: string;
  to_entity_id: string;
  relation_type: string;
  properties: Record<string, unknown>;
  visibility: 'private' | 'tenant';
  /** ISO 8601 UTC with milliseconds */
  valid_from: string;
  /** ISO 8601 UTC with milliseconds */
  valid_to: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
}

export interface MergeMemoryEntitiesRequest {
  /** The entity that is taken in and then gone */
  entity_id: string;
}

export interface Message {
  id: string;
  conversation_id: string;
  role: 'user' | 'assistant' | 'tool';
  content: string;
  agent_id: string | null;
  tool_calls: ToolCall[];
  citations: Citation[];
  usage: Usage | null;
  /** For answers: the model, and whether it is the built-in one; for questions: the agent_id, model and attached_documents that were asked for */
  metadata: Record<string, unknown>;
  /** Documents that were sent with it; one that has been deleted since is named all the same */
  attachments: MessageAttachment[];
  /** Pictures that were sent with it, where there are some; without metadata */
  pictures?: MessagePicture[];
  /** How the answer ended; on a question only where its run ended without an answer. null where nothing is known, as of imported messages */
  finish_reason: 'stop' | 'length' | 'cancelled' | 'awaiting_approval' | 'cost_exceeded' | 'tool_calls' | 'failed' | 'interrupted' | null;
  /** Why it failed or was interrupted; null otherwise */
  error: MessageError | null;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  run_id: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** The message that it follows; null for a first one, and while it waits for its turn */
  parent_id: string | null;
  /** Its place among the messages that follow the same one: versions of a question or an answer */
  siblings: MessageSiblings;
  /** It stands in the branch that is shown and goes to the model */
  active: boolean;
}

export interface MessageAttachment {
  document_id: string;
  /** Of the document when it was attached */
  title: string;
}

export interface MessageError {
  code: string;
  message: string;
}

export interface MessagePicture {
  /** Its bytes: GET /conversations/{id}/pictures/{picture_id} */
  id: string;
  name: string;
  media_type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** As it is shown, in pixels */
  width: number;
  height: number;
  size_bytes: number;
}

export interface MessageSiblings {
  /** From 0, oldest first */
  index: number;
  count: number;
}

export interface Model {
  /** What `context.model` of a chat takes */
  id: string;
  provider: string;
  /** Answers where nobody names a model */
  default: boolean;
  /** Runs on this machine and costs nothing */
  local: boolean;
  /** False while the provider fails: then the fallback models answer in its place */
  available: boolean;
  /** It, or a fallback of it, sees the pictures of a message */
  vision: boolean;
  /** Prompt and answer together; the least of the model and its fallbacks */
  context_tokens: number;
  price: ModelPrice;
}

export interface ModelPrice {
  /** US dollars per million prompt tokens */
  input: number;
  /** US dollars per million prompt tokens that the provider had cached */
  cached_input: number;
  /** US dollars per million tokens of the answer */
  output: number;
  /** True where no price is known and the configured default is taken */
  estimated: boolean;
}

export interface MoveUserRequest {
  /** Tenant that the person goes to */
  tenant_id: string;
  roles?: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
}

export interface MoveUserResult {
  id: string;
  type: 'person' | 'service';
  email: string;
  name: string;
  roles: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** Permissions beyond those of the roles */
  permissions: string[];
  tenant_id: string;
  /** The tenant's, or the override of this account */
  tier: 'free' | 'pro' | 'enterprise';
  status: 'active' | 'invited' | 'deactivated';
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  last_seen_at: string | null;
  /** The account before: deactivated, with everything that was written in its tenant */
  moved_from: string;
}

export interface Notification {
  id: string;
  category: 'tasks' | 'proposals' | 'costs' | 'documents' | 'agents' | 'system';
  level: 'info' | 'warning' | 'critical';
  title: string;
  body: string;
  /** Ids of what it is about */
  data: Record<string, unknown>;
  read: boolean;
  /** ISO 8601 UTC with milliseconds */
  read_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
}

export interface NotificationPreferences {
  categories: NotificationPreferencesCategories;
  /** Address that mails go to */
  email: string;
  email_available: boolean;
}

export interface NotificationPreferencesCategories {
  tasks: NotificationPreferencesCategoriesTasks;
  proposals: NotificationPreferencesCategoriesTasks;
  costs: NotificationPreferencesCategoriesTasks;
  documents: NotificationPreferencesCategoriesTasks;
  agents: NotificationPreferencesCategoriesTasks;
  system: NotificationPreferencesCategoriesTasks;
}

export interface NotificationPreferencesCategoriesTasks {
  /** In the inbox, and on open WebSockets */
  inbox: boolean;
  /** By e-mail, where the platform has a mail server */
  email: boolean;
  /** To the webhooks of the tenant that subscribe to notification */
  webhook: boolean;
}

export interface OauthClient {
  client_id: string;
  name: string;
  type: 'public' | 'confidential';
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  /** Signs people in by a code that they type on another device */
  device_flow: boolean;
  /** The service account that a confidential client acts as with client_credentials */
  service_user_id: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
}

export interface Observation {
  id: string;
  text: string;
  /** Where a fact comes from */
  source: ObservationSource;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  valid_from: string;
  /** Null while it holds; set when a newer statement took its place */
  valid_to: string | null;
}

export interface ObservationSource {
  /** message: taken from what the user wrote; api, import: given by a client; agent: stored by an agent’s tool; untrusted: the same while foreign content was in its run; merge: made when two entities were joined */
  kind: 'message' | 'api' | 'agent' | 'import' | 'merge' | 'untrusted';
  /** The message that it was taken from */
  message_id: string | null;
  conversation_id: string | null;
  /** Id of the user who said it */
  user: string;
}

export interface OpenShareResult {
  title: string | null;
  audience: 'tenant' | 'link';
  /** ISO 8601 UTC with milliseconds */
  shared_at: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string;
  /** Oldest first */
  messages: OpenShareResultMessage[];
}

export interface OpenShareResultMessage {
  role: 'user' | 'assistant';
  content: string;
  agent_name: string | null;
  /** In the order of the marks [1], [2] … in content */
  citations: OpenShareResultMessageCitation[];
  /** Titles of documents that were sent with it; null: of one that the reader cannot read */
  attachments: (string | null)[];
  /** How the answer ended; stop: it is whole */
  finish_reason: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
}

export interface OpenShareResultMessageCitation {
  /** null: of a document that the reader cannot read */
  title: string | null;
  page: number | null;
}

export interface PersonalToken {
  id: string;
  name: string;
  /** First characters of the secret */
  hint: string;
  /** null: all that the owner may */
  permissions: string[] | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  last_used_at: string | null;
  /** The secret, shown only now */
  token: string;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface Policy {
  cost_usd: number;
  risk: 'low' | 'medium' | 'high' | 'critical';
  flags: ('security' | 'legal' | 'irreversible' | 'personal_data')[];
  approval: 'auto' | 'pentarchy' | 'human';
  pinned: 'accepted' | 'changed' | 'new';
}

export interface Proposal {
  id: string;
  action: string;
  description: string;
  /** What the action costs the company, US dollars */
  estimated_cost: number;
  risk: 'low' | 'medium' | 'high' | 'critical';
  flags: ('security' | 'legal' | 'irreversible' | 'personal_data')[];
  status: 'voting' | 'awaiting_human' | 'approved' | 'rejected' | 'vetoed' | 'expired' | 'cancelled';
  /** Why it stands as it does */
  reason: string | null;
  votes: Vote[];
  tally: Tally;
  requested_by: string;
  /** It waits for the person who asked, and for nobody else: POST …/confirm */
  asks_requester: boolean;
  /** Untrusted content stood in the conversation that it comes from */
  tainted: boolean;
  agent_id: string | null;
  conversation_id: string | null;
  run_id: string | null;
  tool: ProposalTool | null;
  /** null where there is no tool call, or it was turned down */
  execution: ProposalExecution | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string;
  /** ISO 8601 UTC with milliseconds */
  decided_at: string | null;
  /** User id, pentarchy, policy or time */
  decided_by: string | null;
}

export interface ProposalExecution {
  /** unknown: the server stopped during the call; it is not tried again */
  status: 'pending' | 'running' | 'completed' | 'failed' | 'unknown';
  result: unknown;
  error: string | null;
}

export interface ProposalTool {
  server: string;
  name: string;
  arguments: Record<string, unknown>;
}

export interface RateMessageRequest {
  rating: 'up' | 'down';
  comment?: string | null;
}

export interface RateMessageResult {
  message_id: string;
  rating: 'up' | 'down';
  comment: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
}

export interface Readiness {
  status: 'ready' | 'not_ready';
  checks: ReadinessChecks;
}

export interface ReadinessChecks {
  store: ReadinessChecksStore;
  redis: ReadinessChecksStore;
  disk: ReadinessChecksStore;
  migrations: ReadinessChecksStore;
  models: ReadinessChecksStore;
  embeddings: ReadinessChecksStore;
  identity: ReadinessChecksStore;
  mcp: ReadinessChecksStore;
  queue: ReadinessChecksStore;
}

export interface ReadinessChecksStore {
  status: 'ok' | 'degraded' | 'failed';
  detail?: string;
}

export interface RefreshTokenRequest {
  refresh_token: string;
}

export interface RegenerateMessageRequest {
  /** A configured model; absent: as before */
  model?: string;
  /** The agent to answer; absent: as before */
  agent_id?: string;
}

export interface RenameFolderRequest {
  name: string;
  to: string | null;
}

export interface RenameFolderResult {
  /** How many conversations stand in another folder, or in none, now */
  changed: number;
}

export interface ResetPasswordRequest {
  token: string;
  password: string;
}

export interface RotateApiKeyRequest {
  /** Seconds for which the old secret still works (default 86400) */
  overlap_s?: number;
}

export interface Run {
  id: string;
  conversation_id: string;
  /** Id of the answer */
  message_id: string;
  status: 'queued' | 'running' | 'awaiting_approval' | 'completed' | 'failed' | 'cancelled' | 'cost_exceeded';
  agent_ids: string[];
  usage: Usage;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  error: DocumentError | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  finished_at: string | null;
}

export interface SearchRequest {
  query: string;
  /** Default 10 */
  limit?: number;
  filters?: SearchRequestFilters;
  /** Memory entities too (default false) */
  include_memories?: boolean;
}

export interface SearchRequestFilters {
  document_ids?: string[];
  /** e.g. `pdf` or `application/pdf`; any of them */
  content_types?: string[];
  /** Any of them */
  tags?: string[];
  /** ISO 8601 UTC with milliseconds */
  created_after?: string;
  /** ISO 8601 UTC with milliseconds */
  created_before?: string;
  /** Fields that must be equal; a list contains the value */
  metadata?: Record<string, unknown>;
}

export interface SearchResponse {
  query: string;
  results: SearchResponseResult[];
  took_ms: number;
}

export interface SearchResponseResult {
  type: 'document' | 'memory';
  /** Chunk id, or memory entity id */
  id: string;
  /** 0–1, comparable within an answer */
  score: number;
  document_id: string | null;
  chunk_id: string | null;
  title: string;
  content: string;
  page: number | null;
  /** Stretches of the content with most of the words, as plain text */
  highlights: string[];
  /** Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by */
  metadata: Record<string, unknown>;
}

export interface ServerInfo {
  name: string;
  version: string;
}

export interface SetCostLimitsRequest {
  limits: SetCostLimitsRequestLimit[];
}

export interface SetCostLimitsRequestLimit {
  scope: 'tenant' | 'user' | 'agent' | 'run';
  /** User or agent id; nothing for tenant and run */
  subject?: string;
  period: 'day' | 'month' | 'run';
  /** At most nine decimal places; 0 allows nothing that costs, null removes the limit */
  limit_usd: number | null;
}

export interface SetDirectoryGroupRolesRequest {
  /** None: the group gives no role */
  roles: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
}

export interface SetMemoryPreferenceRequest {
  /** language: language of answers; tone: formal, friendly, …; answer_length: short, detailed, …; format: bullet points, tables, …; units: metric or imperial; time_zone: IANA name, e.g. Europe/Madrid; date_format: e.g. 31.12.2026; form_of_address: what the person wants to be called; theme: dark or light; other: anything else, as a predicate */
  name: 'language' | 'tone' | 'answer_length' | 'format' | 'units' | 'time_zone' | 'date_format' | 'form_of_address' | 'theme' | 'other';
  /** A new value takes the place of the old one; other keeps several */
  value: string;
}

export interface Share {
  id: string;
  conversation_id: string;
  audience: 'tenant' | 'link';
  /** Of the conversation when it was shared */
  title: string | null;
  /** The last message that is shown */
  up_to_message_id: string;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string;
}

export interface ShareConversationRequest {
  /** tenant: whoever is signed in in the tenant and has the link. link: whoever has the link; only where the setting SHARE_LINKS allows it */
  audience: 'tenant' | 'link';
  /** When it can be read no longer; by default in 30 days, at the most SHARE_MAX_DAYS */
  expires_at?: string;
  /** The last message that is shown, with all that it follows; absent: the last one of the active branch */
  up_to_message_id?: string;
}

export interface ShareConversationResult {
  id: string;
  conversation_id: string;
  audience: 'tenant' | 'link';
  /** Of the conversation when it was shared */
  title: string | null;
  /** The last message that is shown */
  up_to_message_id: string;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  expires_at: string;
  /** Opens it at GET shares/{token}; shown only now */
  token: string;
  /** The page of the console that shows it; shown only now */
  url: string;
  /** True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one */
  secret_withheld?: boolean;
}

export interface Tally {
  approve: number;
  reject: number;
  abstain: number;
  needed: number;
  seats: number;
}

export interface Task {
  id: string;
  description: string;
  agent_id: string | null;
  context: Record<string, unknown> | null;
  priority: 'low' | 'normal' | 'high' | 'urgent';
  /** ISO 8601 UTC with milliseconds */
  scheduled_at: string | null;
  cron: string | null;
  timezone: string;
  /** A slot that comes due while the last run goes on: left out, or run afterwards (default skip) */
  overlap: 'skip' | 'queue';
  /** Slots missed while the platform was down: one run for all of them, or none (default run_once) */
  missed: 'run_once' | 'skip';
  status: 'scheduled' | 'queued' | 'running' | 'awaiting_approval' | 'completed' | 'failed' | 'cancelled';
  progress: TaskProgress | null;
  result: TaskResult | null;
  error: MessageError | null;
  /** Of the newest run */
  attempts: number;
  /** Chat runs, newest last, at most 50 */
  run_ids: string[];
  /** ISO 8601 UTC with milliseconds */
  next_run_at: string | null;
  /** While true next_run_at is null */
  paused: boolean;
  created_by: string;
  /** The task whose run has made it */
  parent_task_id: string | null;
  /** 1: made by a person or in a chat; 2: by a run of such a task */
  depth: number;
  /** Made by a run that held untrusted content (its own runs then ask before they reach out or change own things), or one of its runs has read such content: who reads the task by a tool has that mark */
  tainted: boolean;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
  /** ISO 8601 UTC with milliseconds */
  finished_at: string | null;
}

export interface TaskProgress {
  /** 100 when done; null while nobody can know */
  percent: number | null;
  /** What goes on: an agent, a tool */
  step: string | null;
  tool_calls: number;
  /** Of the answer so far */
  characters: number;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
}

export interface TaskResult {
  content: string;
  run_id: string;
  conversation_id: string;
  message_id: string;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
}

export interface TaskRun {
  id: string;
  task_id: string;
  status: 'queued' | 'running' | 'awaiting_approval' | 'completed' | 'failed' | 'cancelled' | 'skipped';
  /** ISO 8601 UTC with milliseconds */
  scheduled_for: string;
  attempts: number;
  /** One chat run for each attempt */
  run_ids: string[];
  conversation_id: string | null;
  result: TaskResult | null;
  error: MessageError | null;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  started_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  finished_at: string | null;
}

export interface Tenant {
  id: string;
  name: string;
  slug: string;
  tier: 'free' | 'pro' | 'enterprise';
  status: 'active' | 'suspended';
  settings: Record<string, unknown>;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
}

export interface TestMcpServerRequest {
  transport: 'stdio' | 'http';
  /** Program of a stdio server; MCP_ALLOW_STDIO must name it */
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Address of an http server */
  url?: string;
  headers?: Record<string, string>;
  oauth?: CreateMcpServerRequestOauth;
}

export interface TestMcpServerResult {
  ok: boolean;
  error: string | null;
  protocol_version: string | null;
  server_info: ServerInfo | null;
  tools: TestMcpServerResultTool[];
  log: string[];
}

export interface TestMcpServerResultTool {
  name: string;
  description: string;
}

export interface TokenResponse {
  /** JWT for the Authorization header */
  access_token: string;
  /** For one use; the answer brings its successor */
  refresh_token: string;
  token_type: 'bearer';
  /** Seconds until the access token expires */
  expires_in: number;
}

export interface ToolCall {
  id: string;
  agent_id: string | null;
  server: string;
  name: string;
  arguments: Record<string, unknown>;
  /** handed_over: a tool of the client (server "client"), which runs it itself */
  status: 'completed' | 'failed' | 'denied' | 'awaiting_approval' | 'unknown' | 'handed_over';
  /** What the tool answered; null where it did not */
  result: unknown;
  error: string | null;
  duration_ms: number;
  /** US dollars, exact to 1e-9 */
  cost_usd: number;
}

export interface UpdateAgentRequest {
  enabled?: boolean;
  model?: string | null;
  instructions?: string | null;
  all_tools?: boolean;
}

export interface UpdateConversationRequest {
  title?: string | null;
  metadata?: Record<string, unknown>;
  pinned?: boolean;
  folder?: string | null;
  /** Picks the branch that leads through this message, down to its newest one; 409 during a turn */
  active_message_id?: string;
}

export interface UpdateDocumentRequest {
  title?: string;
  /** Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by */
  metadata?: Record<string, unknown>;
  /** private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant */
  visibility?: 'private' | 'tenant' | 'role';
  /** Who may read it with the visibility role */
  roles?: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** An administrator vouches for the document as it is (`knowledge:manage`): what is read of it does not mark a conversation. Other content or another title sets it back */
  trusted?: boolean;
  /** The version that was looked at; with another present one 409 */
  seen_version?: number;
}

export interface UpdateMcpServerRequest {
  /** Program of a stdio server; MCP_ALLOW_STDIO must name it */
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  /** Address of an http server */
  url?: string;
  headers?: Record<string, string>;
  oauth?: CreateMcpServerRequestOauth;
  title?: string;
  enabled?: boolean;
  /** Longest time of a call that names none */
  timeout_ms?: number;
  policy?: CreateMcpServerRequestPolicy;
  access?: CreateMcpServerRequestAccess;
}

export interface UpdateMemoryEntityRequest {
  /** New name; 409 when another entity of the type has it */
  name?: string;
  /** New type */
  entity_type?: string;
  importance?: number;
  /** Shares an own entity with the tenant; needs memory:* */
  visibility?: 'tenant';
}

export interface UpdateMemoryRelationRequest {
  /** New type */
  relation_type?: string;
  properties?: Record<string, unknown>;
  /** ISO 8601 UTC with milliseconds */
  valid_from?: string;
  /** Ends the relation; null lets it hold again */
  valid_to?: string | null;
}

export interface UpdateMyUserRequest {
  name?: string;
}

export interface UpdateNotificationPreferencesRequest {
  categories: UpdateNotificationPreferencesRequestCategories;
}

export interface UpdateNotificationPreferencesRequestCategories {
  tasks?: UpdateNotificationPreferencesRequestCategoriesTasks;
  proposals?: UpdateNotificationPreferencesRequestCategoriesTasks;
  costs?: UpdateNotificationPreferencesRequestCategoriesTasks;
  documents?: UpdateNotificationPreferencesRequestCategoriesTasks;
  agents?: UpdateNotificationPreferencesRequestCategoriesTasks;
  system?: UpdateNotificationPreferencesRequestCategoriesTasks;
}

export interface UpdateNotificationPreferencesRequestCategoriesTasks {
  /** In the inbox, and on open WebSockets */
  inbox?: boolean;
  /** By e-mail, where the platform has a mail server */
  email?: boolean;
  /** To the webhooks of the tenant that subscribe to notification */
  webhook?: boolean;
}

export interface UpdateTaskRequest {
  /** What is to be done, as one would tell an agent */
  description?: string;
  /** Agent that does it; absent: Zeus chooses */
  agent_id?: string | null;
  /** Up to 32 KiB, given to the agent as data; model picks a configured model */
  context?: Record<string, unknown> | null;
  priority?: 'low' | 'normal' | 'high' | 'urgent';
  scheduled_at?: string;
  /** Five fields, names allowed: 0 9 * * MON-FRI */
  cron?: string;
  /** IANA time zone of cron (default UTC) */
  timezone?: string;
  /** A slot that comes due while the last run goes on: left out, or run afterwards (default skip) */
  overlap?: 'skip' | 'queue';
  /** Slots missed while the platform was down: one run for all of them, or none (default run_once) */
  missed?: 'run_once' | 'skip';
  /** true: no slot is taken any more; false: goes on with the next one from now */
  paused?: boolean;
}

export interface UpdateTenantRequest {
  name?: string;
  slug?: string;
  tier?: 'free' | 'pro' | 'enterprise';
  status?: 'active' | 'suspended';
  /** `timezone` (IANA) is what days and months of costs go by; the rest is free, up to 32 KiB */
  settings?: Record<string, unknown>;
}

export interface UpdateUserRequest {
  name?: string;
  roles?: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** Permissions beyond those of the roles */
  permissions?: ('chat:write' | 'conversations:read' | 'conversations:write' | 'agents:read' | 'agents:manage' | 'knowledge:read' | 'knowledge:write' | 'knowledge:manage' | 'memory:read' | 'memory:write' | 'mcp:read' | 'mcp:call' | 'mcp:manage' | 'governance:read' | 'governance:propose' | 'governance:vote' | 'tasks:read' | 'tasks:write' | 'costs:read' | 'costs:manage' | 'analytics:read' | 'audit:read' | 'webhooks:read' | 'webhooks:manage' | 'notifications:read' | 'notifications:write' | 'keys:read' | 'keys:write' | 'profile:write' | 'users:read' | 'users:manage' | 'tenants:read' | 'tenants:manage' | 'clients:manage' | 'scim:manage')[];
  tier?: 'free' | 'pro' | 'enterprise' | null;
  status?: 'active' | 'deactivated';
}

export interface UpdateWebhookRequest {
  /** Public https address; loopback, private, link-local and metadata addresses are refused */
  url?: string;
  /** Types of events, or * for all */
  events?: ('*' | 'conversation.completed' | 'message.created' | 'proposal.created' | 'proposal.decided' | 'task.completed' | 'task.failed' | 'document.indexed' | 'document.failed' | 'cost.alert' | 'cost.limit_reached' | 'agent.state_changed' | 'user.created' | 'notification')[];
  description?: string | null;
  /** active switches a disabled one on again */
  status?: 'active' | 'disabled';
}

export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  reasoning_tokens: number;
}

export interface User {
  id: string;
  type: 'person' | 'service';
  email: string;
  name: string;
  roles: ('admin' | 'operator' | 'analyst' | 'user' | 'readonly')[];
  /** Permissions beyond those of the roles */
  permissions: string[];
  tenant_id: string;
  /** The tenant's, or the override of this account */
  tier: 'free' | 'pro' | 'enterprise';
  status: 'active' | 'invited' | 'deactivated';
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  last_seen_at: string | null;
}

export interface VerifyAuditResult {
  ok: boolean;
  /** Rows whose place in the chain was proved */
  events: number;
  /** seq of the first row that does not fit */
  broken_at: number | null;
  reason: string | null;
  /** Rows signed with the key of the platform; those before the first one are chained alone */
  signed: number;
}

export interface Vote {
  /** Agent id or user id */
  voter: string;
  voter_type: 'agent' | 'user';
  seat: 'athena' | 'hermes' | 'aegis' | 'hephaestus' | 'prometheus' | null;
  vote: 'approve' | 'reject' | 'abstain';
  reason: string;
  veto_reason: 'security_risk' | 'data_breach' | 'compliance' | 'personal_data' | null;
  confidence: number | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
}

export interface VoteOnProposalRequest {
  vote: 'approve' | 'reject' | 'abstain';
  reason?: string;
  /** Default: the first whose agent has not approved */
  seat?: 'athena' | 'hermes' | 'aegis' | 'hephaestus' | 'prometheus';
}

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  description: string | null;
  status: 'active' | 'disabled';
  /** gone: the receiver answered 410; failing: nothing was delivered for five days; key_deleted, account_inactive: whoever made or changed it cannot read for it any more, and who switches it on stands in for them */
  disabled_reason: 'gone' | 'failing' | 'manual' | 'key_deleted' | 'account_inactive' | null;
  /** ISO 8601 UTC with milliseconds */
  previous_secret_expires_at: string | null;
  created_by: string;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  updated_at: string;
}

export interface WebhookDelivery {
  /** The webhook-id header of all attempts */
  id: string;
  webhook_id: string;
  event: string;
  status: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** switched_off: the webhook was; not_allowed: it may not read the record any more */
  cancelled_reason: 'switched_off' | 'not_allowed' | null;
  attempts: number;
  /** Of the last attempt */
  response_status: number | null;
  /** ISO 8601 UTC with milliseconds */
  next_attempt_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  finished_at: string | null;
}

export interface WebhookDeliveryDetail {
  /** The webhook-id header of all attempts */
  id: string;
  webhook_id: string;
  event: string;
  status: 'pending' | 'delivered' | 'failed' | 'cancelled';
  /** switched_off: the webhook was; not_allowed: it may not read the record any more */
  cancelled_reason: 'switched_off' | 'not_allowed' | null;
  attempts: number;
  /** Of the last attempt */
  response_status: number | null;
  /** ISO 8601 UTC with milliseconds */
  next_attempt_at: string | null;
  /** ISO 8601 UTC with milliseconds */
  created_at: string;
  /** ISO 8601 UTC with milliseconds */
  finished_at: string | null;
  /** What is sent, the first 16 KiB; absent for readers who may not read the record that it tells of */
  request_body?: string;
  /** Why there is no request_body, and nothing of what the receiver said */
  body_withheld?: string;
  log: WebhookDeliveryDetailLog[];
}

export interface WebhookDeliveryDetailLog {
  /** ISO 8601 UTC with milliseconds */
  attempted_at: string;
  duration_ms: number;
  request: WebhookDeliveryDetailLogRequest;
  response: WebhookDeliveryDetailLogResponse | null;
  error: string | null;
}

export interface WebhookDeliveryDetailLogRequest {
  /** Without the signature */
  headers: Record<string, unknown>;
}

export interface WebhookDeliveryDetailLogResponse {
  status: number;
  headers: Record<string, unknown>;
  /** The first 4 KiB */
  body: string;
}

export type ListUsersAsAdminQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** Part of the name or e-mail */
  q?: string;
  status?: 'active' | 'invited' | 'deactivated';
  type?: 'person' | 'service';
};

export type ListUsersQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** Part of the name or e-mail */
  q?: string;
  status?: 'active' | 'invited' | 'deactivated';
  type?: 'person' | 'service';
};

export type ListPersonalTokensQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListAgentsQuery = {
  /** Default 1 */
  page?: number;
  /** Default 20 */
  limit?: number;
};

export type ListAgentSuggestionsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  status?: 'open' | 'accepted' | 'rejected';
  agent_id?: string;
};

export type GetAgentMetricsQuery = {
  /** Default 24h */
  window?: '1h' | '24h' | '7d' | '30d';
};

export type ListConversationsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** Default active */
  status?: 'active' | 'archived' | 'unlisted';
  /** Searches titles and messages; each conversation has the newest message found as its hit */
  q?: string;
  /** true: those that are pinned; false: the others */
  pinned?: boolean;
  folder?: string;
  /** tenant: of everybody, for operators and admins. Default me */
  scope?: 'me' | 'tenant';
};

export type ListFoldersQuery = {
  /** Counts these alone. Default: all */
  status?: 'active' | 'archived';
};

export type ArchiveConversationQuery = {
  /** Deletes it for good, archived or not, with all its messages and runs */
  permanent?: boolean;
};

export type ExportConversationQuery = {
  /** Default json */
  format?: 'json' | 'markdown';
};

export type ListMessagesQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** asc: oldest first (default) */
  order?: 'asc' | 'desc';
  /** all: with the messages of other branches. Default active */
  branches?: 'active' | 'all';
};

export type ListSharesQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type GetCostUsageQuery = {
  /** Running period in the time zone of the tenant; default month, or custom with from and to */
  period?: 'day' | 'week' | 'month' | 'custom';
  /** ISO 8601 time, or date (from its beginning) */
  from?: string;
  /** ISO 8601 time (exclusive), or date (to its end) */
  to?: string;
  /** Default me; tenant needs the role analyst, operator or admin */
  scope?: 'me' | 'tenant';
  /** Page of by_user, the dearest first; default 1 */
  users_page?: number;
  /** Users on a page; default 100 */
  users_limit?: number;
};

export type ExportCostUsageQuery = {
  /** Running period in the time zone of the tenant; default month, or custom with from and to */
  period?: 'day' | 'week' | 'month' | 'custom';
  /** ISO 8601 time, or date (from its beginning) */
  from?: string;
  /** ISO 8601 time (exclusive), or date (to its end) */
  to?: string;
  /** Default me; tenant needs the role analyst, operator or admin */
  scope?: 'me' | 'tenant';
  /** Page of by_user, the dearest first; default 1 */
  users_page?: number;
  /** Users on a page; default 100 */
  users_limit?: number;
};

export type ListProposalsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  status?: 'voting' | 'awaiting_human' | 'approved' | 'rejected' | 'vetoed' | 'expired' | 'cancelled';
  run_id?: string;
  conversation_id?: string;
};

export type ListDocumentsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** Comma-separated; documents with any of them */
  tags?: string;
  /** Comma-separated, e.g. `pdf` or `application/pdf`; any of them */
  content_type?: string;
  /** Part of the title or file name */
  q?: string;
  /** indexed: what can be found and of which no upload is on its way or has failed (without a status: all that can be found); processing, failed: own uploads that are read in the background (operators and admins: those of the tenant), as far as is known of them before they are read */
  status?: 'indexed' | 'processing' | 'failed';
};

export type ListDocumentChunksQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type GetDocumentContentQuery = {
  /** original (default): the bytes as uploaded; text: the text read from them */
  format?: 'original' | 'text';
};

export type ListMcpServersQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ReadMcpResourceQuery = {
  uri: string;
};

export type ListMcpToolsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListMemoryEntitiesQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** Part of the name or of an observation, in any case */
  q?: string;
  /** Entity type */
  type?: string;
};

export type GetMemoryGraphQuery = {
  /** Where to start; all that the caller may read without it */
  entity_id?: string;
  /** Steps from the start (default 1) */
  depth?: number;
  /** What held at this time (default now) */
  at?: string;
  /** Entities at most (default 200), with up to five relations for each */
  limit?: number;
};

export type ImportMemoryQuery = {
  /** Default private; tenant needs memory:* */
  visibility?: 'private' | 'tenant';
};

export type ListMemoryPreferencesQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListMemoryRelationsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** Either end of the relation */
  entity_id?: string;
  /** Relation type */
  type?: string;
  /** Only what holds at this time */
  at?: string;
};

export type ListModelsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListNotificationsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** true: only what has not been read */
  unread?: boolean;
  category?: 'tasks' | 'proposals' | 'costs' | 'documents' | 'agents' | 'system';
};

export type ListTasksQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  status?: 'scheduled' | 'queued' | 'running' | 'awaiting_approval' | 'completed' | 'failed' | 'cancelled';
  agent_id?: string;
};

export type ListTaskRunsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListWebhooksQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListWebhookDeliveriesQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  status?: 'pending' | 'delivered' | 'failed' | 'cancelled';
  event?: string;
};

export type ListAuditEventsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
  /** Id of who acted */
  actor?: string;
  /** Whole action, or its beginning up to a dot */
  action?: string;
  outcome?: 'success' | 'refused' | 'failed';
  /** Id of what was acted on */
  target?: string;
  /** ISO 8601 UTC with milliseconds */
  from?: string;
  /** ISO 8601 UTC with milliseconds */
  to?: string;
};

export type ListApiKeysQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListDirectoryGroupsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListOauthClientsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};

export type ListTenantsQuery = {
  /** Page number, from 1 (default 1) */
  page?: number;
  /** Items per page (default 20) */
  limit?: number;
  /** next_cursor of the answer before, in place of page */
  cursor?: string;
};
