// Code generated from api/openapi.json by sdk/codegen. DO NOT EDIT.

package pentarch

import "net/url"

// AcceptMCPToolRequest is a model of the API.
type AcceptMCPToolRequest struct {
	// Of the tool as it was looked at
	Fingerprint *string `json:"fingerprint,omitempty"`
}

// AcceptMCPToolsRequest is a model of the API.
type AcceptMCPToolsRequest struct {
	// By tool, of what was looked at; without it, all that are new
	Fingerprints map[string]string `json:"fingerprints,omitzero"`
}

// AddMemoryObservationsRequest is a model of the API.
type AddMemoryObservationsRequest struct {
	// One fact
	Text         *string `json:"text,omitempty"`
	Observations []any   `json:"observations,omitzero"`
}

// AgentMetrics is a model of the API.
type AgentMetrics struct {
	// One of: 1h, 24h, 7d, 30d.
	Window string `json:"window"`
	// Runs that this agent answered
	Requests int64 `json:"requests"`
	// Runs that completed
	Successes int64 `json:"successes"`
	// Runs that failed
	Failures int64 `json:"failures"`
	// Successes of all finished, 0–1
	SuccessRate *float64 `json:"success_rate"`
	// Runs going on now
	ActiveRuns   int64                    `json:"active_runs"`
	LatencyMS    AgentMetricsLatencyMS    `json:"latency_ms"`
	FirstTokenMS AgentMetricsFirstTokenMS `json:"first_token_ms"`
	// Tokens read
	InputTokens int64 `json:"input_tokens"`
	// Tokens written
	OutputTokens int64 `json:"output_tokens"`
	// US dollars
	CostUSD float64 `json:"cost_usd"`
	// Tool calls made
	ToolCalls    int64   `json:"tool_calls"`
	LastActiveAt *string `json:"last_active_at"`
}

// AgentMetricsFirstTokenMS is a model of the API.
type AgentMetricsFirstTokenMS struct {
	// Median in ms
	P50 *float64 `json:"p50"`
	// 95th percentile in ms
	P95 *float64 `json:"p95"`
}

// AgentMetricsLatencyMS is a model of the API.
type AgentMetricsLatencyMS struct {
	// Mean in ms
	Avg *float64 `json:"avg"`
	// Median in ms
	P50 *float64 `json:"p50"`
	// 95th percentile in ms
	P95 *float64 `json:"p95"`
	// 99th percentile in ms
	P99 *float64 `json:"p99"`
}

// AgentStatus is a model of the API.
type AgentStatus struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Domain string `json:"domain"`
	// One of: idle, busy, degraded, disabled.
	State       string `json:"state"`
	Enabled     bool   `json:"enabled"`
	Description string `json:"description"`
	// What the agent’s seat in the Pentarchy looks at; null without a seat
	Seat *string `json:"seat"`
	// Model of this agent; null = the default
	Model *string `json:"model"`
	// Instructions of this tenant, added to the charter
	Instructions *string `json:"instructions"`
	// Its model is told of all its tools with each call; else of a few, and finds the others
	AllTools bool `json:"all_tools"`
	// Measured from runs; a figure without data is null
	Metrics AgentMetrics `json:"metrics"`
}

// AgentSuggestion is a model of the API.
type AgentSuggestion struct {
	ID      string `json:"id"`
	AgentID string `json:"agent_id"`
	// Text that accepting adds to the agent’s instructions
	Instruction string  `json:"instruction"`
	Reason      *string `json:"reason"`
	// One of: open, accepted, rejected.
	Status string `json:"status"`
	// Id of the person in whose conversation it came up
	SuggestedBy string `json:"suggested_by"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string  `json:"created_at"`
	DecidedBy *string `json:"decided_by"`
	// ISO 8601 UTC with milliseconds
	DecidedAt *string `json:"decided_at"`
}

// APIKey is a model of the API.
type APIKey struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// First characters of the secret
	Hint string `json:"hint"`
	// null: all that the owner may
	Permissions []string `json:"permissions"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt *string `json:"expires_at"`
	// ISO 8601 UTC with milliseconds
	LastUsedAt *string `json:"last_used_at"`
}

// AuditEvent is a model of the API.
type AuditEvent struct {
	ID string `json:"id"`
	// Place in the chain of the tenant, from 1 without gaps
	Seq        int64          `json:"seq"`
	ActorID    *string        `json:"actor_id"`
	ActorType  string         `json:"actor_type"`
	Action     string         `json:"action"`
	Outcome    string         `json:"outcome"`
	TargetType *string        `json:"target_type"`
	TargetID   *string        `json:"target_id"`
	RequestID  *string        `json:"request_id"`
	Address    *string        `json:"address"`
	Details    map[string]any `json:"details"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// SHA-256 of the row before
	PreviousHash string `json:"previous_hash"`
	// SHA-256 over the row and previous_hash
	Hash string `json:"hash"`
}

// AuthorizeMCPServerRequest is a model of the API.
type AuthorizeMCPServerRequest struct {
	// To finish: what a browser was shown that had not begun the sign-in
	Answer *string `json:"answer,omitempty"`
}

// AuthorizeMCPServerResult is a model of the API.
type AuthorizeMCPServerResult struct {
	// For a browser; null when no person is needed
	AuthorizationURL *string `json:"authorization_url"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// Budget is a model of the API.
type Budget struct {
	// One of: tenant, user, agent, run.
	Scope   string `json:"scope"`
	Subject string `json:"subject"`
	// One of: day, month, run.
	Period string `json:"period"`
	// US dollars, exact to 1e-9
	LimitUSD float64 `json:"limit_usd"`
	// US dollars, exact to 1e-9
	UsedUSD float64 `json:"used_usd"`
	// Set aside for calls that are running
	ReservedUSD float64 `json:"reserved_usd"`
	// US dollars, exact to 1e-9
	RemainingUSD float64 `json:"remaining_usd"`
	// ISO 8601 UTC with milliseconds
	ResetsAt *string `json:"resets_at"`
	// One of: none, info, warning, critical, exceeded.
	AlertLevel string `json:"alert_level"`
	// Spend at the end of the period when it goes on like this
	ForecastUSD *float64 `json:"forecast_usd"`
}

// CallMCPToolRequest is a model of the API.
type CallMCPToolRequest struct {
	Tool      string         `json:"tool"`
	Arguments map[string]any `json:"arguments,omitzero"`
	// The call is cancelled after so long
	TimeoutMS *int64 `json:"timeout_ms,omitempty"`
}

// Caller is a model of the API.
type Caller struct {
	// User id
	Sub   string `json:"sub"`
	Email string `json:"email"`
	Name  string `json:"name"`
	// One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles"`
	// Tenant id
	OrgID string `json:"org_id"`
	// Effective permissions, <resource>:<action>
	Permissions []string `json:"permissions"`
	// One of: free, pro, enterprise.
	Tier          string `json:"tier"`
	PlatformAdmin bool   `json:"platform_admin"`
	// One of: jwt, api_key, personal_token.
	Credential string  `json:"credential"`
	TokenID    string  `json:"token_id"`
	SessionID  *string `json:"session_id"`
	ClientID   *string `json:"client_id"`
	Scope      *string `json:"scope"`
	Iss        *string `json:"iss"`
	// Epoch seconds
	Iat *int64 `json:"iat"`
	// Epoch seconds
	Exp *int64 `json:"exp"`
}

// ChangeMyPasswordRequest is a model of the API.
type ChangeMyPasswordRequest struct {
	CurrentPassword string `json:"current_password"`
	NewPassword     string `json:"new_password"`
}

// ChatRequest is a model of the API.
type ChatRequest struct {
	// What the person says; the setting MAX_MESSAGE_CHARS may allow less
	Message string `json:"message"`
	// Conversation to continue; absent: a new one
	ConversationID *string `json:"conversation_id,omitempty"`
	// Message of the conversation that this one follows; absent: the last one of the active branch; null: none, a first message
	ParentMessageID *Nullable[string] `json:"parent_message_id,omitempty"`
	// Up to 32 KiB. agent_id addresses one agent, model picks a configured model; the rest goes to the agent as data
	Context map[string]any `json:"context,omitzero"`
	// Each has one of document_id, image and picture_id. Documents that the message is about are looked at first, in all of the conversation; up to 10 pictures are shown to a model that can see, else the message is refused before it costs anything
	Attachments []ChatRequestAttachment `json:"attachments,omitzero"`
	// false: a temporary chat, of which nothing but its costs is stored. It has no conversation, and what was said before comes with it as history. Default true
	Store *bool `json:"store,omitempty"`
	// Of a temporary chat: what was said before, oldest first
	History []ChatRequestHistory `json:"history,omitzero"`
	// A JSON Schema of up to 32 KiB that the answer has to fit: content is JSON then, and parsed its value
	ResponseSchema map[string]any `json:"response_schema,omitzero"`
}

// ChatRequestAttachment is a model of the API.
type ChatRequestAttachment struct {
	// A document that the caller can read; one that is a picture is also shown to a model that can see
	DocumentID *string `json:"document_id,omitempty"`
	// A picture: PNG, JPEG, WebP or GIF of up to 3932160 bytes as base64 or a data: URL. It is stored without its metadata
	Image *string `json:"image,omitempty"`
	// A picture of the same conversation, once more
	PictureID *string `json:"picture_id,omitempty"`
	// With image: what the file is called
	Name *string `json:"name,omitempty"`
}

// ChatRequestHistory is a model of the API.
type ChatRequestHistory struct {
	// One of: user, assistant.
	Role    string `json:"role"`
	Content string `json:"content"`
}

// ChatResponse is a model of the API.
type ChatResponse struct {
	// Id of the answer
	ID string `json:"id"`
	// Of a temporary chat: what its costs stand under on the ledger; there is no such conversation
	ConversationID string `json:"conversation_id"`
	// Id of the question
	ParentID *string `json:"parent_id"`
	Content  string  `json:"content"`
	// The value of content, where response_schema was given and the answer is whole
	Parsed    any        `json:"parsed,omitzero"`
	AgentID   string     `json:"agent_id"`
	ToolCalls []ToolCall `json:"tool_calls"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
	RunID   string  `json:"run_id"`
	// One of: stop, length, cancelled, awaiting_approval, cost_exceeded, tool_calls, failed, interrupted.
	FinishReason string     `json:"finish_reason"`
	Usage        Usage      `json:"usage"`
	Citations    []Citation `json:"citations"`
	Proposals    []string   `json:"proposals"`
	// model, and built_in where the built-in model answered
	Metadata map[string]any `json:"metadata"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
}

// Citation is a model of the API.
type Citation struct {
	DocumentID string `json:"document_id"`
	Title      string `json:"title"`
	ChunkID    string `json:"chunk_id"`
	Page       *int64 `json:"page"`
	Quote      string `json:"quote"`
}

// ConfirmProposalRequest is a model of the API.
type ConfirmProposalRequest struct {
	// true: make the call; false: do not
	Approve bool `json:"approve"`
}

// Conversation is a model of the API.
type Conversation struct {
	ID    string  `json:"id"`
	Title *string `json:"title"`
	// unlisted: of a call of /v1 that asked for no place in the list; restore puts it there. One of: active, archived, unlisted.
	Status   string         `json:"status"`
	Metadata map[string]any `json:"metadata"`
	AgentIDs []string       `json:"agent_ids"`
	// Of the active branch
	MessageCount int64 `json:"message_count"`
	// US dollars, exact to 1e-9
	TotalCostUSD float64 `json:"total_cost_usd"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
	// ISO 8601 UTC with milliseconds
	ArchivedAt *string `json:"archived_at"`
	Pinned     bool    `json:"pinned"`
	// Name of the folder that its owner keeps it in
	Folder *string `json:"folder"`
	// Where untrusted content in it came from; with any, calls that reach out or change own things ask first. Empty: none. One of: context, history, import, documents, tools, tool_descriptions, memory, task, earlier.
	Taint []string `json:"taint"`
	// Of a search alone
	Hit *ConversationHit `json:"hit,omitempty"`
}

// ConversationDetail is a model of the API.
type ConversationDetail struct {
	ID    string  `json:"id"`
	Title *string `json:"title"`
	// unlisted: of a call of /v1 that asked for no place in the list; restore puts it there. One of: active, archived, unlisted.
	Status   string         `json:"status"`
	Metadata map[string]any `json:"metadata"`
	AgentIDs []string       `json:"agent_ids"`
	// Of the active branch
	MessageCount int64 `json:"message_count"`
	// US dollars, exact to 1e-9
	TotalCostUSD float64 `json:"total_cost_usd"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
	// ISO 8601 UTC with milliseconds
	ArchivedAt *string `json:"archived_at"`
	Pinned     bool    `json:"pinned"`
	// Name of the folder that its owner keeps it in
	Folder *string `json:"folder"`
	// Where untrusted content in it came from; with any, calls that reach out or change own things ask first. Empty: none. One of: context, history, import, documents, tools, tool_descriptions, memory, task, earlier.
	Taint []string `json:"taint"`
	// The last message of the active branch that has had its turn
	ActiveMessageID *string `json:"active_message_id"`
	// The active branch: oldest first, the newest 200
	Messages []Message `json:"messages"`
}

// ConversationHit is a model of the API.
type ConversationHit struct {
	// The newest message of the active branch with these words; null: they are in the title
	MessageID *string `json:"message_id"`
	// Where they stand, with some words around; plain text
	Snippet string `json:"snippet"`
}

// CorrectMemoryObservationRequest is a model of the API.
type CorrectMemoryObservationRequest struct {
	// One fact
	Text string `json:"text"`
}

// CostLimits is a model of the API.
type CostLimits struct {
	Limits []CostLimitsLimit `json:"limits"`
}

// CostLimitsLimit is a model of the API.
type CostLimitsLimit struct {
	ID string `json:"id"`
	// One of: tenant, user, agent, run.
	Scope string `json:"scope"`
	// Id of the tenant, user or agent; * for every run
	Subject string `json:"subject"`
	// One of: day, month, run.
	Period string `json:"period"`
	// US dollars, exact to 1e-9
	LimitUSD float64 `json:"limit_usd"`
	// US dollars, exact to 1e-9
	UsedUSD float64 `json:"used_usd"`
	// Set aside for calls that are running
	ReservedUSD float64 `json:"reserved_usd"`
	// US dollars, exact to 1e-9
	RemainingUSD float64 `json:"remaining_usd"`
	// ISO 8601 UTC with milliseconds
	ResetsAt *string `json:"resets_at"`
	// info from 50 %, warning from 75 %, critical from 90 %, exceeded when nothing is left. One of: none, info, warning, critical, exceeded.
	AlertLevel string `json:"alert_level"`
}

// CostUsage is a model of the API.
type CostUsage struct {
	Period CostUsagePeriod `json:"period"`
	// One of: me, tenant.
	Scope string `json:"scope"`
	// One of: USD.
	Currency string `json:"currency"`
	// US dollars, exact to 1e-9
	TotalUSD float64 `json:"total_usd"`
	// Total at the end of the period when it goes on like this
	ForecastUSD       *float64 `json:"forecast_usd"`
	Requests          int64    `json:"requests"`
	InputTokens       int64    `json:"input_tokens"`
	OutputTokens      int64    `json:"output_tokens"`
	CachedInputTokens int64    `json:"cached_input_tokens"`
	// Calls that have cost more than was reserved for them
	BeyondEstimate int64              `json:"beyond_estimate"`
	ByAgent        []CostUsageByAgent `json:"by_agent"`
	ByModel        []CostUsageByModel `json:"by_model"`
	ByTool         []CostUsageByTool  `json:"by_tool"`
	ByDay          []CostUsageByDay   `json:"by_day"`
	ByUser         []CostUsageByUser  `json:"by_user,omitzero"`
	// Users with spending in the period, on all pages of by_user
	UsersTotal *int64 `json:"users_total,omitempty"`
	// The limit that is nearest to the question; null without one
	Budget *Budget `json:"budget"`
}

// CostUsageByAgent is a model of the API.
type CostUsageByAgent struct {
	// null: spend without one
	AgentID *string `json:"agent_id"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
	// Metered calls: model, embedding or priced tool
	Requests          int64 `json:"requests"`
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	// Calls that have cost more than was reserved for them
	BeyondEstimate int64 `json:"beyond_estimate"`
}

// CostUsageByDay is a model of the API.
type CostUsageByDay struct {
	// null: spend without one
	Date *string `json:"date"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
	// Metered calls: model, embedding or priced tool
	Requests          int64 `json:"requests"`
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	// Calls that have cost more than was reserved for them
	BeyondEstimate int64 `json:"beyond_estimate"`
}

// CostUsageByModel is a model of the API.
type CostUsageByModel struct {
	// null: spend without one
	Model *string `json:"model"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
	// Metered calls: model, embedding or priced tool
	Requests          int64 `json:"requests"`
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	// Calls that have cost more than was reserved for them
	BeyondEstimate int64 `json:"beyond_estimate"`
}

// CostUsageByTool is a model of the API.
type CostUsageByTool struct {
	// null: spend without one
	Tool *string `json:"tool"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
	// Metered calls: model, embedding or priced tool
	Requests          int64 `json:"requests"`
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	// Calls that have cost more than was reserved for them
	BeyondEstimate int64 `json:"beyond_estimate"`
}

// CostUsageByUser is a model of the API.
type CostUsageByUser struct {
	// null: spend without one
	UserID *string `json:"user_id"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
	// Metered calls: model, embedding or priced tool
	Requests          int64 `json:"requests"`
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	// Calls that have cost more than was reserved for them
	BeyondEstimate int64 `json:"beyond_estimate"`
}

// CostUsagePeriod is a model of the API.
type CostUsagePeriod struct {
	// One of: day, week, month, custom.
	Name string `json:"name"`
	// ISO 8601 UTC with milliseconds
	Start string `json:"start"`
	// ISO 8601 UTC with milliseconds
	End string `json:"end"`
}

// CountUnreadNotificationsResult is a model of the API.
type CountUnreadNotificationsResult struct {
	Unread int64 `json:"unread"`
}

// CreateAPIKeyRequest is a model of the API.
type CreateAPIKeyRequest struct {
	Name string `json:"name"`
	// One of: chat:write, conversations:read, conversations:write, agents:read, agents:manage, knowledge:read, knowledge:write, knowledge:manage, memory:read, memory:write, mcp:read, mcp:call, mcp:manage, governance:read, governance:propose, governance:vote, tasks:read, tasks:write, costs:read, costs:manage, analytics:read, audit:read, webhooks:read, webhooks:manage, notifications:read, notifications:write, keys:read, keys:write, profile:write, users:read, users:manage, tenants:read, tenants:manage, clients:manage, scim:manage.
	Permissions []string `json:"permissions,omitzero"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt *Nullable[string] `json:"expires_at,omitempty"`
}

// CreateConversationRequest is a model of the API.
type CreateConversationRequest struct {
	Title *Nullable[string] `json:"title,omitempty"`
	// Up to 16 KiB of your own data
	Metadata map[string]any `json:"metadata,omitzero"`
}

// CreateDocumentRequest is a model of the API.
type CreateDocumentRequest struct {
	// Needed with `content`
	Title *string `json:"title,omitempty"`
	// The text itself; files are uploaded as a form
	Content *string `json:"content,omitempty"`
	// In place of `content`: a public http or https address to read the document from
	URL *string `json:"url,omitempty"`
	// A name of the source; the same again replaces the content of the document in place
	ExternalID *string `json:"external_id,omitempty"`
	// `markdown`, `text/html`, …; decides among text formats
	ContentType *string `json:"content_type,omitempty"`
	// Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by
	Metadata map[string]any `json:"metadata,omitzero"`
	// private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant. One of: private, tenant, role.
	Visibility *string `json:"visibility,omitempty"`
	// Who may read it with the visibility role. One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles,omitzero"`
	// An administrator vouches for the document as it is (`knowledge:manage`): what is read of it does not mark a conversation. Other content or another title sets it back
	Trusted *bool `json:"trusted,omitempty"`
}

// CreateMCPServerRequest is a model of the API.
type CreateMCPServerRequest struct {
	// a-z, 0-9 and -, up to 40
	Name string `json:"name"`
	// One of: stdio, http.
	Transport string `json:"transport"`
	// Program of a stdio server; MCP_ALLOW_STDIO must name it
	Command *string           `json:"command,omitempty"`
	Args    []string          `json:"args,omitzero"`
	Env     map[string]string `json:"env,omitzero"`
	// Address of an http server
	URL     *string                      `json:"url,omitempty"`
	Headers map[string]string            `json:"headers,omitzero"`
	Oauth   *CreateMCPServerRequestOauth `json:"oauth,omitempty"`
	Title   *string                      `json:"title,omitempty"`
	Enabled *bool                        `json:"enabled,omitempty"`
	// Longest time of a call that names none
	TimeoutMS *int64                        `json:"timeout_ms,omitempty"`
	Policy    *CreateMCPServerRequestPolicy `json:"policy,omitempty"`
	Access    *CreateMCPServerRequestAccess `json:"access,omitempty"`
	// You accept the tools that it lists at first, but for those that look like orders to the model (default false)
	AcceptTools *bool `json:"accept_tools,omitempty"`
}

// CreateMCPServerRequestAccess is a model of the API.
type CreateMCPServerRequestAccess struct {
	Allow []CreateMCPServerRequestAccessAllow `json:"allow,omitzero"`
	// Wins over allow
	Deny []CreateMCPServerRequestAccessAllow `json:"deny,omitzero"`
}

// CreateMCPServerRequestAccessAllow is a model of the API.
type CreateMCPServerRequestAccessAllow struct {
	// Ids of tenants
	Tenants []string `json:"tenants,omitzero"`
	// One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles,omitzero"`
	// Globs
	Tools []string `json:"tools,omitzero"`
}

// CreateMCPServerRequestOauth is a model of the API.
type CreateMCPServerRequestOauth struct {
	// One of: authorization_code, client_credentials.
	Grant *string `json:"grant,omitempty"`
	// Left out: registered where that is possible
	ClientID     *string `json:"client_id,omitempty"`
	ClientSecret *string `json:"client_secret,omitempty"`
	Scope        *string `json:"scope,omitempty"`
}

// CreateMCPServerRequestPolicy is a model of the API.
type CreateMCPServerRequestPolicy struct {
	Default *CreateMCPServerRequestPolicyDefault `json:"default,omitempty"`
	// By glob of the tool name
	Tools map[string]CreateMCPServerRequestPolicyDefault `json:"tools,omitzero"`
}

// CreateMCPServerRequestPolicyDefault is a model of the API.
type CreateMCPServerRequestPolicyDefault struct {
	// Cost of one call
	CostUSD *float64 `json:"cost_usd,omitempty"`
	// One of: low, medium, high, critical.
	Risk *string `json:"risk,omitempty"`
	// One of: security, legal, irreversible, personal_data.
	Flags []string `json:"flags,omitzero"`
	// One of: auto, pentarchy, human.
	Approval *string `json:"approval,omitempty"`
	// Calls that are made unasked with untrusted content in the conversation: by argument, globs of the host of its address or of its text
	Allow []CreateMCPServerRequestPolicyDefaultAllow `json:"allow,omitzero"`
}

// CreateMCPServerRequestPolicyDefaultAllow is a model of the API.
type CreateMCPServerRequestPolicyDefaultAllow struct {
	Hosts     map[string][]string `json:"hosts,omitzero"`
	Arguments map[string][]string `json:"arguments,omitzero"`
}

// CreateMemoryEntityRequest is a model of the API.
type CreateMemoryEntityRequest struct {
	// Unique by type within its owner
	Name string `json:"name"`
	// person, organization, project, …
	EntityType   string   `json:"entity_type"`
	Observations []any    `json:"observations,omitzero"`
	Importance   *float64 `json:"importance,omitempty"`
	// Default private; tenant needs memory:*. One of: private, tenant.
	Visibility *string `json:"visibility,omitempty"`
}

// CreateMemoryRelationRequest is a model of the API.
type CreateMemoryRelationRequest struct {
	FromEntityID string `json:"from_entity_id"`
	ToEntityID   string `json:"to_entity_id"`
	// works_at, knows, part_of, …
	RelationType string         `json:"relation_type"`
	Properties   map[string]any `json:"properties,omitzero"`
	// ISO 8601 UTC with milliseconds
	ValidFrom *string `json:"valid_from,omitempty"`
	// ISO 8601 UTC with milliseconds
	ValidTo *Nullable[string] `json:"valid_to,omitempty"`
	// tenant needs memory:* and two shared entities. One of: private, tenant.
	Visibility *string `json:"visibility,omitempty"`
}

// CreateOauthClientRequest is a model of the API.
type CreateOauthClientRequest struct {
	Name string `json:"name"`
	// One of: public, confidential.
	Type         string   `json:"type"`
	RedirectUris []string `json:"redirect_uris,omitzero"`
	// Where people may be sent after a sign-out, compared exactly
	PostLogoutRedirectUris []string `json:"post_logout_redirect_uris,omitzero"`
	// May sign people in by the device flow (RFC 8628)
	DeviceFlow *bool `json:"device_flow,omitempty"`
	// Public keys of a confidential client that authenticates by private_key_jwt
	Jwks *CreateOauthClientRequestJwks `json:"jwks,omitempty"`
}

// CreateOauthClientRequestJwks is a model of the API.
type CreateOauthClientRequestJwks struct {
	Keys []map[string]any `json:"keys"`
}

// CreatePersonalTokenRequest is a model of the API.
type CreatePersonalTokenRequest struct {
	Name string `json:"name"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt *Nullable[string] `json:"expires_at,omitempty"`
}

// CreateProposalRequest is a model of the API.
type CreateProposalRequest struct {
	Action      string  `json:"action"`
	Description *string `json:"description,omitempty"`
	// US dollars, at most nine decimal places
	EstimatedCost float64 `json:"estimated_cost"`
	// One of: low, medium, high, critical.
	Risk *string `json:"risk,omitempty"`
	// One of: security, legal, irreversible, personal_data.
	Flags []string                   `json:"flags,omitzero"`
	Tool  *CreateProposalRequestTool `json:"tool,omitempty"`
}

// CreateProposalRequestTool is a model of the API.
type CreateProposalRequestTool struct {
	Server    string         `json:"server"`
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments,omitzero"`
}

// CreateTaskRequest is a model of the API.
type CreateTaskRequest struct {
	// What is to be done, as one would tell an agent
	Description string `json:"description"`
	// Agent that does it; absent: Zeus chooses
	AgentID *string `json:"agent_id,omitempty"`
	// Up to 32 KiB, given to the agent as data; model picks a configured model
	Context map[string]any `json:"context,omitzero"`
	// default normal. One of: low, normal, high, urgent.
	Priority *string `json:"priority,omitempty"`
	// When to run; past or absent: at once. With cron: not before
	ScheduledAt *string `json:"scheduled_at,omitempty"`
	// Five fields, names allowed: 0 9 * * MON-FRI
	Cron *string `json:"cron,omitempty"`
	// IANA time zone of cron (default UTC)
	Timezone *string `json:"timezone,omitempty"`
	// A slot that comes due while the last run goes on: left out, or run afterwards (default skip). One of: skip, queue.
	Overlap *string `json:"overlap,omitempty"`
	// Slots missed while the platform was down: one run for all of them, or none (default run_once). One of: run_once, skip.
	Missed *string `json:"missed,omitempty"`
}

// CreateTenantRequest is a model of the API.
type CreateTenantRequest struct {
	Name string `json:"name"`
	Slug string `json:"slug"`
	// One of: free, pro, enterprise.
	Tier *string `json:"tier,omitempty"`
	// `timezone` (IANA) is what days and months of costs go by; the rest is free, up to 32 KiB
	Settings map[string]any            `json:"settings,omitzero"`
	Admin    *CreateTenantRequestAdmin `json:"admin,omitempty"`
}

// CreateTenantRequestAdmin is a model of the API.
type CreateTenantRequestAdmin struct {
	Email    string  `json:"email"`
	Password *string `json:"password,omitempty"`
}

// CreateUserRequest is a model of the API.
type CreateUserRequest struct {
	Email    string  `json:"email"`
	Name     *string `json:"name,omitempty"`
	Password *string `json:"password,omitempty"`
	// One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles,omitzero"`
	// Permissions beyond those of the roles. One of: chat:write, conversations:read, conversations:write, agents:read, agents:manage, knowledge:read, knowledge:write, knowledge:manage, memory:read, memory:write, mcp:read, mcp:call, mcp:manage, governance:read, governance:propose, governance:vote, tasks:read, tasks:write, costs:read, costs:manage, analytics:read, audit:read, webhooks:read, webhooks:manage, notifications:read, notifications:write, keys:read, keys:write, profile:write, users:read, users:manage, tenants:read, tenants:manage, clients:manage, scim:manage.
	Permissions []string `json:"permissions,omitzero"`
	// One of: person, service.
	Type *string `json:"type,omitempty"`
	// One of: free, pro, enterprise.
	Tier *Nullable[string] `json:"tier,omitempty"`
	// Another tenant: platform administrators only
	TenantID *string `json:"tenant_id,omitempty"`
}

// CreateWebhookRequest is a model of the API.
type CreateWebhookRequest struct {
	// Public https address; loopback, private, link-local and metadata addresses are refused
	URL string `json:"url"`
	// Types of events, or * for all. One of: *, conversation.completed, message.created, proposal.created, proposal.decided, task.completed, task.failed, document.indexed, document.failed, cost.alert, cost.limit_reached, agent.state_changed, user.created, notification.
	Events      []string          `json:"events"`
	Description *Nullable[string] `json:"description,omitempty"`
}

// CreatedAPIKey is a model of the API.
type CreatedAPIKey struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// First characters of the secret
	Hint string `json:"hint"`
	// null: all that the owner may
	Permissions []string `json:"permissions"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt *string `json:"expires_at"`
	// ISO 8601 UTC with milliseconds
	LastUsedAt *string `json:"last_used_at"`
	// The secret, shown only now
	Key string `json:"key"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// CreatedConversation is a model of the API.
type CreatedConversation struct {
	ID    string  `json:"id"`
	Title *string `json:"title"`
	// unlisted: of a call of /v1 that asked for no place in the list; restore puts it there. One of: active, archived, unlisted.
	Status   string         `json:"status"`
	Metadata map[string]any `json:"metadata"`
	AgentIDs []string       `json:"agent_ids"`
	// Of the active branch
	MessageCount int64 `json:"message_count"`
	// US dollars, exact to 1e-9
	TotalCostUSD float64 `json:"total_cost_usd"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
	// ISO 8601 UTC with milliseconds
	ArchivedAt *string `json:"archived_at"`
	Pinned     bool    `json:"pinned"`
	// Name of the folder that its owner keeps it in
	Folder *string `json:"folder"`
	// Where untrusted content in it came from; with any, calls that reach out or change own things ask first. Empty: none. One of: context, history, import, documents, tools, tool_descriptions, memory, task, earlier.
	Taint []string `json:"taint"`
}

// CreatedOauthClient is a model of the API.
type CreatedOauthClient struct {
	ClientID string `json:"client_id"`
	Name     string `json:"name"`
	// One of: public, confidential.
	Type                   string   `json:"type"`
	RedirectUris           []string `json:"redirect_uris"`
	PostLogoutRedirectUris []string `json:"post_logout_redirect_uris"`
	// Signs people in by a code that they type on another device
	DeviceFlow bool `json:"device_flow"`
	// The service account that a confidential client acts as with client_credentials
	ServiceUserID *string `json:"service_user_id"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// Shown only now; none for clients with keys
	ClientSecret *string `json:"client_secret,omitempty"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// CreatedTenant is a model of the API.
type CreatedTenant struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
	// One of: free, pro, enterprise.
	Tier string `json:"tier"`
	// One of: active, suspended.
	Status   string         `json:"status"`
	Settings map[string]any `json:"settings"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string              `json:"updated_at"`
	Admin     *CreatedTenantAdmin `json:"admin,omitempty"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// CreatedTenantAdmin is a model of the API.
type CreatedTenantAdmin struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	// Once, when no password was given
	InvitationURL *string `json:"invitation_url,omitempty"`
}

// CreatedUser is a model of the API.
type CreatedUser struct {
	ID string `json:"id"`
	// One of: person, service.
	Type  string `json:"type"`
	Email string `json:"email"`
	Name  string `json:"name"`
	// One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles"`
	// Permissions beyond those of the roles
	Permissions []string `json:"permissions"`
	TenantID    string   `json:"tenant_id"`
	// The tenant's, or the override of this account. One of: free, pro, enterprise.
	Tier string `json:"tier"`
	// One of: active, invited, deactivated.
	Status string `json:"status"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	LastSeenAt *string `json:"last_seen_at"`
	// Once, when no password was given
	InvitationURL *string `json:"invitation_url,omitempty"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// CreatedWebhook is a model of the API.
type CreatedWebhook struct {
	ID          string   `json:"id"`
	URL         string   `json:"url"`
	Events      []string `json:"events"`
	Description *string  `json:"description"`
	// One of: active, disabled.
	Status string `json:"status"`
	// gone: the receiver answered 410; failing: nothing was delivered for five days; key_deleted, account_inactive: whoever made or changed it cannot read for it any more, and who switches it on stands in for them. One of: gone, failing, manual, key_deleted, account_inactive.
	DisabledReason *string `json:"disabled_reason"`
	// ISO 8601 UTC with milliseconds
	PreviousSecretExpiresAt *string `json:"previous_secret_expires_at"`
	CreatedBy               string  `json:"created_by"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
	// whsec_…, shown this once
	Secret string `json:"secret"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// DeleteConversationsRequest is a model of the API.
type DeleteConversationsRequest struct {
	IDs []string `json:"ids"`
}

// DeleteConversationsResult is a model of the API.
type DeleteConversationsResult struct {
	// Those that are gone
	Deleted []string                          `json:"deleted"`
	Failed  []DeleteConversationsResultFailed `json:"failed"`
}

// DeleteConversationsResultFailed is a model of the API.
type DeleteConversationsResultFailed struct {
	ID string `json:"id"`
	// CONFLICT: a run of it has not ended. One of: NOT_FOUND, CONFLICT.
	Code string `json:"code"`
}

// DirectoryGroup is a model of the API.
type DirectoryGroup struct {
	ID string `json:"id"`
	// As the directory names it
	Name string `json:"name"`
	// Id in the directory
	ExternalID *string `json:"external_id"`
	// Roles that its members have by it. One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles"`
	// How many people are in it
	Members int64 `json:"members"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
}

// Document is a model of the API.
type Document struct {
	ID       string  `json:"id"`
	Title    string  `json:"title"`
	Filename *string `json:"filename"`
	// Detected from the bytes
	ContentType string `json:"content_type"`
	SizeBytes   int64  `json:"size_bytes"`
	SHA256      string `json:"sha256"`
	// ISO 639-1
	Language   *string `json:"language"`
	ChunkCount int64   `json:"chunk_count"`
	PageCount  *int64  `json:"page_count"`
	// private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant. One of: private, tenant, role.
	Visibility string `json:"visibility"`
	// Who may read it with the visibility role. One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles"`
	// Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by
	Metadata  map[string]any `json:"metadata"`
	CreatedBy string         `json:"created_by"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	IndexedAt *string `json:"indexed_at"`
	// Name in the source that it comes from
	ExternalID *string `json:"external_id"`
	// From 1; another with each replacement of the content
	Version int64 `json:"version"`
	// An administrator vouches for it: what is read of it does not mark a conversation
	Trusted bool `json:"trusted"`
	// Pages that show something and have no text that can be read (scans, pictures), from 1
	UnreadPages []int64 `json:"unread_pages"`
	// What the file holds and was left out on purpose: it is not searched
	LeftOut []DocumentLeftOut `json:"left_out"`
	// Of its newest upload. A document whose content is being replaced is found and read in its present version all the while. One of: processing, indexed, failed.
	Status string `json:"status"`
	// How far the reading is; null: indexed
	Progress *DocumentProgress `json:"progress"`
	// Why the upload has failed, as an error of the API
	Error *DocumentError `json:"error"`
}

// DocumentChunk is a model of the API.
type DocumentChunk struct {
	ID         string `json:"id"`
	DocumentID string `json:"document_id"`
	// From 0, in reading order
	Ordinal int64  `json:"ordinal"`
	Content string `json:"content"`
	// From 1; null in types without pages
	Page *int64 `json:"page"`
	// Title and headings above, outermost first
	HeadingPath []string `json:"heading_path"`
	// Offset into the text (`…/content?format=text`), in UTF-16 code units
	Start int64 `json:"start"`
	// Exclusive
	End int64 `json:"end"`
}

// DocumentError is a model of the API.
type DocumentError struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// DocumentLeftOut is a model of the API.
type DocumentLeftOut struct {
	// One of: hidden_text, deleted_text, hidden_rows, hidden_columns, hidden_sheets, hidden_slides, readings, pictures, attachments, embedded_files, comments, navigation, chapters, far_cells, page_furniture.
	What string `json:"what"`
	// How often it was met
	Count int64 `json:"count"`
}

// DocumentProgress is a model of the API.
type DocumentProgress struct {
	// Pages read; null in types without pages
	PagesDone *int64 `json:"pages_done"`
	// Of how many, once that is known
	Pages *int64 `json:"pages"`
	// Passages with their vectors
	ChunksDone int64 `json:"chunks_done"`
	// Of how many, once the file is read
	Chunks *int64 `json:"chunks"`
}

// EditMessageRequest is a model of the API.
type EditMessageRequest struct {
	// What the person says; the setting MAX_MESSAGE_CHARS may allow less
	Message string `json:"message"`
	// As in a chat request; absent: what was attached before, pictures as well
	Attachments []ChatRequestAttachment `json:"attachments,omitzero"`
	// A configured model; absent: as before
	Model *string `json:"model,omitempty"`
	// The agent to answer; absent: as before
	AgentID *string `json:"agent_id,omitempty"`
}

// EraseUserDataResult is a model of the API.
type EraseUserDataResult struct {
	UserID string `json:"user_id"`
	// Records erased by feature
	Erased map[string]int64 `json:"erased"`
}

// ExportUserDataResult is a model of the API.
type ExportUserDataResult struct {
	User User `json:"user"`
	// ISO 8601 UTC with milliseconds
	ExportedAt string `json:"exported_at"`
	// Content by feature
	Data map[string]any `json:"data"`
}

// ForgotPasswordRequest is a model of the API.
type ForgotPasswordRequest struct {
	Email string `json:"email"`
}

// ForkConversationRequest is a model of the API.
type ForkConversationRequest struct {
	// The last message that the new conversation has, with all that it follows
	MessageID string `json:"message_id"`
}

// GetMCPPromptRequest is a model of the API.
type GetMCPPromptRequest struct {
	Prompt    string            `json:"prompt"`
	Arguments map[string]string `json:"arguments,omitzero"`
}

// Health is a model of the API.
type Health struct {
	// One of: ok.
	Status  string `json:"status"`
	Version string `json:"version"`
	UptimeS int64  `json:"uptime_s"`
}

// ImportConversationsRequest is a model of the API.
type ImportConversationsRequest struct {
	// As ChatGPT, Open WebUI, LibreChat or Pentarch exports them
	Conversations []map[string]any `json:"conversations"`
}

// ImportConversationsResult is a model of the API.
type ImportConversationsResult struct {
	Imported int64 `json:"imported"`
	// Imported before, or twice in this export
	Skipped int64 `json:"skipped"`
	Failed  int64 `json:"failed"`
	// Of those that came in
	ConversationIDs []string `json:"conversation_ids"`
	// The first 100
	Errors []ImportConversationsResultError `json:"errors"`
}

// ImportConversationsResultError is a model of the API.
type ImportConversationsResultError struct {
	// Place in the export, from 0
	Index    int64   `json:"index"`
	SourceID *string `json:"source_id"`
	Title    *string `json:"title"`
	Reason   string  `json:"reason"`
}

// ImportMCPServersRequest is a model of the API.
type ImportMCPServersRequest struct {
	// The form that MCP clients share
	MCPServers map[string]ImportMCPServersRequestMCPServer `json:"mcpServers"`
}

// ImportMCPServersRequestMCPServer is a model of the API.
type ImportMCPServersRequestMCPServer struct {
	// One of: stdio, http, streamable-http, sse.
	Type     *string `json:"type,omitempty"`
	Disabled *bool   `json:"disabled,omitempty"`
	// Program of a stdio server; MCP_ALLOW_STDIO must name it
	Command *string           `json:"command,omitempty"`
	Args    []string          `json:"args,omitzero"`
	Env     map[string]string `json:"env,omitzero"`
	// Address of an http server
	URL     *string                      `json:"url,omitempty"`
	Headers map[string]string            `json:"headers,omitzero"`
	Oauth   *CreateMCPServerRequestOauth `json:"oauth,omitempty"`
	Title   *string                      `json:"title,omitempty"`
	Enabled *bool                        `json:"enabled,omitempty"`
	// Longest time of a call that names none
	TimeoutMS *int64                        `json:"timeout_ms,omitempty"`
	Policy    *CreateMCPServerRequestPolicy `json:"policy,omitempty"`
	Access    *CreateMCPServerRequestAccess `json:"access,omitempty"`
	// You accept the tools that it lists at first, but for those that look like orders to the model (default false)
	AcceptTools *bool `json:"accept_tools,omitempty"`
}

// ImportMCPServersResult is a model of the API.
type ImportMCPServersResult struct {
	Items []MCPServer `json:"items"`
}

// ImportMemoryResult is a model of the API.
type ImportMemoryResult struct {
	// Lines that made an entity or added to one
	Entities int64 `json:"entities"`
	// Lines that made a relation
	Relations int64 `json:"relations"`
	// Lines that could not be read, or said nothing new
	Skipped int64 `json:"skipped"`
}

// InviteUserResult is a model of the API.
type InviteUserResult struct {
	// null when it went out by mail
	URL *string `json:"url"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// ListDocumentTagsResult is a model of the API.
type ListDocumentTagsResult struct {
	Items []ListDocumentTagsResultItem `json:"items"`
}

// ListDocumentTagsResultItem is a model of the API.
type ListDocumentTagsResultItem struct {
	Tag string `json:"tag"`
	// Documents with this tag that the caller may read
	Documents int64 `json:"documents"`
}

// ListDocumentVersionsResult is a model of the API.
type ListDocumentVersionsResult struct {
	Items []ListDocumentVersionsResultItem `json:"items"`
}

// ListDocumentVersionsResultItem is a model of the API.
type ListDocumentVersionsResultItem struct {
	Version   int64  `json:"version"`
	Title     string `json:"title"`
	SHA256    string `json:"sha256"`
	SizeBytes int64  `json:"size_bytes"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
}

// ListFoldersResult is a model of the API.
type ListFoldersResult struct {
	// Folders that hold conversations, by name
	Items []ListFoldersResultItem `json:"items"`
}

// ListFoldersResultItem is a model of the API.
type ListFoldersResultItem struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// ListMCPPromptsResult is a model of the API.
type ListMCPPromptsResult struct {
	Items []map[string]any `json:"items"`
	// Cut at 1 MB of JSON
	Truncated bool `json:"truncated"`
}

// ListMySessionsResult is a model of the API.
type ListMySessionsResult struct {
	Items []ListMySessionsResultItem `json:"items"`
	Total int64                      `json:"total"`
}

// ListMySessionsResultItem is a model of the API.
type ListMySessionsResultItem struct {
	ID        string  `json:"id"`
	ClientID  string  `json:"client_id"`
	Address   *string `json:"address"`
	UserAgent *string `json:"user_agent"`
	// The session of this request
	Current bool `json:"current"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	LastUsedAt string `json:"last_used_at"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt string `json:"expires_at"`
}

// LoginRequest is a model of the API.
type LoginRequest struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// MCPCallPending is a model of the API.
type MCPCallPending struct {
	// The Proposal that must be approved first
	Proposal map[string]any `json:"proposal"`
}

// MCPCallResult is a model of the API.
type MCPCallResult struct {
	CallID            string           `json:"call_id"`
	Server            string           `json:"server"`
	Tool              string           `json:"tool"`
	Content           []map[string]any `json:"content"`
	StructuredContent any              `json:"structured_content"`
	// The tool itself reports a failure
	IsError bool `json:"is_error"`
	// Cut at 1 MB
	Truncated  bool    `json:"truncated"`
	DurationMS float64 `json:"duration_ms"`
}

// MCPServer is a model of the API.
type MCPServer struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// One of: stdio, http, builtin.
	Transport string `json:"transport"`
	// One of: builtin, file, api.
	Source  string `json:"source"`
	Enabled bool   `json:"enabled"`
	// One of: connected, connecting, error, disabled.
	Status    string `json:"status"`
	ToolCount int64  `json:"tool_count"`
	// Tools that nobody has accepted as they are: each run that is told of them is marked with untrusted content
	UnacceptedTools int64       `json:"unaccepted_tools"`
	ProtocolVersion *string     `json:"protocol_version"`
	ServerInfo      *ServerInfo `json:"server_info"`
	LastError       *string     `json:"last_error"`
	// ISO 8601 UTC with milliseconds
	ConnectedAt *string `json:"connected_at"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	TimeoutMS int64  `json:"timeout_ms"`
	// For those with mcp:manage
	Policy map[string]any `json:"policy,omitzero"`
	// For those with mcp:manage
	Access map[string]any `json:"access,omitzero"`
}

// MCPServerLogs is a model of the API.
type MCPServerLogs struct {
	Items []MCPServerLogsItem `json:"items"`
}

// MCPServerLogsItem is a model of the API.
type MCPServerLogsItem struct {
	// ISO 8601 UTC with milliseconds
	At string `json:"at"`
	// One of: stderr, client.
	Source string `json:"source"`
	Text   string `json:"text"`
}

// MCPTool is a model of the API.
type MCPTool struct {
	Name  string  `json:"name"`
	Title *string `json:"title"`
	// Text of the server: data, not instructions
	Description  string         `json:"description"`
	InputSchema  map[string]any `json:"input_schema"`
	OutputSchema map[string]any `json:"output_schema"`
	Annotations  map[string]any `json:"annotations"`
	Policy       Policy         `json:"policy"`
	// Not to be called until an operator accepts it
	HeldBack bool `json:"held_back"`
	// One of: suspicious_text, identical_name, lookalike_name.
	Warnings    []string `json:"warnings"`
	Fingerprint string   `json:"fingerprint"`
	// Of a changed tool: what was accepted or first seen of it
	Accepted *MCPToolAccepted `json:"accepted"`
}

// MCPToolAccepted is a model of the API.
type MCPToolAccepted struct {
	Title        *string        `json:"title"`
	Description  string         `json:"description"`
	InputSchema  map[string]any `json:"input_schema"`
	OutputSchema map[string]any `json:"output_schema"`
	Annotations  map[string]any `json:"annotations"`
}

// MemoryEntity is a model of the API.
type MemoryEntity struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	EntityType string `json:"entity_type"`
	// private: of one user; tenant: shared with all of the tenant. One of: private, tenant.
	Visibility string `json:"visibility"`
	// The user whose memory it is; null when the tenant shares it
	OwnerID *string `json:"owner_id"`
	// Oldest first, those that no longer hold included
	Observations []Observation `json:"observations"`
	// As it stands now: it fades while it is not used
	Importance float64 `json:"importance"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
}

// MemoryGraph is a model of the API.
type MemoryGraph struct {
	Entities  []MemoryEntity   `json:"entities"`
	Relations []MemoryRelation `json:"relations"`
	// True when more was reachable than is answered
	Truncated bool `json:"truncated"`
}

// MemoryPreference is a model of the API.
type MemoryPreference struct {
	// Of the observation that keeps it: corrected and deleted there
	ID string `json:"id"`
	// The entity of the caller, which holds the observation
	EntityID string `json:"entity_id"`
	// Null for what is kept in other words, and for what the person is called. One of: language, tone, answer_length, format, units, time_zone, date_format, form_of_address, theme, other.
	Name *string `json:"name"`
	// Null where the text has another form
	Value *string `json:"value"`
	// As the agents read it
	Text string `json:"text"`
	// Told to the agents with every message: the newest 20 are
	Told bool `json:"told"`
	// Where a fact comes from
	Source ObservationSource `json:"source"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
}

// MemoryRelation is a model of the API.
type MemoryRelation struct {
	ID           string         `json:"id"`
	FromEntityID string         `json:"from_entity_id"`
	ToEntityID   string         `json:"to_entity_id"`
	RelationType string         `json:"relation_type"`
	Properties   map[string]any `json:"properties"`
	// One of: private, tenant.
	Visibility string `json:"visibility"`
	// ISO 8601 UTC with milliseconds
	ValidFrom string `json:"valid_from"`
	// ISO 8601 UTC with milliseconds
	ValidTo *string `json:"valid_to"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
}

// MergeMemoryEntitiesRequest is a model of the API.
type MergeMemoryEntitiesRequest struct {
	// The entity that is taken in and then gone
	EntityID string `json:"entity_id"`
}

// Message is a model of the API.
type Message struct {
	ID             string `json:"id"`
	ConversationID string `json:"conversation_id"`
	// One of: user, assistant, tool.
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	AgentID   *string    `json:"agent_id"`
	ToolCalls []ToolCall `json:"tool_calls"`
	Citations []Citation `json:"citations"`
	Usage     *Usage     `json:"usage"`
	// For answers: the model, and whether it is the built-in one; for questions: the agent_id, model and attached_documents that were asked for
	Metadata map[string]any `json:"metadata"`
	// Documents that were sent with it; one that has been deleted since is named all the same
	Attachments []MessageAttachment `json:"attachments"`
	// Pictures that were sent with it, where there are some; without metadata
	Pictures []MessagePicture `json:"pictures,omitzero"`
	// How the answer ended; on a question only where its run ended without an answer. null where nothing is known, as of imported messages. One of: stop, length, cancelled, awaiting_approval, cost_exceeded, tool_calls, failed, interrupted.
	FinishReason *string `json:"finish_reason"`
	// Why it failed or was interrupted; null otherwise
	Error *MessageError `json:"error"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
	RunID   *string `json:"run_id"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// The message that it follows; null for a first one, and while it waits for its turn
	ParentID *string `json:"parent_id"`
	// Its place among the messages that follow the same one: versions of a question or an answer
	Siblings MessageSiblings `json:"siblings"`
	// It stands in the branch that is shown and goes to the model
	Active bool `json:"active"`
}

// MessageAttachment is a model of the API.
type MessageAttachment struct {
	DocumentID string `json:"document_id"`
	// Of the document when it was attached
	Title string `json:"title"`
}

// MessageError is a model of the API.
type MessageError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// MessagePicture is a model of the API.
type MessagePicture struct {
	// Its bytes: GET /conversations/{id}/pictures/{picture_id}
	ID   string `json:"id"`
	Name string `json:"name"`
	// One of: image/png, image/jpeg, image/webp, image/gif.
	MediaType string `json:"media_type"`
	// As it is shown, in pixels
	Width     int64 `json:"width"`
	Height    int64 `json:"height"`
	SizeBytes int64 `json:"size_bytes"`
}

// MessageSiblings is a model of the API.
type MessageSiblings struct {
	// From 0, oldest first
	Index int64 `json:"index"`
	Count int64 `json:"count"`
}

// Model is a model of the API.
type Model struct {
	// What `context.model` of a chat takes
	ID       string `json:"id"`
	Provider string `json:"provider"`
	// Answers where nobody names a model
	Default bool `json:"default"`
	// Runs on this machine and costs nothing
	Local bool `json:"local"`
	// False while the provider fails: then the fallback models answer in its place
	Available bool `json:"available"`
	// It, or a fallback of it, sees the pictures of a message
	Vision bool `json:"vision"`
	// Prompt and answer together; the least of the model and its fallbacks
	ContextTokens int64      `json:"context_tokens"`
	Price         ModelPrice `json:"price"`
}

// ModelPrice is a model of the API.
type ModelPrice struct {
	// US dollars per million prompt tokens
	Input float64 `json:"input"`
	// US dollars per million prompt tokens that the provider had cached
	CachedInput float64 `json:"cached_input"`
	// US dollars per million tokens of the answer
	Output float64 `json:"output"`
	// True where no price is known and the configured default is taken
	Estimated bool `json:"estimated"`
}

// MoveUserRequest is a model of the API.
type MoveUserRequest struct {
	// Tenant that the person goes to
	TenantID string `json:"tenant_id"`
	// One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles,omitzero"`
}

// MoveUserResult is a model of the API.
type MoveUserResult struct {
	ID string `json:"id"`
	// One of: person, service.
	Type  string `json:"type"`
	Email string `json:"email"`
	Name  string `json:"name"`
	// One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles"`
	// Permissions beyond those of the roles
	Permissions []string `json:"permissions"`
	TenantID    string   `json:"tenant_id"`
	// The tenant's, or the override of this account. One of: free, pro, enterprise.
	Tier string `json:"tier"`
	// One of: active, invited, deactivated.
	Status string `json:"status"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	LastSeenAt *string `json:"last_seen_at"`
	// The account before: deactivated, with everything that was written in its tenant
	MovedFrom string `json:"moved_from"`
}

// Notification is a model of the API.
type Notification struct {
	ID string `json:"id"`
	// One of: tasks, proposals, costs, documents, agents, system.
	Category string `json:"category"`
	// One of: info, warning, critical.
	Level string `json:"level"`
	Title string `json:"title"`
	Body  string `json:"body"`
	// Ids of what it is about
	Data map[string]any `json:"data"`
	Read bool           `json:"read"`
	// ISO 8601 UTC with milliseconds
	ReadAt *string `json:"read_at"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
}

// NotificationPreferences is a model of the API.
type NotificationPreferences struct {
	Categories NotificationPreferencesCategories `json:"categories"`
	// Address that mails go to
	Email          string `json:"email"`
	EmailAvailable bool   `json:"email_available"`
}

// NotificationPreferencesCategories is a model of the API.
type NotificationPreferencesCategories struct {
	Tasks     NotificationPreferencesCategoriesTasks `json:"tasks"`
	Proposals NotificationPreferencesCategoriesTasks `json:"proposals"`
	Costs     NotificationPreferencesCategoriesTasks `json:"costs"`
	Documents NotificationPreferencesCategoriesTasks `json:"documents"`
	Agents    NotificationPreferencesCategoriesTasks `json:"agents"`
	System    NotificationPreferencesCategoriesTasks `json:"system"`
}

// NotificationPreferencesCategoriesTasks is a model of the API.
type NotificationPreferencesCategoriesTasks struct {
	// In the inbox, and on open WebSockets
	Inbox bool `json:"inbox"`
	// By e-mail, where the platform has a mail server
	Email bool `json:"email"`
	// To the webhooks of the tenant that subscribe to notification
	Webhook bool `json:"webhook"`
}

// OauthClient is a model of the API.
type OauthClient struct {
	ClientID string `json:"client_id"`
	Name     string `json:"name"`
	// One of: public, confidential.
	Type                   string   `json:"type"`
	RedirectUris           []string `json:"redirect_uris"`
	PostLogoutRedirectUris []string `json:"post_logout_redirect_uris"`
	// Signs people in by a code that they type on another device
	DeviceFlow bool `json:"device_flow"`
	// The service account that a confidential client acts as with client_credentials
	ServiceUserID *string `json:"service_user_id"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
}

// Observation is a model of the API.
type Observation struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	// Where a fact comes from
	Source ObservationSource `json:"source"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	ValidFrom string `json:"valid_from"`
	// Null while it holds; set when a newer statement took its place
	ValidTo *string `json:"valid_to"`
}

// ObservationSource is a model of the API.
type ObservationSource struct {
	// message: taken from what the user wrote; api, import: given by a client; agent: stored by an agent’s tool; untrusted: the same while foreign content was in its run; merge: made when two entities were joined. One of: message, api, agent, import, merge, untrusted.
	Kind string `json:"kind"`
	// The message that it was taken from
	MessageID      *string `json:"message_id"`
	ConversationID *string `json:"conversation_id"`
	// Id of the user who said it
	User string `json:"user"`
}

// OpenShareResult is a model of the API.
type OpenShareResult struct {
	Title *string `json:"title"`
	// One of: tenant, link.
	Audience string `json:"audience"`
	// ISO 8601 UTC with milliseconds
	SharedAt string `json:"shared_at"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt string `json:"expires_at"`
	// Oldest first
	Messages []OpenShareResultMessage `json:"messages"`
}

// OpenShareResultMessage is a model of the API.
type OpenShareResultMessage struct {
	// One of: user, assistant.
	Role      string  `json:"role"`
	Content   string  `json:"content"`
	AgentName *string `json:"agent_name"`
	// In the order of the marks [1], [2] … in content
	Citations []OpenShareResultMessageCitation `json:"citations"`
	// Titles of documents that were sent with it; null: of one that the reader cannot read
	Attachments []*string `json:"attachments"`
	// How the answer ended; stop: it is whole
	FinishReason *string `json:"finish_reason"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
}

// OpenShareResultMessageCitation is a model of the API.
type OpenShareResultMessageCitation struct {
	// null: of a document that the reader cannot read
	Title *string `json:"title"`
	Page  *int64  `json:"page"`
}

// PersonalToken is a model of the API.
type PersonalToken struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// First characters of the secret
	Hint string `json:"hint"`
	// null: all that the owner may
	Permissions []string `json:"permissions"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt *string `json:"expires_at"`
	// ISO 8601 UTC with milliseconds
	LastUsedAt *string `json:"last_used_at"`
	// The secret, shown only now
	Token string `json:"token"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// Policy is a model of the API.
type Policy struct {
	CostUSD float64 `json:"cost_usd"`
	// One of: low, medium, high, critical.
	Risk string `json:"risk"`
	// One of: security, legal, irreversible, personal_data.
	Flags []string `json:"flags"`
	// One of: auto, pentarchy, human.
	Approval string `json:"approval"`
	// One of: accepted, changed, new.
	Pinned string `json:"pinned"`
}

// Proposal is a model of the API.
type Proposal struct {
	ID          string `json:"id"`
	Action      string `json:"action"`
	Description string `json:"description"`
	// What the action costs the company, US dollars
	EstimatedCost float64 `json:"estimated_cost"`
	// One of: low, medium, high, critical.
	Risk string `json:"risk"`
	// One of: security, legal, irreversible, personal_data.
	Flags []string `json:"flags"`
	// One of: voting, awaiting_human, approved, rejected, vetoed, expired, cancelled.
	Status string `json:"status"`
	// Why it stands as it does
	Reason      *string `json:"reason"`
	Votes       []Vote  `json:"votes"`
	Tally       Tally   `json:"tally"`
	RequestedBy string  `json:"requested_by"`
	// It waits for the person who asked, and for nobody else: POST …/confirm
	AsksRequester bool `json:"asks_requester"`
	// Untrusted content stood in the conversation that it comes from
	Tainted        bool          `json:"tainted"`
	AgentID        *string       `json:"agent_id"`
	ConversationID *string       `json:"conversation_id"`
	RunID          *string       `json:"run_id"`
	Tool           *ProposalTool `json:"tool"`
	// null where there is no tool call, or it was turned down
	Execution *ProposalExecution `json:"execution"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt string `json:"expires_at"`
	// ISO 8601 UTC with milliseconds
	DecidedAt *string `json:"decided_at"`
	// User id, pentarchy, policy or time
	DecidedBy *string `json:"decided_by"`
}

// ProposalExecution is a model of the API.
type ProposalExecution struct {
	// unknown: the server stopped during the call; it is not tried again. One of: pending, running, completed, failed, unknown.
	Status string  `json:"status"`
	Result any     `json:"result"`
	Error  *string `json:"error"`
}

// ProposalTool is a model of the API.
type ProposalTool struct {
	Server    string         `json:"server"`
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
}

// RateMessageRequest is a model of the API.
type RateMessageRequest struct {
	// One of: up, down.
	Rating  string            `json:"rating"`
	Comment *Nullable[string] `json:"comment,omitempty"`
}

// RateMessageResult is a model of the API.
type RateMessageResult struct {
	MessageID string `json:"message_id"`
	// One of: up, down.
	Rating  string  `json:"rating"`
	Comment *string `json:"comment"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
}

// Readiness is a model of the API.
type Readiness struct {
	// One of: ready, not_ready.
	Status string          `json:"status"`
	Checks ReadinessChecks `json:"checks"`
}

// ReadinessChecks is a model of the API.
type ReadinessChecks struct {
	Store      ReadinessChecksStore `json:"store"`
	Redis      ReadinessChecksStore `json:"redis"`
	Disk       ReadinessChecksStore `json:"disk"`
	Migrations ReadinessChecksStore `json:"migrations"`
	Models     ReadinessChecksStore `json:"models"`
	Embeddings ReadinessChecksStore `json:"embeddings"`
	Identity   ReadinessChecksStore `json:"identity"`
	MCP        ReadinessChecksStore `json:"mcp"`
	Queue      ReadinessChecksStore `json:"queue"`
}

// ReadinessChecksStore is a model of the API.
type ReadinessChecksStore struct {
	// One of: ok, degraded, failed.
	Status string  `json:"status"`
	Detail *string `json:"detail,omitempty"`
}

// RefreshTokenRequest is a model of the API.
type RefreshTokenRequest struct {
	RefreshToken string `json:"refresh_token"`
}

// RegenerateMessageRequest is a model of the API.
type RegenerateMessageRequest struct {
	// A configured model; absent: as before
	Model *string `json:"model,omitempty"`
	// The agent to answer; absent: as before
	AgentID *string `json:"agent_id,omitempty"`
}

// RenameFolderRequest is a model of the API.
type RenameFolderRequest struct {
	Name string  `json:"name"`
	To   *string `json:"to"`
}

// RenameFolderResult is a model of the API.
type RenameFolderResult struct {
	// How many conversations stand in another folder, or in none, now
	Changed int64 `json:"changed"`
}

// ResetPasswordRequest is a model of the API.
type ResetPasswordRequest struct {
	Token    string `json:"token"`
	Password string `json:"password"`
}

// RotateAPIKeyRequest is a model of the API.
type RotateAPIKeyRequest struct {
	// Seconds for which the old secret still works (default 86400)
	OverlapS *int64 `json:"overlap_s,omitempty"`
}

// Run is a model of the API.
type Run struct {
	ID             string `json:"id"`
	ConversationID string `json:"conversation_id"`
	// Id of the answer
	MessageID string `json:"message_id"`
	// One of: queued, running, awaiting_approval, completed, failed, cancelled, cost_exceeded.
	Status   string   `json:"status"`
	AgentIDs []string `json:"agent_ids"`
	Usage    Usage    `json:"usage"`
	// US dollars, exact to 1e-9
	CostUSD float64        `json:"cost_usd"`
	Error   *DocumentError `json:"error"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	FinishedAt *string `json:"finished_at"`
}

// SearchRequest is a model of the API.
type SearchRequest struct {
	Query string `json:"query"`
	// Default 10
	Limit   *int64                `json:"limit,omitempty"`
	Filters *SearchRequestFilters `json:"filters,omitempty"`
	// Memory entities too (default false)
	IncludeMemories *bool `json:"include_memories,omitempty"`
}

// SearchRequestFilters is a model of the API.
type SearchRequestFilters struct {
	DocumentIDs []string `json:"document_ids,omitzero"`
	// e.g. `pdf` or `application/pdf`; any of them
	ContentTypes []string `json:"content_types,omitzero"`
	// Any of them
	Tags []string `json:"tags,omitzero"`
	// ISO 8601 UTC with milliseconds
	CreatedAfter *string `json:"created_after,omitempty"`
	// ISO 8601 UTC with milliseconds
	CreatedBefore *string `json:"created_before,omitempty"`
	// Fields that must be equal; a list contains the value
	Metadata map[string]any `json:"metadata,omitzero"`
}

// SearchResponse is a model of the API.
type SearchResponse struct {
	Query   string                 `json:"query"`
	Results []SearchResponseResult `json:"results"`
	TookMS  int64                  `json:"took_ms"`
}

// SearchResponseResult is a model of the API.
type SearchResponseResult struct {
	// One of: document, memory.
	Type string `json:"type"`
	// Chunk id, or memory entity id
	ID string `json:"id"`
	// 0–1, comparable within an answer
	Score      float64 `json:"score"`
	DocumentID *string `json:"document_id"`
	ChunkID    *string `json:"chunk_id"`
	Title      string  `json:"title"`
	Content    string  `json:"content"`
	Page       *int64  `json:"page"`
	// Stretches of the content with most of the words, as plain text
	Highlights []string `json:"highlights"`
	// Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by
	Metadata map[string]any `json:"metadata"`
}

// ServerInfo is a model of the API.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// SetCostLimitsRequest is a model of the API.
type SetCostLimitsRequest struct {
	Limits []SetCostLimitsRequestLimit `json:"limits"`
}

// SetCostLimitsRequestLimit is a model of the API.
type SetCostLimitsRequestLimit struct {
	// One of: tenant, user, agent, run.
	Scope string `json:"scope"`
	// User or agent id; nothing for tenant and run
	Subject *string `json:"subject,omitempty"`
	// One of: day, month, run.
	Period string `json:"period"`
	// At most nine decimal places; 0 allows nothing that costs, null removes the limit
	LimitUSD *float64 `json:"limit_usd"`
}

// SetDirectoryGroupRolesRequest is a model of the API.
type SetDirectoryGroupRolesRequest struct {
	// None: the group gives no role. One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles"`
}

// SetMemoryPreferenceRequest is a model of the API.
type SetMemoryPreferenceRequest struct {
	// language: language of answers; tone: formal, friendly, …; answer_length: short, detailed, …; format: bullet points, tables, …; units: metric or imperial; time_zone: IANA name, e.g. Europe/Madrid; date_format: e.g. 31.12.2026; form_of_address: what the person wants to be called; theme: dark or light; other: anything else, as a predicate. One of: language, tone, answer_length, format, units, time_zone, date_format, form_of_address, theme, other.
	Name string `json:"name"`
	// A new value takes the place of the old one; other keeps several
	Value string `json:"value"`
}

// Share is a model of the API.
type Share struct {
	ID             string `json:"id"`
	ConversationID string `json:"conversation_id"`
	// One of: tenant, link.
	Audience string `json:"audience"`
	// Of the conversation when it was shared
	Title *string `json:"title"`
	// The last message that is shown
	UpToMessageID string `json:"up_to_message_id"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt string `json:"expires_at"`
}

// ShareConversationRequest is a model of the API.
type ShareConversationRequest struct {
	// tenant: whoever is signed in in the tenant and has the link. link: whoever has the link; only where the setting SHARE_LINKS allows it. One of: tenant, link.
	Audience string `json:"audience"`
	// When it can be read no longer; by default in 30 days, at the most SHARE_MAX_DAYS
	ExpiresAt *string `json:"expires_at,omitempty"`
	// The last message that is shown, with all that it follows; absent: the last one of the active branch
	UpToMessageID *string `json:"up_to_message_id,omitempty"`
}

// ShareConversationResult is a model of the API.
type ShareConversationResult struct {
	ID             string `json:"id"`
	ConversationID string `json:"conversation_id"`
	// One of: tenant, link.
	Audience string `json:"audience"`
	// Of the conversation when it was shared
	Title *string `json:"title"`
	// The last message that is shown
	UpToMessageID string `json:"up_to_message_id"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	ExpiresAt string `json:"expires_at"`
	// Opens it at GET shares/{token}; shown only now
	Token string `json:"token"`
	// The page of the console that shows it; shown only now
	URL string `json:"url"`
	// True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one
	SecretWithheld *bool `json:"secret_withheld,omitempty"`
}

// Tally is a model of the API.
type Tally struct {
	Approve int64 `json:"approve"`
	Reject  int64 `json:"reject"`
	Abstain int64 `json:"abstain"`
	Needed  int64 `json:"needed"`
	Seats   int64 `json:"seats"`
}

// Task is a model of the API.
type Task struct {
	ID          string         `json:"id"`
	Description string         `json:"description"`
	AgentID     *string        `json:"agent_id"`
	Context     map[string]any `json:"context"`
	// One of: low, normal, high, urgent.
	Priority string `json:"priority"`
	// ISO 8601 UTC with milliseconds
	ScheduledAt *string `json:"scheduled_at"`
	Cron        *string `json:"cron"`
	Timezone    string  `json:"timezone"`
	// A slot that comes due while the last run goes on: left out, or run afterwards (default skip). One of: skip, queue.
	Overlap string `json:"overlap"`
	// Slots missed while the platform was down: one run for all of them, or none (default run_once). One of: run_once, skip.
	Missed string `json:"missed"`
	// One of: scheduled, queued, running, awaiting_approval, completed, failed, cancelled.
	Status   string        `json:"status"`
	Progress *TaskProgress `json:"progress"`
	Result   *TaskResult   `json:"result"`
	Error    *MessageError `json:"error"`
	// Of the newest run
	Attempts int64 `json:"attempts"`
	// Chat runs, newest last, at most 50
	RunIDs []string `json:"run_ids"`
	// ISO 8601 UTC with milliseconds
	NextRunAt *string `json:"next_run_at"`
	// While true next_run_at is null
	Paused    bool   `json:"paused"`
	CreatedBy string `json:"created_by"`
	// The task whose run has made it
	ParentTaskID *string `json:"parent_task_id"`
	// 1: made by a person or in a chat; 2: by a run of such a task
	Depth int64 `json:"depth"`
	// Made by a run that held untrusted content (its own runs then ask before they reach out or change own things), or one of its runs has read such content: who reads the task by a tool has that mark
	Tainted bool `json:"tainted"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
	// ISO 8601 UTC with milliseconds
	FinishedAt *string `json:"finished_at"`
}

// TaskProgress is a model of the API.
type TaskProgress struct {
	// 100 when done; null while nobody can know
	Percent *int64 `json:"percent"`
	// What goes on: an agent, a tool
	Step      *string `json:"step"`
	ToolCalls int64   `json:"tool_calls"`
	// Of the answer so far
	Characters int64 `json:"characters"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
}

// TaskResult is a model of the API.
type TaskResult struct {
	Content        string `json:"content"`
	RunID          string `json:"run_id"`
	ConversationID string `json:"conversation_id"`
	MessageID      string `json:"message_id"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
}

// TaskRun is a model of the API.
type TaskRun struct {
	ID     string `json:"id"`
	TaskID string `json:"task_id"`
	// One of: queued, running, awaiting_approval, completed, failed, cancelled, skipped.
	Status string `json:"status"`
	// ISO 8601 UTC with milliseconds
	ScheduledFor string `json:"scheduled_for"`
	Attempts     int64  `json:"attempts"`
	// One chat run for each attempt
	RunIDs         []string      `json:"run_ids"`
	ConversationID *string       `json:"conversation_id"`
	Result         *TaskResult   `json:"result"`
	Error          *MessageError `json:"error"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	StartedAt *string `json:"started_at"`
	// ISO 8601 UTC with milliseconds
	FinishedAt *string `json:"finished_at"`
}

// Tenant is a model of the API.
type Tenant struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Slug string `json:"slug"`
	// One of: free, pro, enterprise.
	Tier string `json:"tier"`
	// One of: active, suspended.
	Status   string         `json:"status"`
	Settings map[string]any `json:"settings"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
}

// TestMCPServerRequest is a model of the API.
type TestMCPServerRequest struct {
	// One of: stdio, http.
	Transport string `json:"transport"`
	// Program of a stdio server; MCP_ALLOW_STDIO must name it
	Command *string           `json:"command,omitempty"`
	Args    []string          `json:"args,omitzero"`
	Env     map[string]string `json:"env,omitzero"`
	// Address of an http server
	URL     *string                      `json:"url,omitempty"`
	Headers map[string]string            `json:"headers,omitzero"`
	Oauth   *CreateMCPServerRequestOauth `json:"oauth,omitempty"`
}

// TestMCPServerResult is a model of the API.
type TestMCPServerResult struct {
	Ok              bool                      `json:"ok"`
	Error           *string                   `json:"error"`
	ProtocolVersion *string                   `json:"protocol_version"`
	ServerInfo      *ServerInfo               `json:"server_info"`
	Tools           []TestMCPServerResultTool `json:"tools"`
	Log             []string                  `json:"log"`
}

// TestMCPServerResultTool is a model of the API.
type TestMCPServerResultTool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// TokenResponse is a model of the API.
type TokenResponse struct {
	// JWT for the Authorization header
	AccessToken string `json:"access_token"`
	// For one use; the answer brings its successor
	RefreshToken string `json:"refresh_token"`
	// One of: bearer.
	TokenType string `json:"token_type"`
	// Seconds until the access token expires
	ExpiresIn int64 `json:"expires_in"`
}

// ToolCall is a model of the API.
type ToolCall struct {
	ID        string         `json:"id"`
	AgentID   *string        `json:"agent_id"`
	Server    string         `json:"server"`
	Name      string         `json:"name"`
	Arguments map[string]any `json:"arguments"`
	// handed_over: a tool of the client (server "client"), which runs it itself. One of: completed, failed, denied, awaiting_approval, unknown, handed_over.
	Status string `json:"status"`
	// What the tool answered; null where it did not
	Result     any     `json:"result"`
	Error      *string `json:"error"`
	DurationMS int64   `json:"duration_ms"`
	// US dollars, exact to 1e-9
	CostUSD float64 `json:"cost_usd"`
}

// UpdateAgentRequest is a model of the API.
type UpdateAgentRequest struct {
	Enabled      *bool             `json:"enabled,omitempty"`
	Model        *Nullable[string] `json:"model,omitempty"`
	Instructions *Nullable[string] `json:"instructions,omitempty"`
	AllTools     *bool             `json:"all_tools,omitempty"`
}

// UpdateConversationRequest is a model of the API.
type UpdateConversationRequest struct {
	Title    *Nullable[string] `json:"title,omitempty"`
	Metadata map[string]any    `json:"metadata,omitzero"`
	Pinned   *bool             `json:"pinned,omitempty"`
	Folder   *Nullable[string] `json:"folder,omitempty"`
	// Picks the branch that leads through this message, down to its newest one; 409 during a turn
	ActiveMessageID *string `json:"active_message_id,omitempty"`
}

// UpdateDocumentRequest is a model of the API.
type UpdateDocumentRequest struct {
	Title *string `json:"title,omitempty"`
	// Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by
	Metadata map[string]any `json:"metadata,omitzero"`
	// private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant. One of: private, tenant, role.
	Visibility *string `json:"visibility,omitempty"`
	// Who may read it with the visibility role. One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles,omitzero"`
	// An administrator vouches for the document as it is (`knowledge:manage`): what is read of it does not mark a conversation. Other content or another title sets it back
	Trusted *bool `json:"trusted,omitempty"`
	// The version that was looked at; with another present one 409
	SeenVersion *int64 `json:"seen_version,omitempty"`
}

// UpdateMCPServerRequest is a model of the API.
type UpdateMCPServerRequest struct {
	// Program of a stdio server; MCP_ALLOW_STDIO must name it
	Command *string           `json:"command,omitempty"`
	Args    []string          `json:"args,omitzero"`
	Env     map[string]string `json:"env,omitzero"`
	// Address of an http server
	URL     *string                      `json:"url,omitempty"`
	Headers map[string]string            `json:"headers,omitzero"`
	Oauth   *CreateMCPServerRequestOauth `json:"oauth,omitempty"`
	Title   *string                      `json:"title,omitempty"`
	Enabled *bool                        `json:"enabled,omitempty"`
	// Longest time of a call that names none
	TimeoutMS *int64                        `json:"timeout_ms,omitempty"`
	Policy    *CreateMCPServerRequestPolicy `json:"policy,omitempty"`
	Access    *CreateMCPServerRequestAccess `json:"access,omitempty"`
}

// UpdateMemoryEntityRequest is a model of the API.
type UpdateMemoryEntityRequest struct {
	// New name; 409 when another entity of the type has it
	Name *string `json:"name,omitempty"`
	// New type
	EntityType *string  `json:"entity_type,omitempty"`
	Importance *float64 `json:"importance,omitempty"`
	// Shares an own entity with the tenant; needs memory:*. One of: tenant.
	Visibility *string `json:"visibility,omitempty"`
}

// UpdateMemoryRelationRequest is a model of the API.
type UpdateMemoryRelationRequest struct {
	// New type
	RelationType *string        `json:"relation_type,omitempty"`
	Properties   map[string]any `json:"properties,omitzero"`
	// ISO 8601 UTC with milliseconds
	ValidFrom *string `json:"valid_from,omitempty"`
	// Ends the relation; null lets it hold again
	ValidTo *Nullable[string] `json:"valid_to,omitempty"`
}

// UpdateMyUserRequest is a model of the API.
type UpdateMyUserRequest struct {
	Name *string `json:"name,omitempty"`
}

// UpdateNotificationPreferencesRequest is a model of the API.
type UpdateNotificationPreferencesRequest struct {
	Categories UpdateNotificationPreferencesRequestCategories `json:"categories"`
}

// UpdateNotificationPreferencesRequestCategories is a model of the API.
type UpdateNotificationPreferencesRequestCategories struct {
	Tasks     *UpdateNotificationPreferencesRequestCategoriesTasks `json:"tasks,omitempty"`
	Proposals *UpdateNotificationPreferencesRequestCategoriesTasks `json:"proposals,omitempty"`
	Costs     *UpdateNotificationPreferencesRequestCategoriesTasks `json:"costs,omitempty"`
	Documents *UpdateNotificationPreferencesRequestCategoriesTasks `json:"documents,omitempty"`
	Agents    *UpdateNotificationPreferencesRequestCategoriesTasks `json:"agents,omitempty"`
	System    *UpdateNotificationPreferencesRequestCategoriesTasks `json:"system,omitempty"`
}

// UpdateNotificationPreferencesRequestCategoriesTasks is a model of the API.
type UpdateNotificationPreferencesRequestCategoriesTasks struct {
	// In the inbox, and on open WebSockets
	Inbox *bool `json:"inbox,omitempty"`
	// By e-mail, where the platform has a mail server
	Email *bool `json:"email,omitempty"`
	// To the webhooks of the tenant that subscribe to notification
	Webhook *bool `json:"webhook,omitempty"`
}

// UpdateTaskRequest is a model of the API.
type UpdateTaskRequest struct {
	// What is to be done, as one would tell an agent
	Description *string `json:"description,omitempty"`
	// Agent that does it; absent: Zeus chooses
	AgentID *Nullable[string] `json:"agent_id,omitempty"`
	// Up to 32 KiB, given to the agent as data; model picks a configured model
	Context map[string]any `json:"context,omitzero"`
	// One of: low, normal, high, urgent.
	Priority    *string `json:"priority,omitempty"`
	ScheduledAt *string `json:"scheduled_at,omitempty"`
	// Five fields, names allowed: 0 9 * * MON-FRI
	Cron *string `json:"cron,omitempty"`
	// IANA time zone of cron (default UTC)
	Timezone *string `json:"timezone,omitempty"`
	// A slot that comes due while the last run goes on: left out, or run afterwards (default skip). One of: skip, queue.
	Overlap *string `json:"overlap,omitempty"`
	// Slots missed while the platform was down: one run for all of them, or none (default run_once). One of: run_once, skip.
	Missed *string `json:"missed,omitempty"`
	// true: no slot is taken any more; false: goes on with the next one from now
	Paused *bool `json:"paused,omitempty"`
}

// UpdateTenantRequest is a model of the API.
type UpdateTenantRequest struct {
	Name *string `json:"name,omitempty"`
	Slug *string `json:"slug,omitempty"`
	// One of: free, pro, enterprise.
	Tier *string `json:"tier,omitempty"`
	// One of: active, suspended.
	Status *string `json:"status,omitempty"`
	// `timezone` (IANA) is what days and months of costs go by; the rest is free, up to 32 KiB
	Settings map[string]any `json:"settings,omitzero"`
}

// UpdateUserRequest is a model of the API.
type UpdateUserRequest struct {
	Name *string `json:"name,omitempty"`
	// One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles,omitzero"`
	// Permissions beyond those of the roles. One of: chat:write, conversations:read, conversations:write, agents:read, agents:manage, knowledge:read, knowledge:write, knowledge:manage, memory:read, memory:write, mcp:read, mcp:call, mcp:manage, governance:read, governance:propose, governance:vote, tasks:read, tasks:write, costs:read, costs:manage, analytics:read, audit:read, webhooks:read, webhooks:manage, notifications:read, notifications:write, keys:read, keys:write, profile:write, users:read, users:manage, tenants:read, tenants:manage, clients:manage, scim:manage.
	Permissions []string `json:"permissions,omitzero"`
	// One of: free, pro, enterprise.
	Tier *Nullable[string] `json:"tier,omitempty"`
	// One of: active, deactivated.
	Status *string `json:"status,omitempty"`
}

// UpdateWebhookRequest is a model of the API.
type UpdateWebhookRequest struct {
	// Public https address; loopback, private, link-local and metadata addresses are refused
	URL *string `json:"url,omitempty"`
	// Types of events, or * for all. One of: *, conversation.completed, message.created, proposal.created, proposal.decided, task.completed, task.failed, document.indexed, document.failed, cost.alert, cost.limit_reached, agent.state_changed, user.created, notification.
	Events      []string          `json:"events,omitzero"`
	Description *Nullable[string] `json:"description,omitempty"`
	// active switches a disabled one on again. One of: active, disabled.
	Status *string `json:"status,omitempty"`
}

// Usage is a model of the API.
type Usage struct {
	InputTokens       int64 `json:"input_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	ReasoningTokens   int64 `json:"reasoning_tokens"`
}

// User is a model of the API.
type User struct {
	ID string `json:"id"`
	// One of: person, service.
	Type  string `json:"type"`
	Email string `json:"email"`
	Name  string `json:"name"`
	// One of: admin, operator, analyst, user, readonly.
	Roles []string `json:"roles"`
	// Permissions beyond those of the roles
	Permissions []string `json:"permissions"`
	TenantID    string   `json:"tenant_id"`
	// The tenant's, or the override of this account. One of: free, pro, enterprise.
	Tier string `json:"tier"`
	// One of: active, invited, deactivated.
	Status string `json:"status"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	LastSeenAt *string `json:"last_seen_at"`
}

// VerifyAuditResult is a model of the API.
type VerifyAuditResult struct {
	Ok bool `json:"ok"`
	// Rows whose place in the chain was proved
	Events int64 `json:"events"`
	// seq of the first row that does not fit
	BrokenAt *int64  `json:"broken_at"`
	Reason   *string `json:"reason"`
	// Rows signed with the key of the platform; those before the first one are chained alone
	Signed int64 `json:"signed"`
}

// Vote is a model of the API.
type Vote struct {
	// Agent id or user id
	Voter string `json:"voter"`
	// One of: agent, user.
	VoterType string `json:"voter_type"`
	// One of: athena, hermes, aegis, hephaestus, prometheus.
	Seat *string `json:"seat"`
	// One of: approve, reject, abstain.
	Vote   string `json:"vote"`
	Reason string `json:"reason"`
	// One of: security_risk, data_breach, compliance, personal_data.
	VetoReason *string  `json:"veto_reason"`
	Confidence *float64 `json:"confidence"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
}

// VoteOnProposalRequest is a model of the API.
type VoteOnProposalRequest struct {
	// One of: approve, reject, abstain.
	Vote   string  `json:"vote"`
	Reason *string `json:"reason,omitempty"`
	// Default: the first whose agent has not approved. One of: athena, hermes, aegis, hephaestus, prometheus.
	Seat *string `json:"seat,omitempty"`
}

// Webhook is a model of the API.
type Webhook struct {
	ID          string   `json:"id"`
	URL         string   `json:"url"`
	Events      []string `json:"events"`
	Description *string  `json:"description"`
	// One of: active, disabled.
	Status string `json:"status"`
	// gone: the receiver answered 410; failing: nothing was delivered for five days; key_deleted, account_inactive: whoever made or changed it cannot read for it any more, and who switches it on stands in for them. One of: gone, failing, manual, key_deleted, account_inactive.
	DisabledReason *string `json:"disabled_reason"`
	// ISO 8601 UTC with milliseconds
	PreviousSecretExpiresAt *string `json:"previous_secret_expires_at"`
	CreatedBy               string  `json:"created_by"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	UpdatedAt string `json:"updated_at"`
}

// WebhookDelivery is a model of the API.
type WebhookDelivery struct {
	// The webhook-id header of all attempts
	ID        string `json:"id"`
	WebhookID string `json:"webhook_id"`
	Event     string `json:"event"`
	// One of: pending, delivered, failed, cancelled.
	Status string `json:"status"`
	// switched_off: the webhook was; not_allowed: it may not read the record any more. One of: switched_off, not_allowed.
	CancelledReason *string `json:"cancelled_reason"`
	Attempts        int64   `json:"attempts"`
	// Of the last attempt
	ResponseStatus *int64 `json:"response_status"`
	// ISO 8601 UTC with milliseconds
	NextAttemptAt *string `json:"next_attempt_at"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	FinishedAt *string `json:"finished_at"`
}

// WebhookDeliveryDetail is a model of the API.
type WebhookDeliveryDetail struct {
	// The webhook-id header of all attempts
	ID        string `json:"id"`
	WebhookID string `json:"webhook_id"`
	Event     string `json:"event"`
	// One of: pending, delivered, failed, cancelled.
	Status string `json:"status"`
	// switched_off: the webhook was; not_allowed: it may not read the record any more. One of: switched_off, not_allowed.
	CancelledReason *string `json:"cancelled_reason"`
	Attempts        int64   `json:"attempts"`
	// Of the last attempt
	ResponseStatus *int64 `json:"response_status"`
	// ISO 8601 UTC with milliseconds
	NextAttemptAt *string `json:"next_attempt_at"`
	// ISO 8601 UTC with milliseconds
	CreatedAt string `json:"created_at"`
	// ISO 8601 UTC with milliseconds
	FinishedAt *string `json:"finished_at"`
	// What is sent, the first 16 KiB; absent for readers who may not read the record that it tells of
	RequestBody *string `json:"request_body,omitempty"`
	// Why there is no request_body, and nothing of what the receiver said
	BodyWithheld *string                    `json:"body_withheld,omitempty"`
	Log          []WebhookDeliveryDetailLog `json:"log"`
}

// WebhookDeliveryDetailLog is a model of the API.
type WebhookDeliveryDetailLog struct {
	// ISO 8601 UTC with milliseconds
	AttemptedAt string                            `json:"attempted_at"`
	DurationMS  int64                             `json:"duration_ms"`
	Request     WebhookDeliveryDetailLogRequest   `json:"request"`
	Response    *WebhookDeliveryDetailLogResponse `json:"response"`
	Error       *string                           `json:"error"`
}

// WebhookDeliveryDetailLogRequest is a model of the API.
type WebhookDeliveryDetailLogRequest struct {
	// Without the signature
	Headers map[string]any `json:"headers"`
}

// WebhookDeliveryDetailLogResponse is a model of the API.
type WebhookDeliveryDetailLogResponse struct {
	Status  int64          `json:"status"`
	Headers map[string]any `json:"headers"`
	// The first 4 KiB
	Body string `json:"body"`
}

// CallMCPToolOutcome holds the one of these that the server answered.
type CallMCPToolOutcome struct {
	MCPCallResult
	MCPCallPending
}

// ListUsersAsAdminQuery narrows a list; zero values are left out.
type ListUsersAsAdminQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// Part of the name or e-mail
	Q string
	// One of: active, invited, deactivated.
	Status string
	// One of: person, service.
	Type string
}

func (query *ListUsersAsAdminQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "q", query.Q)
	setText(values, "status", query.Status)
	setText(values, "type", query.Type)
	return values
}

// ListUsersQuery narrows a list; zero values are left out.
type ListUsersQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// Part of the name or e-mail
	Q string
	// One of: active, invited, deactivated.
	Status string
	// One of: person, service.
	Type string
}

func (query *ListUsersQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "q", query.Q)
	setText(values, "status", query.Status)
	setText(values, "type", query.Type)
	return values
}

// ListPersonalTokensQuery narrows a list; zero values are left out.
type ListPersonalTokensQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListPersonalTokensQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListAgentsQuery narrows a list; zero values are left out.
type ListAgentsQuery struct {
	// Default 1
	Page int64
	// Default 20
	Limit int64
}

func (query *ListAgentsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	return values
}

// ListAgentSuggestionsQuery narrows a list; zero values are left out.
type ListAgentSuggestionsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// One of: open, accepted, rejected.
	Status  string
	AgentID string
}

func (query *ListAgentSuggestionsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "status", query.Status)
	setText(values, "agent_id", query.AgentID)
	return values
}

// GetAgentMetricsQuery narrows a list; zero values are left out.
type GetAgentMetricsQuery struct {
	// One of: 1h, 24h, 7d, 30d.
	Window string
}

func (query *GetAgentMetricsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "window", query.Window)
	return values
}

// ListConversationsQuery narrows a list; zero values are left out.
type ListConversationsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// One of: active, archived, unlisted.
	Status string
	// Searches titles and messages; each conversation has the newest message found as its hit
	Q string
	// true: those that are pinned; false: the others
	Pinned *bool
	Folder string
	// One of: me, tenant.
	Scope string
}

func (query *ListConversationsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "status", query.Status)
	setText(values, "q", query.Q)
	setAny(values, "pinned", query.Pinned)
	setText(values, "folder", query.Folder)
	setText(values, "scope", query.Scope)
	return values
}

// ListFoldersQuery narrows a list; zero values are left out.
type ListFoldersQuery struct {
	// One of: active, archived.
	Status string
}

func (query *ListFoldersQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "status", query.Status)
	return values
}

// ArchiveConversationQuery narrows a list; zero values are left out.
type ArchiveConversationQuery struct {
	// Deletes it for good, archived or not, with all its messages and runs
	Permanent *bool
}

func (query *ArchiveConversationQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setAny(values, "permanent", query.Permanent)
	return values
}

// ExportConversationQuery narrows a list; zero values are left out.
type ExportConversationQuery struct {
	// One of: json, markdown.
	Format string
}

func (query *ExportConversationQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "format", query.Format)
	return values
}

// ListMessagesQuery narrows a list; zero values are left out.
type ListMessagesQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// One of: asc, desc.
	Order string
	// One of: active, all.
	Branches string
}

func (query *ListMessagesQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "order", query.Order)
	setText(values, "branches", query.Branches)
	return values
}

// ListSharesQuery narrows a list; zero values are left out.
type ListSharesQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListSharesQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// GetCostUsageQuery narrows a list; zero values are left out.
type GetCostUsageQuery struct {
	// One of: day, week, month, custom.
	Period string
	// ISO 8601 time, or date (from its beginning)
	From string
	// ISO 8601 time (exclusive), or date (to its end)
	To string
	// One of: me, tenant.
	Scope string
	// Page of by_user, the dearest first; default 1
	UsersPage int64
	// Users on a page; default 100
	UsersLimit int64
}

func (query *GetCostUsageQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "period", query.Period)
	setText(values, "from", query.From)
	setText(values, "to", query.To)
	setText(values, "scope", query.Scope)
	setInteger(values, "users_page", query.UsersPage)
	setInteger(values, "users_limit", query.UsersLimit)
	return values
}

// ExportCostUsageQuery narrows a list; zero values are left out.
type ExportCostUsageQuery struct {
	// One of: day, week, month, custom.
	Period string
	// ISO 8601 time, or date (from its beginning)
	From string
	// ISO 8601 time (exclusive), or date (to its end)
	To string
	// One of: me, tenant.
	Scope string
	// Page of by_user, the dearest first; default 1
	UsersPage int64
	// Users on a page; default 100
	UsersLimit int64
}

func (query *ExportCostUsageQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "period", query.Period)
	setText(values, "from", query.From)
	setText(values, "to", query.To)
	setText(values, "scope", query.Scope)
	setInteger(values, "users_page", query.UsersPage)
	setInteger(values, "users_limit", query.UsersLimit)
	return values
}

// ListProposalsQuery narrows a list; zero values are left out.
type ListProposalsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// One of: voting, awaiting_human, approved, rejected, vetoed, expired, cancelled.
	Status         string
	RunID          string
	ConversationID string
}

func (query *ListProposalsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "status", query.Status)
	setText(values, "run_id", query.RunID)
	setText(values, "conversation_id", query.ConversationID)
	return values
}

// ListDocumentsQuery narrows a list; zero values are left out.
type ListDocumentsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// Comma-separated; documents with any of them
	Tags string
	// Comma-separated, e.g. `pdf` or `application/pdf`; any of them
	ContentType string
	// Part of the title or file name
	Q string
	// One of: indexed, processing, failed.
	Status string
}

func (query *ListDocumentsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "tags", query.Tags)
	setText(values, "content_type", query.ContentType)
	setText(values, "q", query.Q)
	setText(values, "status", query.Status)
	return values
}

// ListDocumentChunksQuery narrows a list; zero values are left out.
type ListDocumentChunksQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListDocumentChunksQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// GetDocumentContentQuery narrows a list; zero values are left out.
type GetDocumentContentQuery struct {
	// One of: original, text.
	Format string
}

func (query *GetDocumentContentQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "format", query.Format)
	return values
}

// ListMCPServersQuery narrows a list; zero values are left out.
type ListMCPServersQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListMCPServersQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ReadMCPResourceQuery narrows a list; zero values are left out.
type ReadMCPResourceQuery struct {
	URI string
}

func (query *ReadMCPResourceQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "uri", query.URI)
	return values
}

// ListMCPToolsQuery narrows a list; zero values are left out.
type ListMCPToolsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListMCPToolsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListMemoryEntitiesQuery narrows a list; zero values are left out.
type ListMemoryEntitiesQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// Part of the name or of an observation, in any case
	Q string
	// Entity type
	Type string
}

func (query *ListMemoryEntitiesQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "q", query.Q)
	setText(values, "type", query.Type)
	return values
}

// GetMemoryGraphQuery narrows a list; zero values are left out.
type GetMemoryGraphQuery struct {
	// Where to start; all that the caller may read without it
	EntityID string
	// Steps from the start (default 1)
	Depth int64
	// What held at this time (default now)
	At string
	// Entities at most (default 200), with up to five relations for each
	Limit int64
}

func (query *GetMemoryGraphQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "entity_id", query.EntityID)
	setInteger(values, "depth", query.Depth)
	setText(values, "at", query.At)
	setInteger(values, "limit", query.Limit)
	return values
}

// ImportMemoryQuery narrows a list; zero values are left out.
type ImportMemoryQuery struct {
	// One of: private, tenant.
	Visibility string
}

func (query *ImportMemoryQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setText(values, "visibility", query.Visibility)
	return values
}

// ListMemoryPreferencesQuery narrows a list; zero values are left out.
type ListMemoryPreferencesQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListMemoryPreferencesQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListMemoryRelationsQuery narrows a list; zero values are left out.
type ListMemoryRelationsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// Either end of the relation
	EntityID string
	// Relation type
	Type string
	// Only what holds at this time
	At string
}

func (query *ListMemoryRelationsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "entity_id", query.EntityID)
	setText(values, "type", query.Type)
	setText(values, "at", query.At)
	return values
}

// ListModelsQuery narrows a list; zero values are left out.
type ListModelsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListModelsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListNotificationsQuery narrows a list; zero values are left out.
type ListNotificationsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// true: only what has not been read
	Unread *bool
	// One of: tasks, proposals, costs, documents, agents, system.
	Category string
}

func (query *ListNotificationsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setAny(values, "unread", query.Unread)
	setText(values, "category", query.Category)
	return values
}

// ListTasksQuery narrows a list; zero values are left out.
type ListTasksQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// One of: scheduled, queued, running, awaiting_approval, completed, failed, cancelled.
	Status  string
	AgentID string
}

func (query *ListTasksQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "status", query.Status)
	setText(values, "agent_id", query.AgentID)
	return values
}

// ListTaskRunsQuery narrows a list; zero values are left out.
type ListTaskRunsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListTaskRunsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListWebhooksQuery narrows a list; zero values are left out.
type ListWebhooksQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListWebhooksQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListWebhookDeliveriesQuery narrows a list; zero values are left out.
type ListWebhookDeliveriesQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// One of: pending, delivered, failed, cancelled.
	Status string
	Event  string
}

func (query *ListWebhookDeliveriesQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "status", query.Status)
	setText(values, "event", query.Event)
	return values
}

// ListAuditEventsQuery narrows a list; zero values are left out.
type ListAuditEventsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
	// Id of who acted
	Actor string
	// Whole action, or its beginning up to a dot
	Action string
	// One of: success, refused, failed.
	Outcome string
	// Id of what was acted on
	Target string
	// ISO 8601 UTC with milliseconds
	From string
	// ISO 8601 UTC with milliseconds
	To string
}

func (query *ListAuditEventsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	setText(values, "actor", query.Actor)
	setText(values, "action", query.Action)
	setText(values, "outcome", query.Outcome)
	setText(values, "target", query.Target)
	setText(values, "from", query.From)
	setText(values, "to", query.To)
	return values
}

// ListAPIKeysQuery narrows a list; zero values are left out.
type ListAPIKeysQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListAPIKeysQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListDirectoryGroupsQuery narrows a list; zero values are left out.
type ListDirectoryGroupsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListDirectoryGroupsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListOauthClientsQuery narrows a list; zero values are left out.
type ListOauthClientsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListOauthClientsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}

// ListTenantsQuery narrows a list; zero values are left out.
type ListTenantsQuery struct {
	// Page number, from 1 (default 1)
	Page int64
	// Items per page (default 20)
	Limit int64
	// next_cursor of the answer before, in place of page
	Cursor string
}

func (query *ListTenantsQuery) values() url.Values {
	values := url.Values{}
	if query == nil {
		return values
	}
	setInteger(values, "page", query.Page)
	setInteger(values, "limit", query.Limit)
	setText(values, "cursor", query.Cursor)
	return values
}
