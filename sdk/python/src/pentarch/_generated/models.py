# Generated from api/openapi.json by sdk/codegen. Do not edit.

from __future__ import annotations

from typing import Any, Literal, TypedDict

from .._record import Record, bind


class AcceptMcpToolRequest(TypedDict, total=False):
    fingerprint: str
    """Of the tool as it was looked at"""


class AcceptMcpToolsRequest(TypedDict, total=False):
    fingerprints: dict[str, str]
    """By tool, of what was looked at; without it, all that are new"""


class AddMemoryObservationsRequest(TypedDict, total=False):
    text: str
    """One fact"""
    observations: list[str | CorrectMemoryObservationRequest]


class AuthorizeDeviceForm(TypedDict, total=False):
    client_id: str
    """Of a public client, or with client_secret"""
    client_secret: str
    """In place of HTTP Basic"""
    client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"]
    client_assertion: str
    """A JWT signed with a key of the client"""
    scope: str
    """Some of: openid profile email offline_access"""
    nonce: str
    resource: str
    """RFC 8707: the address of the service or of its MCP endpoint"""


class AuthorizeMcpServerRequest(TypedDict, total=False):
    answer: str
    """To finish: what a browser was shown that had not begun the sign-in"""


class _CallMcpToolRequest(TypedDict):
    tool: str


class CallMcpToolRequest(_CallMcpToolRequest, total=False):
    arguments: dict[str, Any]
    timeout_ms: int
    """The call is cancelled after so long"""


class ChangeMyPasswordRequest(TypedDict):
    current_password: str
    new_password: str


class _ChatRequest(TypedDict):
    message: str
    """What the person says; the setting MAX_MESSAGE_CHARS may allow less"""


class ChatRequest(_ChatRequest, total=False):
    conversation_id: str
    """Conversation to continue; absent: a new one"""
    parent_message_id: str | None
    """Message of the conversation that this one follows; absent: the last one of the active branch; null: none, a first message"""
    context: dict[str, Any]
    """Up to 32 KiB. agent_id addresses one agent, model picks a configured model; the rest goes to the agent as data"""
    attachments: list[ChatRequestAttachment]
    """Each has one of document_id, image and picture_id. Documents that the message is about are looked at first, in all of the conversation; up to 10 pictures are shown to a model that can see, else the message is refused before it costs anything"""
    store: bool
    """false: a temporary chat, of which nothing but its costs is stored. It has no conversation, and what was said before comes with it as history. Default true"""
    history: list[ChatRequestHistory]
    """Of a temporary chat: what was said before, oldest first"""
    response_schema: dict[str, Any]
    """A JSON Schema of up to 32 KiB that the answer has to fit: content is JSON then, and parsed its value"""


class ChatRequestAttachment(TypedDict, total=False):
    document_id: str
    """A document that the caller can read; one that is a picture is also shown to a model that can see"""
    image: str
    """A picture: PNG, JPEG, WebP or GIF of up to 3932160 bytes as base64 or a data: URL. It is stored without its metadata"""
    picture_id: str
    """A picture of the same conversation, once more"""
    name: str
    """With image: what the file is called"""


class ChatRequestHistory(TypedDict):
    role: Literal["user", "assistant"]
    content: str


class ConfirmProposalRequest(TypedDict):
    approve: bool
    """true: make the call; false: do not"""


class CorrectMemoryObservationRequest(TypedDict):
    text: str
    """One fact"""


class _CountMessageTokensRequest(TypedDict):
    model: str
    """pentarch finds the agent by itself; pentarch/athena addresses one"""
    messages: list[CreateMessageRequestMessage]


class CountMessageTokensRequest(_CountMessageTokensRequest, total=False):
    system: str | list[CreateMessageRequestMessageContent] | None
    """Blocks of type text, tool_use, tool_result and thinking, and of people image with base64; addresses and documents are refused"""
    tools: list[Any] | None
    """Tools that the client runs itself: a call of one ends the message with tool_use"""
    tool_choice: dict[str, Any] | None
    """type auto, any, tool (with name) or none"""
    output_config: dict[str, Any] | None
    """format: {"type": "json_schema", "schema"}; effort: low to max"""
    thinking: dict[str, Any] | None
    """Has no effect"""
    cache_control: dict[str, Any] | None
    """Has no effect"""


class _CreateApiKeyRequest(TypedDict):
    name: str


class CreateApiKeyRequest(_CreateApiKeyRequest, total=False):
    permissions: list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]]
    expires_at: str | None
    """ISO 8601 UTC with milliseconds"""


class _CreateChatCompletionRequest(TypedDict):
    model: str
    """pentarch finds the agent by itself; pentarch/athena addresses one"""
    messages: list[CreateChatCompletionRequestMessage]


class CreateChatCompletionRequest(_CreateChatCompletionRequest, total=False):
    stream: bool | None
    stream_options: CreateChatCompletionRequestStreamOptions | None
    max_tokens: int | None
    max_completion_tokens: int | None
    temperature: float | None
    user: str | None
    """Kept with the conversation; no rights come from it"""
    metadata: dict[str, str] | None
    """Kept with the conversation. conversation_id goes on with a stored one, whose history then counts"""
    n: int | None
    """1"""
    response_format: dict[str, Any] | None
    """{"type": "text"}, {"type": "json_object"} or {"type": "json_schema", "json_schema": {name, schema}}"""
    stop: str | list[str] | None
    """The answer ends before the first of them, where the provider has it"""
    logprobs: bool | None
    top_logprobs: int | None
    modalities: list[str] | None
    tools: list[Any] | None
    """Tools that the client runs itself: a call of one ends the completion with tool_calls"""
    tool_choice: Any
    """"none", "auto", "required" or {type: "function", function: {name}}"""
    functions: Any
    """Not supported: but with the function_call "none": send tools"""
    function_call: Any
    """Not supported: but "none" and "auto\""""
    audio: Any
    """Not supported: audio"""
    prediction: Any
    """Not supported: predicted outputs"""
    web_search_options: Any
    """Not supported: web search"""
    top_p: float | None
    frequency_penalty: float | None
    """Has no effect"""
    presence_penalty: float | None
    """Has no effect"""
    logit_bias: dict[str, Any] | None
    """Has no effect"""
    seed: int | None
    store: bool | None
    """true: the call’s conversation is listed among the caller’s. false: nothing of it is stored but its costs. Absent: stored, and not listed"""
    service_tier: str | None
    """Has no effect"""
    parallel_tool_calls: bool | None
    """false: at most one call of the client’s tools in an answer"""
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None
    verbosity: str | None
    """Has no effect"""
    safety_identifier: str | None
    """Has no effect"""
    prompt_cache_key: str | None
    """Has no effect"""
    prompt_cache_retention: str | None
    """Has no effect"""


class _CreateChatCompletionRequestMessage(TypedDict):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]


class CreateChatCompletionRequestMessage(_CreateChatCompletionRequestMessage, total=False):
    content: str | list[CreateChatCompletionRequestMessageContent] | None
    name: str


class _CreateChatCompletionRequestMessageContent(TypedDict):
    type: str


class CreateChatCompletionRequestMessageContent(_CreateChatCompletionRequestMessageContent, total=False):
    text: str


class CreateChatCompletionRequestStreamOptions(TypedDict, total=False):
    include_usage: bool
    include_obfuscation: bool


class CreateConversationRequest(TypedDict, total=False):
    title: str | None
    metadata: dict[str, Any]
    """Up to 16 KiB of your own data"""


class _CreateDocumentForm(TypedDict):
    file: str


class CreateDocumentForm(_CreateDocumentForm, total=False):
    title: str
    metadata: str
    """A JSON object"""
    visibility: Literal["private", "tenant", "role"]
    """private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant"""
    trusted: bool
    """An administrator vouches for the document as it is (`knowledge:manage`): what is read of it does not mark a conversation. Other content or another title sets it back"""


class CreateDocumentRequest(TypedDict, total=False):
    title: str
    """Needed with `content`"""
    content: str
    """The text itself; files are uploaded as a form"""
    url: str
    """In place of `content`: a public http or https address to read the document from"""
    external_id: str
    """A name of the source; the same again replaces the content of the document in place"""
    content_type: str
    """`markdown`, `text/html`, …; decides among text formats"""
    metadata: dict[str, Any]
    """Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by"""
    visibility: Literal["private", "tenant", "role"]
    """private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant"""
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    """Who may read it with the visibility role"""
    trusted: bool
    """An administrator vouches for the document as it is (`knowledge:manage`): what is read of it does not mark a conversation. Other content or another title sets it back"""


class _CreateEmbeddingsRequest(TypedDict):
    model: str
    input: str | list[Any]
    """A text or up to 256 texts; lists of token numbers are refused"""


class CreateEmbeddingsRequest(_CreateEmbeddingsRequest, total=False):
    encoding_format: Literal["float", "base64"] | None
    dimensions: int | None
    """The dimensions of the model, or absent"""
    user: str | None


class CreateMachineKeyRequest(TypedDict, total=False):
    type: Literal["KEY_TYPE_JSON"]
    expirationDate: str


class _CreateMcpServerRequest(TypedDict):
    name: str
    """a-z, 0-9 and -, up to 40"""
    transport: Literal["stdio", "http"]


class CreateMcpServerRequest(_CreateMcpServerRequest, total=False):
    command: str
    """Program of a stdio server; MCP_ALLOW_STDIO must name it"""
    args: list[str]
    env: dict[str, str]
    url: str
    """Address of an http server"""
    headers: dict[str, str]
    oauth: CreateMcpServerRequestOauth
    title: str
    enabled: bool
    timeout_ms: int
    """Longest time of a call that names none"""
    policy: CreateMcpServerRequestPolicy
    access: CreateMcpServerRequestAccess
    accept_tools: bool
    """You accept the tools that it lists at first, but for those that look like orders to the model (default false)"""


class CreateMcpServerRequestAccess(TypedDict, total=False):
    allow: list[CreateMcpServerRequestAccessAllow]
    deny: list[CreateMcpServerRequestAccessAllow]
    """Wins over allow"""


class CreateMcpServerRequestAccessAllow(TypedDict, total=False):
    tenants: list[str]
    """Ids of tenants"""
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    tools: list[str]
    """Globs"""


class CreateMcpServerRequestOauth(TypedDict, total=False):
    grant: Literal["authorization_code", "client_credentials"]
    client_id: str
    """Left out: registered where that is possible"""
    client_secret: str
    scope: str


class CreateMcpServerRequestPolicy(TypedDict, total=False):
    default: CreateMcpServerRequestPolicyDefault
    tools: dict[str, CreateMcpServerRequestPolicyDefault]
    """By glob of the tool name"""


class CreateMcpServerRequestPolicyDefault(TypedDict, total=False):
    cost_usd: float
    """Cost of one call"""
    risk: Literal["low", "medium", "high", "critical"]
    flags: list[Literal["security", "legal", "irreversible", "personal_data"]]
    approval: Literal["auto", "pentarchy", "human"]
    allow: list[CreateMcpServerRequestPolicyDefaultAllow]
    """Calls that are made unasked with untrusted content in the conversation: by argument, globs of the host of its address or of its text"""


class CreateMcpServerRequestPolicyDefaultAllow(TypedDict, total=False):
    hosts: dict[str, list[str]]
    arguments: dict[str, list[str]]


class _CreateMemoryEntityRequest(TypedDict):
    name: str
    """Unique by type within its owner"""
    entity_type: str
    """person, organization, project, …"""


class CreateMemoryEntityRequest(_CreateMemoryEntityRequest, total=False):
    observations: list[str | CorrectMemoryObservationRequest]
    importance: float
    visibility: Literal["private", "tenant"]
    """Default private; tenant needs memory:*"""


class _CreateMemoryRelationRequest(TypedDict):
    from_entity_id: str
    to_entity_id: str
    relation_type: str
    """works_at, knows, part_of, …"""


class CreateMemoryRelationRequest(_CreateMemoryRelationRequest, total=False):
    properties: dict[str, Any]
    valid_from: str
    """ISO 8601 UTC with milliseconds"""
    valid_to: str | None
    """ISO 8601 UTC with milliseconds"""
    visibility: Literal["private", "tenant"]
    """tenant needs memory:* and two shared entities"""


class _CreateMessageRequest(TypedDict):
    model: str
    """pentarch finds the agent by itself; pentarch/athena addresses one"""
    messages: list[CreateMessageRequestMessage]
    max_tokens: int
    """Cap of each model call"""


class CreateMessageRequest(_CreateMessageRequest, total=False):
    system: str | list[CreateMessageRequestMessageContent] | None
    """Blocks of type text, tool_use, tool_result and thinking, and of people image with base64; addresses and documents are refused"""
    tools: list[Any] | None
    """Tools that the client runs itself: a call of one ends the message with tool_use"""
    tool_choice: dict[str, Any] | None
    """type auto, any, tool (with name) or none"""
    output_config: dict[str, Any] | None
    """format: {"type": "json_schema", "schema"}; effort: low to max"""
    thinking: dict[str, Any] | None
    """Has no effect"""
    cache_control: dict[str, Any] | None
    """Has no effect"""
    stream: bool | None
    stop_sequences: list[str] | None
    temperature: float | None
    top_p: float | None
    metadata: dict[str, Any] | None
    """user_id is kept with the conversation, no rights come from it; conversation_id goes on with a stored one, whose history then counts"""
    store: bool | None
    """An addition of this door. true: the call’s conversation is listed among the caller’s. false: nothing of it is stored but its costs. Absent: stored, and not listed"""
    service_tier: str | None
    """Has no effect"""
    mcp_servers: Any
    """Not supported: servers of the platform are used"""


class CreateMessageRequestMessage(TypedDict):
    role: Literal["user", "assistant", "system"]
    content: str | list[CreateMessageRequestMessageContent]
    """Blocks of type text, tool_use, tool_result and thinking, and of people image with base64; addresses and documents are refused"""


class CreateMessageRequestMessageContent(TypedDict):
    type: str


class _CreateOauthClientRequest(TypedDict):
    name: str
    type: Literal["public", "confidential"]


class CreateOauthClientRequest(_CreateOauthClientRequest, total=False):
    redirect_uris: list[str]
    post_logout_redirect_uris: list[str]
    """Where people may be sent after a sign-out, compared exactly"""
    device_flow: bool
    """May sign people in by the device flow (RFC 8628)"""
    jwks: CreateOauthClientRequestJwks
    """Public keys of a confidential client that authenticates by private_key_jwt"""


class CreateOauthClientRequestJwks(TypedDict):
    keys: list[dict[str, Any]]


class _CreatePersonalTokenRequest(TypedDict):
    name: str


class CreatePersonalTokenRequest(_CreatePersonalTokenRequest, total=False):
    expires_at: str | None
    """ISO 8601 UTC with milliseconds"""


class _CreateProposalRequest(TypedDict):
    action: str
    estimated_cost: float
    """US dollars, at most nine decimal places"""


class CreateProposalRequest(_CreateProposalRequest, total=False):
    description: str
    risk: Literal["low", "medium", "high", "critical"]
    flags: list[Literal["security", "legal", "irreversible", "personal_data"]]
    tool: CreateProposalRequestTool


class _CreateProposalRequestTool(TypedDict):
    server: str
    name: str


class CreateProposalRequestTool(_CreateProposalRequestTool, total=False):
    arguments: dict[str, Any]


class _CreateResponseRequest(TypedDict):
    model: str
    """pentarch finds the agent by itself; pentarch/athena addresses one"""
    input: str | list[dict[str, Any]]
    """A text, or messages, function calls and their outputs; images as data: URLs, files are refused"""


class CreateResponseRequest(_CreateResponseRequest, total=False):
    instructions: str | None
    previous_response_id: str | None
    """Goes on with the conversation of the newest response in it"""
    conversation: Any | None
    """Id of a stored conversation, or {id}; not with previous_response_id"""
    stream: bool | None
    store: bool | None
    """true: the call’s conversation is listed among the caller’s. false: nothing of it is stored but its costs. Absent: stored, and not listed"""
    tools: list[Any] | None
    """Tools that the client runs itself: a call of one is an item of the type function_call"""
    tool_choice: Any
    """"none", "auto", "required" or {type: "function", name}"""
    parallel_tool_calls: bool | None
    text: dict[str, Any] | None
    """format: {type: "text"}, {type: "json_object"} or {type: "json_schema", name, schema}"""
    reasoning: CreateResponseRequestReasoning | None
    max_output_tokens: int | None
    temperature: float | None
    top_p: float | None
    metadata: dict[str, str] | None
    """Kept with the conversation"""
    user: str | None
    background: Any
    """Not supported: a run goes on when its reader leaves, and is read by its id"""
    prompt: Any
    """Not supported: stored prompts"""
    include: list[str] | None
    """Has no effect"""
    truncation: str | None
    """Has no effect"""
    stream_options: dict[str, Any] | None
    """Has no effect"""
    service_tier: str | None
    """Has no effect"""
    safety_identifier: str | None
    """Has no effect"""
    prompt_cache_key: str | None
    """Has no effect"""
    prompt_cache_retention: str | None
    """Has no effect"""
    top_logprobs: int | None
    """Has no effect"""
    max_tool_calls: int | None
    """Has no effect"""


class CreateResponseRequestReasoning(TypedDict, total=False):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None


class _CreateTaskRequest(TypedDict):
    description: str
    """What is to be done, as one would tell an agent"""


class CreateTaskRequest(_CreateTaskRequest, total=False):
    agent_id: str
    """Agent that does it; absent: Zeus chooses"""
    context: dict[str, Any]
    """Up to 32 KiB, given to the agent as data; model picks a configured model"""
    priority: Literal["low", "normal", "high", "urgent"]
    """default normal"""
    scheduled_at: str
    """When to run; past or absent: at once. With cron: not before"""
    cron: str
    """Five fields, names allowed: 0 9 * * MON-FRI"""
    timezone: str
    """IANA time zone of cron (default UTC)"""
    overlap: Literal["skip", "queue"]
    """A slot that comes due while the last run goes on: left out, or run afterwards (default skip)"""
    missed: Literal["run_once", "skip"]
    """Slots missed while the platform was down: one run for all of them, or none (default run_once)"""


class _CreateTenantRequest(TypedDict):
    name: str
    slug: str


class CreateTenantRequest(_CreateTenantRequest, total=False):
    tier: Literal["free", "pro", "enterprise"]
    settings: dict[str, Any]
    """`timezone` (IANA) is what days and months of costs go by; the rest is free, up to 32 KiB"""
    admin: CreateTenantRequestAdmin


class _CreateTenantRequestAdmin(TypedDict):
    email: str


class CreateTenantRequestAdmin(_CreateTenantRequestAdmin, total=False):
    password: str


class _CreateTextCompletionRequest(TypedDict):
    model: str
    """pentarch finds the agent by itself; pentarch/athena addresses one"""
    prompt: str | list[Any]
    """A text, or a list of one text; lists of token numbers are refused"""


class CreateTextCompletionRequest(_CreateTextCompletionRequest, total=False):
    stream: bool | None
    stream_options: CreateTextCompletionRequestStreamOptions | None
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    seed: int | None
    stop: str | list[str] | None
    """The answer ends before the first of them, where the provider has it"""
    n: int | None
    """1"""
    best_of: int | None
    """1"""
    echo: bool | None
    """Not supported: the prompt is not said again"""
    suffix: str | None
    """Not supported: text is not filled in before another"""
    logprobs: int | None
    """Not supported, but 0"""
    user: str | None
    """Kept with the conversation; no rights come from it"""
    store: bool | None
    """true: the call’s conversation is listed among the caller’s. false: nothing of it is stored but its costs. Absent: stored, and not listed"""
    frequency_penalty: float | None
    """Has no effect"""
    presence_penalty: float | None
    """Has no effect"""
    logit_bias: dict[str, Any] | None
    """Has no effect"""


class CreateTextCompletionRequestStreamOptions(TypedDict, total=False):
    include_usage: bool


class _CreateUserRequest(TypedDict):
    email: str


class CreateUserRequest(_CreateUserRequest, total=False):
    name: str
    password: str
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    permissions: list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]]
    """Permissions beyond those of the roles"""
    type: Literal["person", "service"]
    tier: Literal["free", "pro", "enterprise"] | None
    tenant_id: str
    """Another tenant: platform administrators only"""


class _CreateWebhookRequest(TypedDict):
    url: str
    """Public https address; loopback, private, link-local and metadata addresses are refused"""
    events: list[Literal["*", "conversation.completed", "message.created", "proposal.created", "proposal.decided", "task.completed", "task.failed", "document.indexed", "document.failed", "cost.alert", "cost.limit_reached", "agent.state_changed", "user.created", "notification"]]
    """Types of events, or * for all"""


class CreateWebhookRequest(_CreateWebhookRequest, total=False):
    description: str | None


class DeleteConversationsRequest(TypedDict):
    ids: list[str]


class _EditMessageRequest(TypedDict):
    message: str
    """What the person says; the setting MAX_MESSAGE_CHARS may allow less"""


class EditMessageRequest(_EditMessageRequest, total=False):
    attachments: list[ChatRequestAttachment]
    """As in a chat request; absent: what was attached before, pictures as well"""
    model: str
    """A configured model; absent: as before"""
    agent_id: str
    """The agent to answer; absent: as before"""


class ForgotPasswordRequest(TypedDict):
    email: str


class ForkConversationRequest(TypedDict):
    message_id: str
    """The last message that the new conversation has, with all that it follows"""


class _GetMcpPromptRequest(TypedDict):
    prompt: str


class GetMcpPromptRequest(_GetMcpPromptRequest, total=False):
    arguments: dict[str, str]


class ImportConversationsForm(TypedDict):
    file: str


class ImportConversationsRequest(TypedDict):
    conversations: list[dict[str, Any]]
    """As ChatGPT, Open WebUI, LibreChat or Pentarch exports them"""


class ImportMcpServersRequest(TypedDict):
    mcpServers: dict[str, ImportMcpServersRequestMcpServer]
    """The form that MCP clients share"""


class ImportMcpServersRequestMcpServer(TypedDict, total=False):
    type: Literal["stdio", "http", "streamable-http", "sse"]
    disabled: bool
    command: str
    """Program of a stdio server; MCP_ALLOW_STDIO must name it"""
    args: list[str]
    env: dict[str, str]
    url: str
    """Address of an http server"""
    headers: dict[str, str]
    oauth: CreateMcpServerRequestOauth
    title: str
    enabled: bool
    timeout_ms: int
    """Longest time of a call that names none"""
    policy: CreateMcpServerRequestPolicy
    access: CreateMcpServerRequestAccess
    accept_tools: bool
    """You accept the tools that it lists at first, but for those that look like orders to the model (default false)"""


class _IntrospectTokenForm(TypedDict):
    token: str


class IntrospectTokenForm(_IntrospectTokenForm, total=False):
    token_type_hint: str
    """Not needed"""
    client_id: str
    """Of a public client, or with client_secret"""
    client_secret: str
    """In place of HTTP Basic"""
    client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"]
    client_assertion: str
    """A JWT signed with a key of the client"""


class _IssueTokensForm(TypedDict):
    grant_type: Literal["authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer", "urn:ietf:params:oauth:grant-type:device_code"]


class IssueTokensForm(_IssueTokensForm, total=False):
    code: str
    """authorization_code"""
    redirect_uri: str
    """authorization_code"""
    code_verifier: str
    """authorization_code"""
    refresh_token: str
    """refresh_token: good for one use; a second one ends the whole family"""
    device_code: str
    """Of the device flow: authorization_pending until its person has allowed it"""
    assertion: str
    """jwt-bearer: RS256, signed with a machine key, at most an hour long"""
    scope: str
    client_id: str
    """Of a public client, or with client_secret"""
    client_secret: str
    """In place of HTTP Basic"""
    client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"]
    client_assertion: str
    """A JWT signed with a key of the client"""


class LoginRequest(TypedDict):
    email: str
    password: str


class MergeMemoryEntitiesRequest(TypedDict):
    entity_id: str
    """The entity that is taken in and then gone"""


class _MoveUserRequest(TypedDict):
    tenant_id: str
    """Tenant that the person goes to"""


class MoveUserRequest(_MoveUserRequest, total=False):
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]


class OAuthPushedRequest(TypedDict):
    request_uri: str
    """For the authorization endpoint"""
    expires_in: int
    """Seconds"""


class _PushAuthorizationRequestForm(TypedDict):
    response_type: Literal["code"]
    redirect_uri: str
    """Exactly as registered; loopback addresses with any port"""
    code_challenge: str
    """RFC 7636"""
    code_challenge_method: Literal["S256"]


class PushAuthorizationRequestForm(_PushAuthorizationRequestForm, total=False):
    client_id: str
    """Of a public client, or with client_secret"""
    client_secret: str
    """In place of HTTP Basic"""
    client_assertion_type: Literal["urn:ietf:params:oauth:client-assertion-type:jwt-bearer"]
    client_assertion: str
    """A JWT signed with a key of the client"""
    scope: str
    """Some of: openid profile email offline_access"""
    state: str
    nonce: str
    prompt: str
    """login, consent or none"""
    login_hint: str
    """An e-mail address"""
    resource: str
    """RFC 8707: the address of the service or of its MCP endpoint"""


class _RateMessageRequest(TypedDict):
    rating: Literal["up", "down"]


class RateMessageRequest(_RateMessageRequest, total=False):
    comment: str | None


class RefreshTokenRequest(TypedDict):
    refresh_token: str


class RegenerateMessageRequest(TypedDict, total=False):
    model: str
    """A configured model; absent: as before"""
    agent_id: str
    """The agent to answer; absent: as before"""


class RenameFolderRequest(TypedDict):
    name: str
    to: str | None


class ResetPasswordRequest(TypedDict):
    token: str
    password: str


class RotateApiKeyRequest(TypedDict, total=False):
    overlap_s: int
    """Seconds for which the old secret still works (default 86400)"""


class _SearchRequest(TypedDict):
    query: str


class SearchRequest(_SearchRequest, total=False):
    limit: int
    """Default 10"""
    filters: SearchRequestFilters
    include_memories: bool
    """Memory entities too (default false)"""


class SearchRequestFilters(TypedDict, total=False):
    document_ids: list[str]
    content_types: list[str]
    """e.g. `pdf` or `application/pdf`; any of them"""
    tags: list[str]
    """Any of them"""
    created_after: str
    """ISO 8601 UTC with milliseconds"""
    created_before: str
    """ISO 8601 UTC with milliseconds"""
    metadata: dict[str, Any]
    """Fields that must be equal; a list contains the value"""


class SetCostLimitsRequest(TypedDict):
    limits: list[SetCostLimitsRequestLimit]


class _SetCostLimitsRequestLimit(TypedDict):
    scope: Literal["tenant", "user", "agent", "run"]
    period: Literal["day", "month", "run"]
    limit_usd: float | None
    """At most nine decimal places; 0 allows nothing that costs, null removes the limit"""


class SetCostLimitsRequestLimit(_SetCostLimitsRequestLimit, total=False):
    subject: str
    """User or agent id; nothing for tenant and run"""


class SetDirectoryGroupRolesRequest(TypedDict):
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    """None: the group gives no role"""


class SetMemoryPreferenceRequest(TypedDict):
    name: Literal["language", "tone", "answer_length", "format", "units", "time_zone", "date_format", "form_of_address", "theme", "other"]
    """language: language of answers; tone: formal, friendly, …; answer_length: short, detailed, …; format: bullet points, tables, …; units: metric or imperial; time_zone: IANA name, e.g. Europe/Madrid; date_format: e.g. 31.12.2026; form_of_address: what the person wants to be called; theme: dark or light; other: anything else, as a predicate"""
    value: str
    """A new value takes the place of the old one; other keeps several"""


class _ShareConversationRequest(TypedDict):
    audience: Literal["tenant", "link"]
    """tenant: whoever is signed in in the tenant and has the link. link: whoever has the link; only where the setting SHARE_LINKS allows it"""


class ShareConversationRequest(_ShareConversationRequest, total=False):
    expires_at: str
    """When it can be read no longer; by default in 30 days, at the most SHARE_MAX_DAYS"""
    up_to_message_id: str
    """The last message that is shown, with all that it follows; absent: the last one of the active branch"""


class SubmitDeviceCodeForm(TypedDict, total=False):
    xsrf: str
    user_code: str
    confirm: str
    """yes"""
    abort: str
    """yes"""


class _TestMcpServerRequest(TypedDict):
    transport: Literal["stdio", "http"]


class TestMcpServerRequest(_TestMcpServerRequest, total=False):
    command: str
    """Program of a stdio server; MCP_ALLOW_STDIO must name it"""
    args: list[str]
    env: dict[str, str]
    url: str
    """Address of an http server"""
    headers: dict[str, str]
    oauth: CreateMcpServerRequestOauth


class UpdateAgentRequest(TypedDict, total=False):
    enabled: bool
    model: str | None
    instructions: str | None
    all_tools: bool


class UpdateConversationRequest(TypedDict, total=False):
    title: str | None
    metadata: dict[str, Any]
    pinned: bool
    folder: str | None
    active_message_id: str
    """Picks the branch that leads through this message, down to its newest one; 409 during a turn"""


class UpdateDocumentRequest(TypedDict, total=False):
    title: str
    metadata: dict[str, Any]
    """Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by"""
    visibility: Literal["private", "tenant", "role"]
    """private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant"""
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    """Who may read it with the visibility role"""
    trusted: bool
    """An administrator vouches for the document as it is (`knowledge:manage`): what is read of it does not mark a conversation. Other content or another title sets it back"""
    seen_version: int
    """The version that was looked at; with another present one 409"""


class UpdateMcpServerRequest(TypedDict, total=False):
    command: str
    """Program of a stdio server; MCP_ALLOW_STDIO must name it"""
    args: list[str]
    env: dict[str, str]
    url: str
    """Address of an http server"""
    headers: dict[str, str]
    oauth: CreateMcpServerRequestOauth
    title: str
    enabled: bool
    timeout_ms: int
    """Longest time of a call that names none"""
    policy: CreateMcpServerRequestPolicy
    access: CreateMcpServerRequestAccess


class UpdateMemoryEntityRequest(TypedDict, total=False):
    name: str
    """New name; 409 when another entity of the type has it"""
    entity_type: str
    """New type"""
    importance: float
    visibility: Literal["tenant"]
    """Shares an own entity with the tenant; needs memory:*"""


class UpdateMemoryRelationRequest(TypedDict, total=False):
    relation_type: str
    """New type"""
    properties: dict[str, Any]
    valid_from: str
    """ISO 8601 UTC with milliseconds"""
    valid_to: str | None
    """Ends the relation; null lets it hold again"""


class UpdateMyUserRequest(TypedDict, total=False):
    name: str


class UpdateNotificationPreferencesRequest(TypedDict):
    categories: UpdateNotificationPreferencesRequestCategories


class UpdateNotificationPreferencesRequestCategories(TypedDict, total=False):
    tasks: UpdateNotificationPreferencesRequestCategoriesTasks
    proposals: UpdateNotificationPreferencesRequestCategoriesTasks
    costs: UpdateNotificationPreferencesRequestCategoriesTasks
    documents: UpdateNotificationPreferencesRequestCategoriesTasks
    agents: UpdateNotificationPreferencesRequestCategoriesTasks
    system: UpdateNotificationPreferencesRequestCategoriesTasks


class UpdateNotificationPreferencesRequestCategoriesTasks(TypedDict, total=False):
    inbox: bool
    """In the inbox, and on open WebSockets"""
    email: bool
    """By e-mail, where the platform has a mail server"""
    webhook: bool
    """To the webhooks of the tenant that subscribe to notification"""


class UpdateTaskRequest(TypedDict, total=False):
    description: str
    """What is to be done, as one would tell an agent"""
    agent_id: str | None
    """Agent that does it; absent: Zeus chooses"""
    context: dict[str, Any] | None
    """Up to 32 KiB, given to the agent as data; model picks a configured model"""
    priority: Literal["low", "normal", "high", "urgent"]
    scheduled_at: str
    cron: str
    """Five fields, names allowed: 0 9 * * MON-FRI"""
    timezone: str
    """IANA time zone of cron (default UTC)"""
    overlap: Literal["skip", "queue"]
    """A slot that comes due while the last run goes on: left out, or run afterwards (default skip)"""
    missed: Literal["run_once", "skip"]
    """Slots missed while the platform was down: one run for all of them, or none (default run_once)"""
    paused: bool
    """true: no slot is taken any more; false: goes on with the next one from now"""


class UpdateTenantRequest(TypedDict, total=False):
    name: str
    slug: str
    tier: Literal["free", "pro", "enterprise"]
    status: Literal["active", "suspended"]
    settings: dict[str, Any]
    """`timezone` (IANA) is what days and months of costs go by; the rest is free, up to 32 KiB"""


class UpdateUserRequest(TypedDict, total=False):
    name: str
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    permissions: list[Literal["chat:write", "conversations:read", "conversations:write", "agents:read", "agents:manage", "knowledge:read", "knowledge:write", "knowledge:manage", "memory:read", "memory:write", "mcp:read", "mcp:call", "mcp:manage", "governance:read", "governance:propose", "governance:vote", "tasks:read", "tasks:write", "costs:read", "costs:manage", "analytics:read", "audit:read", "webhooks:read", "webhooks:manage", "notifications:read", "notifications:write", "keys:read", "keys:write", "profile:write", "users:read", "users:manage", "tenants:read", "tenants:manage", "clients:manage", "scim:manage"]]
    """Permissions beyond those of the roles"""
    tier: Literal["free", "pro", "enterprise"] | None
    status: Literal["active", "deactivated"]


class UpdateWebhookRequest(TypedDict, total=False):
    url: str
    """Public https address; loopback, private, link-local and metadata addresses are refused"""
    events: list[Literal["*", "conversation.completed", "message.created", "proposal.created", "proposal.decided", "task.completed", "task.failed", "document.indexed", "document.failed", "cost.alert", "cost.limit_reached", "agent.state_changed", "user.created", "notification"]]
    """Types of events, or * for all"""
    description: str | None
    status: Literal["active", "disabled"]
    """active switches a disabled one on again"""


class _VoteOnProposalRequest(TypedDict):
    vote: Literal["approve", "reject", "abstain"]


class VoteOnProposalRequest(_VoteOnProposalRequest, total=False):
    reason: str
    seat: Literal["athena", "hermes", "aegis", "hephaestus", "prometheus"]
    """Default: the first whose agent has not approved"""


class AgentMetrics(Record):
    __slots__ = ()
    window: Literal["1h", "24h", "7d", "30d"]
    requests: int
    """Runs that this agent answered"""
    successes: int
    """Runs that completed"""
    failures: int
    """Runs that failed"""
    success_rate: float | None
    """Successes of all finished, 0–1"""
    active_runs: int
    """Runs going on now"""
    latency_ms: AgentMetricsLatencyMs
    first_token_ms: AgentMetricsFirstTokenMs
    input_tokens: int
    """Tokens read"""
    output_tokens: int
    """Tokens written"""
    cost_usd: float
    """US dollars"""
    tool_calls: int
    """Tool calls made"""
    last_active_at: str | None


class AgentMetricsFirstTokenMs(Record):
    __slots__ = ()
    p50: float | None
    """Median in ms"""
    p95: float | None
    """95th percentile in ms"""


class AgentMetricsLatencyMs(Record):
    __slots__ = ()
    avg: float | None
    """Mean in ms"""
    p50: float | None
    """Median in ms"""
    p95: float | None
    """95th percentile in ms"""
    p99: float | None
    """99th percentile in ms"""


class AgentStatus(Record):
    __slots__ = ()
    id: str
    name: str
    domain: str
    state: Literal["idle", "busy", "degraded", "disabled"]
    enabled: bool
    description: str
    seat: str | None
    """What the agent’s seat in the Pentarchy looks at; null without a seat"""
    model: str | None
    """Model of this agent; null = the default"""
    instructions: str | None
    """Instructions of this tenant, added to the charter"""
    all_tools: bool
    """Its model is told of all its tools with each call; else of a few, and finds the others"""
    metrics: AgentMetrics
    """Measured from runs; a figure without data is null"""


class AgentSuggestion(Record):
    __slots__ = ()
    id: str
    agent_id: str
    instruction: str
    """Text that accepting adds to the agent’s instructions"""
    reason: str | None
    status: Literal["open", "accepted", "rejected"]
    suggested_by: str
    """Id of the person in whose conversation it came up"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    decided_by: str | None
    decided_at: str | None
    """ISO 8601 UTC with milliseconds"""


class AgentSuggestionPage(Record):
    __slots__ = ()
    items_: list[AgentSuggestion]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class AnthropicMessage(Record):
    __slots__ = ()
    id: str
    type: Literal["message"]
    role: Literal["assistant"]
    model: str
    content: list[dict[str, Any]]
    stop_reason: Literal["end_turn", "max_tokens", "tool_use"]
    stop_sequence: str | None
    usage: AnthropicMessageUsage
    pentarch: AnthropicMessagePentarch
    """What the platform knows beyond the protocol"""


class AnthropicMessagePentarch(Record):
    __slots__ = ()
    conversation_id: str
    run_id: str
    agent_id: str
    cost_usd: float
    citations: list[dict[str, Any]]
    tool_calls: list[dict[str, Any]]
    proposals: list[str]


class AnthropicMessageUsage(Record):
    __slots__ = ()
    input_tokens: int
    """Without those read from a cache"""
    output_tokens: int
    cache_creation_input_tokens: int
    cache_read_input_tokens: int


class ApiKey(Record):
    __slots__ = ()
    id: str
    name: str
    hint: str
    """First characters of the secret"""
    permissions: list[str] | None
    """null: all that the owner may"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    expires_at: str | None
    """ISO 8601 UTC with milliseconds"""
    last_used_at: str | None
    """ISO 8601 UTC with milliseconds"""


class ApiKeyPage(Record):
    __slots__ = ()
    items_: list[ApiKey]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class AuditEvent(Record):
    __slots__ = ()
    id: str
    seq: int
    """Place in the chain of the tenant, from 1 without gaps"""
    actor_id: str | None
    actor_type: str
    action: str
    outcome: str
    target_type: str | None
    target_id: str | None
    request_id: str | None
    address: str | None
    details: dict[str, Any]
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    previous_hash: str
    """SHA-256 of the row before"""
    hash: str
    """SHA-256 over the row and previous_hash"""


class AuditEventPage(Record):
    __slots__ = ()
    items_: list[AuditEvent]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class AuthorizeMcpServerResult(Record):
    __slots__ = ()
    authorization_url: str | None
    """For a browser; null when no person is needed"""
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class Budget(Record):
    __slots__ = ()
    scope: Literal["tenant", "user", "agent", "run"]
    subject: str
    period: Literal["day", "month", "run"]
    limit_usd: float
    """US dollars, exact to 1e-9"""
    used_usd: float
    """US dollars, exact to 1e-9"""
    reserved_usd: float
    """Set aside for calls that are running"""
    remaining_usd: float
    """US dollars, exact to 1e-9"""
    resets_at: str | None
    """ISO 8601 UTC with milliseconds"""
    alert_level: Literal["none", "info", "warning", "critical", "exceeded"]
    forecast_usd: float | None
    """Spend at the end of the period when it goes on like this"""


class Caller(Record):
    __slots__ = ()
    sub: str
    """User id"""
    email: str
    name: str
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    org_id: str
    """Tenant id"""
    permissions: list[str]
    """Effective permissions, <resource>:<action>"""
    tier: Literal["free", "pro", "enterprise"]
    platform_admin: bool
    credential: Literal["jwt", "api_key", "personal_token"]
    token_id: str
    session_id: str | None
    client_id: str | None
    scope: str | None
    iss: str | None
    iat: int | None
    """Epoch seconds"""
    exp: int | None
    """Epoch seconds"""


class ChatCompletion(Record):
    __slots__ = ()
    id: str
    object: Literal["chat.completion"]
    created: int
    """Epoch seconds"""
    model: str
    choices: list[ChatCompletionChoice]
    usage: ChatCompletionUsage
    pentarch: AnthropicMessagePentarch
    """What the platform knows beyond the protocol"""


class ChatCompletionChoice(Record):
    __slots__ = ()
    index: int
    message: ChatCompletionChoiceMessage
    logprobs: dict[str, Any] | None
    finish_reason: Literal["stop", "length", "tool_calls"]
    native_finish_reason: str
    """stop, length, tool_calls, cancelled, awaiting_approval or cost_exceeded"""


class ChatCompletionChoiceMessage(Record):
    __slots__ = ()
    role: Literal["assistant"]
    content: str | None
    """null where there are only calls"""
    refusal: str | None
    tool_calls: list[ChatCompletionChoiceMessageToolCall] | None


class ChatCompletionChoiceMessageToolCall(Record):
    __slots__ = ()
    id: str
    type: Literal["function"]
    function: ChatCompletionChoiceMessageToolCallFunction


class ChatCompletionChoiceMessageToolCallFunction(Record):
    __slots__ = ()
    name: str
    arguments: str
    """JSON"""


class ChatCompletionUsage(Record):
    __slots__ = ()
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: OpenAiResponseUsageInputTokensDetails
    completion_tokens_details: OpenAiResponseUsageOutputTokensDetails


class ChatResponse(Record):
    __slots__ = ()
    id: str
    """Id of the answer"""
    conversation_id: str
    """Of a temporary chat: what its costs stand under on the ledger; there is no such conversation"""
    parent_id: str | None
    """Id of the question"""
    content: str
    parsed: Any
    """The value of content, where response_schema was given and the answer is whole"""
    agent_id: str
    tool_calls: list[ToolCall]
    cost_usd: float
    """US dollars, exact to 1e-9"""
    run_id: str
    finish_reason: Literal["stop", "length", "cancelled", "awaiting_approval", "cost_exceeded", "tool_calls", "failed", "interrupted"]
    usage: Usage
    citations: list[Citation]
    proposals: list[str]
    metadata: dict[str, Any]
    """model, and built_in where the built-in model answered"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""


class Citation(Record):
    __slots__ = ()
    document_id: str
    title: str
    chunk_id: str
    page: int | None
    quote: str


class Conversation(Record):
    __slots__ = ()
    id: str
    title: str | None
    status: Literal["active", "archived", "unlisted"]
    """unlisted: of a call of /v1 that asked for no place in the list; restore puts it there"""
    metadata: dict[str, Any]
    agent_ids: list[str]
    message_count: int
    """Of the active branch"""
    total_cost_usd: float
    """US dollars, exact to 1e-9"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    updated_at: str
    """ISO 8601 UTC with milliseconds"""
    archived_at: str | None
    """ISO 8601 UTC with milliseconds"""
    pinned: bool
    folder: str | None
    """Name of the folder that its owner keeps it in"""
    taint: list[Literal["context", "history", "import", "documents", "tools", "tool_descriptions", "memory", "task", "earlier"]]
    """Where untrusted content in it came from; with any, calls that reach out or change own things ask first. Empty: none"""
    hit: ConversationHit | None
    """Of a search alone"""


class ConversationDetail(Conversation):
    __slots__ = ()
    active_message_id: str | None
    """The last message of the active branch that has had its turn"""
    messages: list[Message]
    """The active branch: oldest first, the newest 200"""


class ConversationHit(Record):
    __slots__ = ()
    message_id: str | None
    """The newest message of the active branch with these words; null: they are in the title"""
    snippet: str
    """Where they stand, with some words around; plain text"""


class ConversationPage(Record):
    __slots__ = ()
    items_: list[Conversation]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class CostLimits(Record):
    __slots__ = ()
    limits: list[CostLimitsLimit]


class CostLimitsLimit(Record):
    __slots__ = ()
    id: str
    scope: Literal["tenant", "user", "agent", "run"]
    subject: str
    """Id of the tenant, user or agent; * for every run"""
    period: Literal["day", "month", "run"]
    limit_usd: float
    """US dollars, exact to 1e-9"""
    used_usd: float
    """US dollars, exact to 1e-9"""
    reserved_usd: float
    """Set aside for calls that are running"""
    remaining_usd: float
    """US dollars, exact to 1e-9"""
    resets_at: str | None
    """ISO 8601 UTC with milliseconds"""
    alert_level: Literal["none", "info", "warning", "critical", "exceeded"]
    """info from 50 %, warning from 75 %, critical from 90 %, exceeded when nothing is left"""


class CostUsage(Record):
    __slots__ = ()
    period: CostUsagePeriod
    scope: Literal["me", "tenant"]
    currency: Literal["USD"]
    total_usd: float
    """US dollars, exact to 1e-9"""
    forecast_usd: float | None
    """Total at the end of the period when it goes on like this"""
    requests: int
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    beyond_estimate: int
    """Calls that have cost more than was reserved for them"""
    by_agent: list[CostUsageByAgent]
    by_model: list[CostUsageByModel]
    by_tool: list[CostUsageByTool]
    by_day: list[CostUsageByDay]
    by_user: list[CostUsageByUser] | None
    users_total: int | None
    """Users with spending in the period, on all pages of by_user"""
    budget: Budget | None
    """The limit that is nearest to the question; null without one"""


class CostUsageByAgent(Record):
    __slots__ = ()
    agent_id: str | None
    """null: spend without one"""
    cost_usd: float
    """US dollars, exact to 1e-9"""
    requests: int
    """Metered calls: model, embedding or priced tool"""
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    beyond_estimate: int
    """Calls that have cost more than was reserved for them"""


class CostUsageByDay(Record):
    __slots__ = ()
    date: str | None
    """null: spend without one"""
    cost_usd: float
    """US dollars, exact to 1e-9"""
    requests: int
    """Metered calls: model, embedding or priced tool"""
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    beyond_estimate: int
    """Calls that have cost more than was reserved for them"""


class CostUsageByModel(Record):
    __slots__ = ()
    model: str | None
    """null: spend without one"""
    cost_usd: float
    """US dollars, exact to 1e-9"""
    requests: int
    """Metered calls: model, embedding or priced tool"""
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    beyond_estimate: int
    """Calls that have cost more than was reserved for them"""


class CostUsageByTool(Record):
    __slots__ = ()
    tool: str | None
    """null: spend without one"""
    cost_usd: float
    """US dollars, exact to 1e-9"""
    requests: int
    """Metered calls: model, embedding or priced tool"""
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    beyond_estimate: int
    """Calls that have cost more than was reserved for them"""


class CostUsageByUser(Record):
    __slots__ = ()
    user_id: str | None
    """null: spend without one"""
    cost_usd: float
    """US dollars, exact to 1e-9"""
    requests: int
    """Metered calls: model, embedding or priced tool"""
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    beyond_estimate: int
    """Calls that have cost more than was reserved for them"""


class CostUsagePeriod(Record):
    __slots__ = ()
    name: Literal["day", "week", "month", "custom"]
    start: str
    """ISO 8601 UTC with milliseconds"""
    end: str
    """ISO 8601 UTC with milliseconds"""


class CountMessageTokensResult(Record):
    __slots__ = ()
    input_tokens: int
    """An estimate of what the request itself has"""


class CountUnreadNotificationsResult(Record):
    __slots__ = ()
    unread: int


class CreatedApiKey(ApiKey):
    __slots__ = ()
    key: str
    """The secret, shown only now"""
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class CreatedConversation(Conversation):
    __slots__ = ()


class OauthClient(Record):
    __slots__ = ()
    client_id: str
    name: str
    type: Literal["public", "confidential"]
    redirect_uris: list[str]
    post_logout_redirect_uris: list[str]
    device_flow: bool
    """Signs people in by a code that they type on another device"""
    service_user_id: str | None
    """The service account that a confidential client acts as with client_credentials"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""


class CreatedOauthClient(OauthClient):
    __slots__ = ()
    client_secret: str | None
    """Shown only now; none for clients with keys"""
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class Tenant(Record):
    __slots__ = ()
    id: str
    name: str
    slug: str
    tier: Literal["free", "pro", "enterprise"]
    status: Literal["active", "suspended"]
    settings: dict[str, Any]
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    updated_at: str
    """ISO 8601 UTC with milliseconds"""


class CreatedTenant(Tenant):
    __slots__ = ()
    admin: CreatedTenantAdmin | None
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class CreatedTenantAdmin(Record):
    __slots__ = ()
    id: str
    email: str
    invitation_url: str | None
    """Once, when no password was given"""


class User(Record):
    __slots__ = ()
    id: str
    type: Literal["person", "service"]
    email: str
    name: str
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    permissions: list[str]
    """Permissions beyond those of the roles"""
    tenant_id: str
    tier: Literal["free", "pro", "enterprise"]
    """The tenant's, or the override of this account"""
    status: Literal["active", "invited", "deactivated"]
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    last_seen_at: str | None
    """ISO 8601 UTC with milliseconds"""


class CreatedUser(User):
    __slots__ = ()
    invitation_url: str | None
    """Once, when no password was given"""
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class Webhook(Record):
    __slots__ = ()
    id: str
    url: str
    events: list[str]
    description: str | None
    status: Literal["active", "disabled"]
    disabled_reason: Literal["gone", "failing", "manual", "key_deleted", "account_inactive"] | None
    """gone: the receiver answered 410; failing: nothing was delivered for five days; key_deleted, account_inactive: whoever made or changed it cannot read for it any more, and who switches it on stands in for them"""
    previous_secret_expires_at: str | None
    """ISO 8601 UTC with milliseconds"""
    created_by: str
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    updated_at: str
    """ISO 8601 UTC with milliseconds"""


class CreatedWebhook(Webhook):
    __slots__ = ()
    secret: str
    """whsec_…, shown this once"""
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class DeleteConversationsResult(Record):
    __slots__ = ()
    deleted: list[str]
    """Those that are gone"""
    failed: list[DeleteConversationsResultFailed]


class DeleteConversationsResultFailed(Record):
    __slots__ = ()
    id: str
    code: Literal["NOT_FOUND", "CONFLICT"]
    """CONFLICT: a run of it has not ended"""


class DeleteResponseResult(Record):
    __slots__ = ()
    id: str
    object: Literal["response"]
    deleted: bool


class DirectoryGroup(Record):
    __slots__ = ()
    id: str
    name: str
    """As the directory names it"""
    external_id: str | None
    """Id in the directory"""
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    """Roles that its members have by it"""
    members: int
    """How many people are in it"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    updated_at: str
    """ISO 8601 UTC with milliseconds"""


class DirectoryGroupPage(Record):
    __slots__ = ()
    items_: list[DirectoryGroup]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class Document(Record):
    __slots__ = ()
    id: str
    title: str
    filename: str | None
    content_type: str
    """Detected from the bytes"""
    size_bytes: int
    sha256: str
    language: str | None
    """ISO 639-1"""
    chunk_count: int
    page_count: int | None
    visibility: Literal["private", "tenant", "role"]
    """private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant"""
    roles: list[Literal["admin", "operator", "analyst", "user", "readonly"]]
    """Who may read it with the visibility role"""
    metadata: dict[str, Any]
    """Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by"""
    created_by: str
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    indexed_at: str | None
    """ISO 8601 UTC with milliseconds"""
    external_id: str | None
    """Name in the source that it comes from"""
    version: int
    """From 1; another with each replacement of the content"""
    trusted: bool
    """An administrator vouches for it: what is read of it does not mark a conversation"""
    unread_pages: list[int]
    """Pages that show something and have no text that can be read (scans, pictures), from 1"""
    left_out: list[DocumentLeftOut]
    """What the file holds and was left out on purpose: it is not searched"""
    status: Literal["processing", "indexed", "failed"]
    """Of its newest upload. A document whose content is being replaced is found and read in its present version all the while"""
    progress: DocumentProgress | None
    """How far the reading is; null: indexed"""
    error: DocumentError | None
    """Why the upload has failed, as an error of the API"""


class DocumentChunk(Record):
    __slots__ = ()
    id: str
    document_id: str
    ordinal: int
    """From 0, in reading order"""
    content: str
    page: int | None
    """From 1; null in types without pages"""
    heading_path: list[str]
    """Title and headings above, outermost first"""
    start: int
    """Offset into the text (`…/content?format=text`), in UTF-16 code units"""
    end: int
    """Exclusive"""


class DocumentChunkPage(Record):
    __slots__ = ()
    items_: list[DocumentChunk]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class DocumentError(Record):
    __slots__ = ()
    code: str
    message: str
    details: dict[str, Any]


class DocumentLeftOut(Record):
    __slots__ = ()
    what: Literal["hidden_text", "deleted_text", "hidden_rows", "hidden_columns", "hidden_sheets", "hidden_slides", "readings", "pictures", "attachments", "embedded_files", "comments", "navigation", "chapters", "far_cells", "page_furniture"]
    count: int
    """How often it was met"""


class DocumentPage(Record):
    __slots__ = ()
    items_: list[Document]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class DocumentProgress(Record):
    __slots__ = ()
    pages_done: int | None
    """Pages read; null in types without pages"""
    pages: int | None
    """Of how many, once that is known"""
    chunks_done: int
    """Passages with their vectors"""
    chunks: int | None
    """Of how many, once the file is read"""


class Embeddings(Record):
    __slots__ = ()
    object: Literal["list"]
    data: list[EmbeddingsData]
    model: str
    usage: EmbeddingsUsage


class EmbeddingsData(Record):
    __slots__ = ()
    object: Literal["embedding"]
    index: int
    embedding: list[float] | str
    """Numbers, or little-endian float32 in base64"""


class EmbeddingsUsage(Record):
    __slots__ = ()
    prompt_tokens: int
    total_tokens: int


class EraseUserDataResult(Record):
    __slots__ = ()
    user_id: str
    erased: dict[str, int]
    """Records erased by feature"""


class ErrorA(Record):
    __slots__ = ()
    error: dict[str, Any]


class ErrorAnthropic(Record):
    __slots__ = ()
    type: Any
    error: dict[str, Any]
    request_id: str


class ErrorB(Record):
    __slots__ = ()
    error: str
    message: str
    code: str
    details: dict[str, Any]
    request_id: str


class ErrorOpenAI(Record):
    __slots__ = ()
    error: dict[str, Any]


class ErrorRpc(Record):
    __slots__ = ()
    jsonrpc: Any
    id: str | float | None
    error: dict[str, Any]


class ExportUserDataResult(Record):
    __slots__ = ()
    user: User
    exported_at: str
    """ISO 8601 UTC with milliseconds"""
    data: dict[str, Any]
    """Content by feature"""


class Health(Record):
    __slots__ = ()
    status: Literal["ok"]
    version: str
    uptime_s: int


class ImportConversationsResult(Record):
    __slots__ = ()
    imported: int
    skipped: int
    """Imported before, or twice in this export"""
    failed: int
    conversation_ids: list[str]
    """Of those that came in"""
    errors: list[ImportConversationsResultError]
    """The first 100"""


class ImportConversationsResultError(Record):
    __slots__ = ()
    index: int
    """Place in the export, from 0"""
    source_id: str | None
    title: str | None
    reason: str


class ImportMcpServersResult(Record):
    __slots__ = ()
    items_: list[McpServer]


class ImportMemoryResult(Record):
    __slots__ = ()
    entities: int
    """Lines that made an entity or added to one"""
    relations: int
    """Lines that made a relation"""
    skipped: int
    """Lines that could not be read, or said nothing new"""


class InviteUserResult(Record):
    __slots__ = ()
    url: str | None
    """null when it went out by mail"""
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class JwkSet(Record):
    __slots__ = ()
    keys_: list[dict[str, Any]]


class ListDocumentTagsResult(Record):
    __slots__ = ()
    items_: list[ListDocumentTagsResultItem]


class ListDocumentTagsResultItem(Record):
    __slots__ = ()
    tag: str
    documents: int
    """Documents with this tag that the caller may read"""


class ListDocumentVersionsResult(Record):
    __slots__ = ()
    items_: list[ListDocumentVersionsResultItem]


class ListDocumentVersionsResultItem(Record):
    __slots__ = ()
    version: int
    title: str
    sha256: str
    size_bytes: int
    created_at: str
    """ISO 8601 UTC with milliseconds"""


class ListFoldersResult(Record):
    __slots__ = ()
    items_: list[ListFoldersResultItem]
    """Folders that hold conversations, by name"""


class ListFoldersResultItem(Record):
    __slots__ = ()
    name: str
    count: int


class ListMcpPromptsResult(Record):
    __slots__ = ()
    items_: list[dict[str, Any]]
    truncated: bool
    """Cut at 1 MB of JSON"""


class ListMySessionsResult(Record):
    __slots__ = ()
    items_: list[ListMySessionsResultItem]
    total: int


class ListMySessionsResultItem(Record):
    __slots__ = ()
    id: str
    client_id: str
    address: str | None
    user_agent: str | None
    current: bool
    """The session of this request"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    last_used_at: str
    """ISO 8601 UTC with milliseconds"""
    expires_at: str
    """ISO 8601 UTC with milliseconds"""


class ListOpenAiModelsResult(Record):
    __slots__ = ()
    object: Literal["list"]
    data: list[OpenAiModelByName]


class ListResponseInputItemsResult(Record):
    __slots__ = ()
    object: Literal["list"]
    data: list[ListResponseInputItemsResultData]
    first_id: str | None
    last_id: str | None
    has_more: bool


class ListResponseInputItemsResultData(Record):
    __slots__ = ()
    id: str
    type: Literal["message"]
    status: Literal["completed"]
    role: Literal["user"]
    content: list[ListResponseInputItemsResultDataContent]


class ListResponseInputItemsResultDataContent(Record):
    __slots__ = ()
    type: Literal["input_text"]
    text: str


class MachineKeyCreated(Record):
    __slots__ = ()
    keyId: str
    keyDetails: str
    """base64 of {type: "serviceaccount", keyId, key (PEM), userId}"""
    details: dict[str, Any]


class MachineKeyList(Record):
    __slots__ = ()
    details: dict[str, Any]
    result: list[dict[str, Any]]


class McpCallPending(Record):
    __slots__ = ()
    proposal: dict[str, Any]
    """The Proposal that must be approved first"""


class McpCallResult(Record):
    __slots__ = ()
    call_id: str
    server: str
    tool: str
    content: list[dict[str, Any]]
    structured_content: Any
    is_error: bool
    """The tool itself reports a failure"""
    truncated: bool
    """Cut at 1 MB"""
    duration_ms: float


class McpServer(Record):
    __slots__ = ()
    name: str
    title: str
    transport: Literal["stdio", "http", "builtin"]
    source: Literal["builtin", "file", "api"]
    enabled: bool
    status: Literal["connected", "connecting", "error", "disabled"]
    tool_count: int
    unaccepted_tools: int
    """Tools that nobody has accepted as they are: each run that is told of them is marked with untrusted content"""
    protocol_version: str | None
    server_info: ServerInfo | None
    last_error: str | None
    connected_at: str | None
    """ISO 8601 UTC with milliseconds"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    timeout_ms: int
    policy: dict[str, Any] | None
    """For those with mcp:manage"""
    access: dict[str, Any] | None
    """For those with mcp:manage"""


class McpServerLogs(Record):
    __slots__ = ()
    items_: list[McpServerLogsItem]


class McpServerLogsItem(Record):
    __slots__ = ()
    at: str
    """ISO 8601 UTC with milliseconds"""
    source: Literal["stderr", "client"]
    text: str


class McpServerPage(Record):
    __slots__ = ()
    items_: list[McpServer]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class McpTool(Record):
    __slots__ = ()
    name: str
    title: str | None
    description: str
    """Text of the server: data, not instructions"""
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    annotations: dict[str, Any] | None
    policy: Policy
    held_back: bool
    """Not to be called until an operator accepts it"""
    warnings: list[Literal["suspicious_text", "identical_name", "lookalike_name"]]
    fingerprint: str
    accepted: McpToolAccepted | None
    """Of a changed tool: what was accepted or first seen of it"""


class McpToolAccepted(Record):
    __slots__ = ()
    title: str | None
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    annotations: dict[str, Any] | None


class McpToolPage(Record):
    __slots__ = ()
    items_: list[McpTool]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class MemoryEntity(Record):
    __slots__ = ()
    id: str
    name: str
    entity_type: str
    visibility: Literal["private", "tenant"]
    """private: of one user; tenant: shared with all of the tenant"""
    owner_id: str | None
    """The user whose memory it is; null when the tenant shares it"""
    observations: list[Observation]
    """Oldest first, those that no longer hold included"""
    importance: float
    """As it stands now: it fades while it is not used"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    updated_at: str
    """ISO 8601 UTC with milliseconds"""


class MemoryEntityPage(Record):
    __slots__ = ()
    items_: list[MemoryEntity]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class MemoryGraph(Record):
    __slots__ = ()
    entities: list[MemoryEntity]
    relations: list[MemoryRelation]
    truncated: bool
    """True when more was reachable than is answered"""


class MemoryPreference(Record):
    __slots__ = ()
    id: str
    """Of the observation that keeps it: corrected and deleted there"""
    entity_id: str
    """The entity of the caller, which holds the observation"""
    name: Literal["language", "tone", "answer_length", "format", "units", "time_zone", "date_format", "form_of_address", "theme", "other"] | None
    """Null for what is kept in other words, and for what the person is called"""
    value: str | None
    """Null where the text has another form"""
    text: str
    """As the agents read it"""
    told: bool
    """Told to the agents with every message: the newest 20 are"""
    source: ObservationSource
    """Where a fact comes from"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""


class MemoryPreferencePage(Record):
    __slots__ = ()
    items_: list[MemoryPreference]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class MemoryRelation(Record):
    __slots__ = ()
    id: str
    from_entity_id: str
    to_entity_id: str
    relation_type: str
    properties: dict[str, Any]
    visibility: Literal["private", "tenant"]
    valid_from: str
    """ISO 8601 UTC with milliseconds"""
    valid_to: str | None
    """ISO 8601 UTC with milliseconds"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    updated_at: str
    """ISO 8601 UTC with milliseconds"""


class MemoryRelationPage(Record):
    __slots__ = ()
    items_: list[MemoryRelation]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class Message(Record):
    __slots__ = ()
    id: str
    conversation_id: str
    role: Literal["user", "assistant", "tool"]
    content: str
    agent_id: str | None
    tool_calls: list[ToolCall]
    citations: list[Citation]
    usage: Usage | None
    metadata: dict[str, Any]
    """For answers: the model, and whether it is the built-in one; for questions: the agent_id, model and attached_documents that were asked for"""
    attachments: list[MessageAttachment]
    """Documents that were sent with it; one that has been deleted since is named all the same"""
    pictures: list[MessagePicture] | None
    """Pictures that were sent with it, where there are some; without metadata"""
    finish_reason: Literal["stop", "length", "cancelled", "awaiting_approval", "cost_exceeded", "tool_calls", "failed", "interrupted"] | None
    """How the answer ended; on a question only where its run ended without an answer. null where nothing is known, as of imported messages"""
    error: MessageError | None
    """Why it failed or was interrupted; null otherwise"""
    cost_usd: float
    """US dollars, exact to 1e-9"""
    run_id: str | None
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    parent_id: str | None
    """The message that it follows; null for a first one, and while it waits for its turn"""
    siblings: MessageSiblings
    """Its place among the messages that follow the same one: versions of a question or an answer"""
    active: bool
    """It stands in the branch that is shown and goes to the model"""


class MessageAttachment(Record):
    __slots__ = ()
    document_id: str
    title: str
    """Of the document when it was attached"""


class MessageError(Record):
    __slots__ = ()
    code: str
    message: str


class MessagePage(Record):
    __slots__ = ()
    items_: list[Message]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class MessagePicture(Record):
    __slots__ = ()
    id: str
    """Its bytes: GET /conversations/{id}/pictures/{picture_id}"""
    name: str
    media_type: Literal["image/png", "image/jpeg", "image/webp", "image/gif"]
    width: int
    """As it is shown, in pixels"""
    height: int
    size_bytes: int


class MessageSiblings(Record):
    __slots__ = ()
    index: int
    """From 0, oldest first"""
    count: int


class Model(Record):
    __slots__ = ()
    id: str
    """What `context.model` of a chat takes"""
    provider: str
    default: bool
    """Answers where nobody names a model"""
    local: bool
    """Runs on this machine and costs nothing"""
    available: bool
    """False while the provider fails: then the fallback models answer in its place"""
    vision: bool
    """It, or a fallback of it, sees the pictures of a message"""
    context_tokens: int
    """Prompt and answer together; the least of the model and its fallbacks"""
    price: ModelPrice


class ModelPage(Record):
    __slots__ = ()
    items_: list[Model]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class ModelPrice(Record):
    __slots__ = ()
    input: float
    """US dollars per million prompt tokens"""
    cached_input: float
    """US dollars per million prompt tokens that the provider had cached"""
    output: float
    """US dollars per million tokens of the answer"""
    estimated: bool
    """True where no price is known and the configured default is taken"""


class MoveUserResult(User):
    __slots__ = ()
    moved_from: str
    """The account before: deactivated, with everything that was written in its tenant"""


class Notification(Record):
    __slots__ = ()
    id: str
    category: Literal["tasks", "proposals", "costs", "documents", "agents", "system"]
    level: Literal["info", "warning", "critical"]
    title: str
    body: str
    data: dict[str, Any]
    """Ids of what it is about"""
    read: bool
    read_at: str | None
    """ISO 8601 UTC with milliseconds"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""


class NotificationPage(Record):
    __slots__ = ()
    items_: list[Notification]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class NotificationPreferences(Record):
    __slots__ = ()
    categories: NotificationPreferencesCategories
    email: str
    """Address that mails go to"""
    email_available: bool


class NotificationPreferencesCategories(Record):
    __slots__ = ()
    tasks: NotificationPreferencesCategoriesTasks
    proposals: NotificationPreferencesCategoriesTasks
    costs: NotificationPreferencesCategoriesTasks
    documents: NotificationPreferencesCategoriesTasks
    agents: NotificationPreferencesCategoriesTasks
    system: NotificationPreferencesCategoriesTasks


class NotificationPreferencesCategoriesTasks(Record):
    __slots__ = ()
    inbox: bool
    """In the inbox, and on open WebSockets"""
    email: bool
    """By e-mail, where the platform has a mail server"""
    webhook: bool
    """To the webhooks of the tenant that subscribe to notification"""


class OAuthDeviceCodes(Record):
    __slots__ = ()
    device_code: str
    """For the token endpoint"""
    user_code: str
    """To show"""
    verification_uri: str
    """Where the person goes"""
    verification_uri_complete: str | None
    """The same with the code"""
    expires_in: int
    """Seconds"""


class OAuthError(Record):
    __slots__ = ()
    error: str
    """RFC 6749, 5.2"""
    error_description: str | None
    request_id: str | None


class OAuthIntrospection(Record):
    __slots__ = ()
    active: bool
    token_type: str | None
    iss: str | None
    aud: str | None
    client_id: str | None
    scope: str | None
    jti: str | None
    iat: int | None
    """Seconds since the epoch"""
    exp: int | None
    """Seconds since the epoch"""
    username: str | None
    """E-mail"""
    sub: str | None
    """Id of the account"""
    email: str | None
    name: str | None
    roles: list[str] | None
    """admin, operator, analyst, user, readonly"""
    org_id: str | None
    """Id of the tenant"""
    permissions: list[str] | None
    """Effective permissions"""


class OAuthTokens(Record):
    __slots__ = ()
    access_token: str
    """JWT (RFC 9068)"""
    token_type: str
    expires_in: int
    """Seconds"""
    refresh_token: str | None
    """For people; not for service accounts"""
    id_token: str | None
    """With the scope openid"""
    scope: str | None


class OauthClientPage(Record):
    __slots__ = ()
    items_: list[OauthClient]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class Observation(Record):
    __slots__ = ()
    id: str
    text: str
    source: ObservationSource
    """Where a fact comes from"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    valid_from: str
    """ISO 8601 UTC with milliseconds"""
    valid_to: str | None
    """Null while it holds; set when a newer statement took its place"""


class ObservationSource(Record):
    __slots__ = ()
    kind: Literal["message", "api", "agent", "import", "merge", "untrusted"]
    """message: taken from what the user wrote; api, import: given by a client; agent: stored by an agent’s tool; untrusted: the same while foreign content was in its run; merge: made when two entities were joined"""
    message_id: str | None
    """The message that it was taken from"""
    conversation_id: str | None
    user: str
    """Id of the user who said it"""


class OidcUserInfo(Record):
    __slots__ = ()
    sub: str
    """Id of the account"""
    email: str | None
    name: str | None
    roles: list[str] | None
    """admin, operator, analyst, user, readonly"""
    org_id: str | None
    """Id of the tenant"""
    permissions: list[str] | None
    """Effective permissions"""
    preferred_username: str | None
    """The e-mail"""
    groups: list[str] | None
    """The roles"""


class OpenAiModelByName(Record):
    __slots__ = ()
    id: str
    object: Literal["model"]
    created: int
    """Epoch seconds"""
    owned_by: str


class OpenAiResponse(Record):
    __slots__ = ()
    id: str
    object: Literal["response"]
    created_at: int
    """Epoch seconds"""
    status: Literal["in_progress", "completed", "incomplete", "failed"]
    error: MessageError | None
    incomplete_details: OpenAiResponseIncompleteDetails | None
    model: str
    output: list[dict[str, Any]]
    usage: OpenAiResponseUsage | None
    instructions: str | None
    previous_response_id: str | None
    max_output_tokens: int | None
    metadata: dict[str, Any]
    parallel_tool_calls: bool
    reasoning: OpenAiResponseReasoning
    store: bool
    temperature: float | None
    text: OpenAiResponseText
    tool_choice: Any
    tools: list[Any]
    top_p: float | None
    truncation: Literal["disabled"]
    user: str | None
    pentarch: AnthropicMessagePentarch | None
    """What the platform knows beyond the protocol"""


class OpenAiResponseIncompleteDetails(Record):
    __slots__ = ()
    reason: Literal["max_output_tokens"]


class OpenAiResponseReasoning(Record):
    __slots__ = ()
    effort: str | None
    summary: str | None


class OpenAiResponseText(Record):
    __slots__ = ()
    format: dict[str, Any]


class OpenAiResponseUsage(Record):
    __slots__ = ()
    input_tokens: int
    input_tokens_details: OpenAiResponseUsageInputTokensDetails
    output_tokens: int
    output_tokens_details: OpenAiResponseUsageOutputTokensDetails
    total_tokens: int


class OpenAiResponseUsageInputTokensDetails(Record):
    __slots__ = ()
    cached_tokens: int


class OpenAiResponseUsageOutputTokensDetails(Record):
    __slots__ = ()
    reasoning_tokens: int


class OpenShareResult(Record):
    __slots__ = ()
    title: str | None
    audience: Literal["tenant", "link"]
    shared_at: str
    """ISO 8601 UTC with milliseconds"""
    expires_at: str
    """ISO 8601 UTC with milliseconds"""
    messages: list[OpenShareResultMessage]
    """Oldest first"""


class OpenShareResultMessage(Record):
    __slots__ = ()
    role: Literal["user", "assistant"]
    content: str
    agent_name: str | None
    citations: list[OpenShareResultMessageCitation]
    """In the order of the marks [1], [2] … in content"""
    attachments: list[str | None]
    """Titles of documents that were sent with it; null: of one that the reader cannot read"""
    finish_reason: str | None
    """How the answer ended; stop: it is whole"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""


class OpenShareResultMessageCitation(Record):
    __slots__ = ()
    title: str | None
    """null: of a document that the reader cannot read"""
    page: int | None


class PersonalToken(Record):
    __slots__ = ()
    id: str
    name: str
    hint: str
    """First characters of the secret"""
    permissions: list[str] | None
    """null: all that the owner may"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    expires_at: str | None
    """ISO 8601 UTC with milliseconds"""
    last_used_at: str | None
    """ISO 8601 UTC with milliseconds"""
    token: str
    """The secret, shown only now"""
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class Policy(Record):
    __slots__ = ()
    cost_usd: float
    risk: Literal["low", "medium", "high", "critical"]
    flags: list[Literal["security", "legal", "irreversible", "personal_data"]]
    approval: Literal["auto", "pentarchy", "human"]
    pinned: Literal["accepted", "changed", "new"]


class Proposal(Record):
    __slots__ = ()
    id: str
    action: str
    description: str
    estimated_cost: float
    """What the action costs the company, US dollars"""
    risk: Literal["low", "medium", "high", "critical"]
    flags: list[Literal["security", "legal", "irreversible", "personal_data"]]
    status: Literal["voting", "awaiting_human", "approved", "rejected", "vetoed", "expired", "cancelled"]
    reason: str | None
    """Why it stands as it does"""
    votes: list[Vote]
    tally: Tally
    requested_by: str
    asks_requester: bool
    """It waits for the person who asked, and for nobody else: POST …/confirm"""
    tainted: bool
    """Untrusted content stood in the conversation that it comes from"""
    agent_id: str | None
    conversation_id: str | None
    run_id: str | None
    tool: ProposalTool | None
    execution: ProposalExecution | None
    """null where there is no tool call, or it was turned down"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    expires_at: str
    """ISO 8601 UTC with milliseconds"""
    decided_at: str | None
    """ISO 8601 UTC with milliseconds"""
    decided_by: str | None
    """User id, pentarchy, policy or time"""


class ProposalExecution(Record):
    __slots__ = ()
    status: Literal["pending", "running", "completed", "failed", "unknown"]
    """unknown: the server stopped during the call; it is not tried again"""
    result: Any
    error: str | None


class ProposalTool(Record):
    __slots__ = ()
    server: str
    name: str
    arguments: dict[str, Any]


class ProviderMetadata(Record):
    __slots__ = ()
    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    introspection_endpoint: str | None
    revocation_endpoint: str | None
    userinfo_endpoint: str | None
    end_session_endpoint: str | None
    jwks_uri: str
    device_authorization_endpoint: str | None
    pushed_authorization_request_endpoint: str | None
    client_id_metadata_document_supported: bool | None
    grant_types_supported: list[str] | None
    """Grants"""
    response_types_supported: list[str] | None
    """code alone"""
    code_challenge_methods_supported: list[str] | None
    """S256 alone"""


class RateMessageResult(Record):
    __slots__ = ()
    message_id: str
    rating: Literal["up", "down"]
    comment: str | None
    created_at: str
    """ISO 8601 UTC with milliseconds"""


class Readiness(Record):
    __slots__ = ()
    status: Literal["ready", "not_ready"]
    checks: ReadinessChecks


class ReadinessChecks(Record):
    __slots__ = ()
    store: ReadinessChecksStore
    redis: ReadinessChecksStore
    disk: ReadinessChecksStore
    migrations: ReadinessChecksStore
    models: ReadinessChecksStore
    embeddings: ReadinessChecksStore
    identity: ReadinessChecksStore
    mcp: ReadinessChecksStore
    queue: ReadinessChecksStore


class ReadinessChecksStore(Record):
    __slots__ = ()
    status: Literal["ok", "degraded", "failed"]
    detail: str | None


class RenameFolderResult(Record):
    __slots__ = ()
    changed: int
    """How many conversations stand in another folder, or in none, now"""


class Run(Record):
    __slots__ = ()
    id: str
    conversation_id: str
    message_id: str
    """Id of the answer"""
    status: Literal["queued", "running", "awaiting_approval", "completed", "failed", "cancelled", "cost_exceeded"]
    agent_ids: list[str]
    usage: Usage
    cost_usd: float
    """US dollars, exact to 1e-9"""
    error: DocumentError | None
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    finished_at: str | None
    """ISO 8601 UTC with milliseconds"""


class SearchResponse(Record):
    __slots__ = ()
    query: str
    results: list[SearchResponseResult]
    took_ms: int


class SearchResponseResult(Record):
    __slots__ = ()
    type: Literal["document", "memory"]
    id: str
    """Chunk id, or memory entity id"""
    score: float
    """0–1, comparable within an answer"""
    document_id: str | None
    chunk_id: str | None
    title: str
    content: str
    page: int | None
    highlights: list[str]
    """Stretches of the content with most of the words, as plain text"""
    metadata: dict[str, Any]
    """Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by"""


class ServerInfo(Record):
    __slots__ = ()
    name: str
    version: str


class Share(Record):
    __slots__ = ()
    id: str
    conversation_id: str
    audience: Literal["tenant", "link"]
    title: str | None
    """Of the conversation when it was shared"""
    up_to_message_id: str
    """The last message that is shown"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    expires_at: str
    """ISO 8601 UTC with milliseconds"""


class ShareConversationResult(Share):
    __slots__ = ()
    token: str
    """Opens it at GET shares/{token}; shown only now"""
    url: str
    """The page of the console that shows it; shown only now"""
    secret_withheld: bool | None
    """True in a replay under an Idempotency-Key: the secret was shown in the first answer and is kept nowhere; make another one"""


class SharePage(Record):
    __slots__ = ()
    items_: list[Share]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class Tally(Record):
    __slots__ = ()
    approve: int
    reject: int
    abstain: int
    needed: int
    seats: int


class Task(Record):
    __slots__ = ()
    id: str
    description: str
    agent_id: str | None
    context: dict[str, Any] | None
    priority: Literal["low", "normal", "high", "urgent"]
    scheduled_at: str | None
    """ISO 8601 UTC with milliseconds"""
    cron: str | None
    timezone: str
    overlap: Literal["skip", "queue"]
    """A slot that comes due while the last run goes on: left out, or run afterwards (default skip)"""
    missed: Literal["run_once", "skip"]
    """Slots missed while the platform was down: one run for all of them, or none (default run_once)"""
    status: Literal["scheduled", "queued", "running", "awaiting_approval", "completed", "failed", "cancelled"]
    progress: TaskProgress | None
    result: TaskResult | None
    error: MessageError | None
    attempts: int
    """Of the newest run"""
    run_ids: list[str]
    """Chat runs, newest last, at most 50"""
    next_run_at: str | None
    """ISO 8601 UTC with milliseconds"""
    paused: bool
    """While true next_run_at is null"""
    created_by: str
    parent_task_id: str | None
    """The task whose run has made it"""
    depth: int
    """1: made by a person or in a chat; 2: by a run of such a task"""
    tainted: bool
    """Made by a run that held untrusted content (its own runs then ask before they reach out or change own things), or one of its runs has read such content: who reads the task by a tool has that mark"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    updated_at: str
    """ISO 8601 UTC with milliseconds"""
    finished_at: str | None
    """ISO 8601 UTC with milliseconds"""


class TaskPage(Record):
    __slots__ = ()
    items_: list[Task]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class TaskProgress(Record):
    __slots__ = ()
    percent: int | None
    """100 when done; null while nobody can know"""
    step: str | None
    """What goes on: an agent, a tool"""
    tool_calls: int
    characters: int
    """Of the answer so far"""
    updated_at: str
    """ISO 8601 UTC with milliseconds"""


class TaskResult(Record):
    __slots__ = ()
    content: str
    run_id: str
    conversation_id: str
    message_id: str
    cost_usd: float
    """US dollars, exact to 1e-9"""


class TaskRun(Record):
    __slots__ = ()
    id: str
    task_id: str
    status: Literal["queued", "running", "awaiting_approval", "completed", "failed", "cancelled", "skipped"]
    scheduled_for: str
    """ISO 8601 UTC with milliseconds"""
    attempts: int
    run_ids: list[str]
    """One chat run for each attempt"""
    conversation_id: str | None
    result: TaskResult | None
    error: MessageError | None
    cost_usd: float
    """US dollars, exact to 1e-9"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    started_at: str | None
    """ISO 8601 UTC with milliseconds"""
    finished_at: str | None
    """ISO 8601 UTC with milliseconds"""


class TaskRunPage(Record):
    __slots__ = ()
    items_: list[TaskRun]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class TenantPage(Record):
    __slots__ = ()
    items_: list[Tenant]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class TestMcpServerResult(Record):
    __slots__ = ()
    ok: bool
    error: str | None
    protocol_version: str | None
    server_info: ServerInfo | None
    tools: list[TestMcpServerResultTool]
    log: list[str]


class TestMcpServerResultTool(Record):
    __slots__ = ()
    name: str
    description: str


class TextCompletion(Record):
    __slots__ = ()
    id: str
    object: Literal["text_completion"]
    created: int
    """Epoch seconds"""
    model: str
    choices: list[TextCompletionChoice]
    usage: ChatCompletionUsage
    pentarch: AnthropicMessagePentarch
    """What the platform knows beyond the protocol"""


class TextCompletionChoice(Record):
    __slots__ = ()
    index: int
    text: str
    logprobs: dict[str, Any] | None
    finish_reason: Literal["stop", "length"]
    native_finish_reason: str
    """stop, length, cancelled, awaiting_approval or cost_exceeded"""


class TokenResponse(Record):
    __slots__ = ()
    access_token: str
    """JWT for the Authorization header"""
    refresh_token: str
    """For one use; the answer brings its successor"""
    token_type: Literal["bearer"]
    expires_in: int
    """Seconds until the access token expires"""


class ToolCall(Record):
    __slots__ = ()
    id: str
    agent_id: str | None
    server: str
    name: str
    arguments: dict[str, Any]
    status: Literal["completed", "failed", "denied", "awaiting_approval", "unknown", "handed_over"]
    """handed_over: a tool of the client (server "client"), which runs it itself"""
    result: Any
    """What the tool answered; null where it did not"""
    error: str | None
    duration_ms: int
    cost_usd: float
    """US dollars, exact to 1e-9"""


class Usage(Record):
    __slots__ = ()
    input_tokens: int
    output_tokens: int
    cached_input_tokens: int
    reasoning_tokens: int


class UserPage(Record):
    __slots__ = ()
    items_: list[User]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class VerifyAuditResult(Record):
    __slots__ = ()
    ok: bool
    events: int
    """Rows whose place in the chain was proved"""
    broken_at: int | None
    """seq of the first row that does not fit"""
    reason: str | None
    signed: int
    """Rows signed with the key of the platform; those before the first one are chained alone"""


class Vote(Record):
    __slots__ = ()
    voter: str
    """Agent id or user id"""
    voter_type: Literal["agent", "user"]
    seat: Literal["athena", "hermes", "aegis", "hephaestus", "prometheus"] | None
    vote: Literal["approve", "reject", "abstain"]
    reason: str
    veto_reason: Literal["security_risk", "data_breach", "compliance", "personal_data"] | None
    confidence: float | None
    created_at: str
    """ISO 8601 UTC with milliseconds"""


class WebhookDelivery(Record):
    __slots__ = ()
    id: str
    """The webhook-id header of all attempts"""
    webhook_id: str
    event: str
    status: Literal["pending", "delivered", "failed", "cancelled"]
    cancelled_reason: Literal["switched_off", "not_allowed"] | None
    """switched_off: the webhook was; not_allowed: it may not read the record any more"""
    attempts: int
    response_status: int | None
    """Of the last attempt"""
    next_attempt_at: str | None
    """ISO 8601 UTC with milliseconds"""
    created_at: str
    """ISO 8601 UTC with milliseconds"""
    finished_at: str | None
    """ISO 8601 UTC with milliseconds"""


class WebhookDeliveryDetail(WebhookDelivery):
    __slots__ = ()
    request_body: str | None
    """What is sent, the first 16 KiB; absent for readers who may not read the record that it tells of"""
    body_withheld: str | None
    """Why there is no request_body, and nothing of what the receiver said"""
    log: list[WebhookDeliveryDetailLog]


class WebhookDeliveryDetailLog(Record):
    __slots__ = ()
    attempted_at: str
    """ISO 8601 UTC with milliseconds"""
    duration_ms: int
    request: WebhookDeliveryDetailLogRequest
    response: WebhookDeliveryDetailLogResponse | None
    error: str | None


class WebhookDeliveryDetailLogRequest(Record):
    __slots__ = ()
    headers: dict[str, Any]
    """Without the signature"""


class WebhookDeliveryDetailLogResponse(Record):
    __slots__ = ()
    status: int
    headers: dict[str, Any]
    body: str
    """The first 4 KiB"""


class WebhookDeliveryPage(Record):
    __slots__ = ()
    items_: list[WebhookDelivery]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


class WebhookPage(Record):
    __slots__ = ()
    items_: list[Webhook]
    page: int
    limit: int
    total: int
    has_more: bool
    next_cursor: str | None


bind(AgentMetrics, {"latency_ms": AgentMetricsLatencyMs, "first_token_ms": AgentMetricsFirstTokenMs}, [])
bind(AgentStatus, {"metrics": AgentMetrics}, [])
bind(AgentSuggestionPage, {"items": [AgentSuggestion]}, [])
bind(AnthropicMessage, {"usage": AnthropicMessageUsage, "pentarch": AnthropicMessagePentarch}, [])
bind(ApiKeyPage, {"items": [ApiKey]}, [])
bind(AuditEventPage, {"items": [AuditEvent]}, [])
bind(AuthorizeMcpServerResult, {}, ["secret_withheld"])
bind(ChatCompletion, {"choices": [ChatCompletionChoice], "usage": ChatCompletionUsage, "pentarch": AnthropicMessagePentarch}, [])
bind(ChatCompletionChoice, {"message": ChatCompletionChoiceMessage}, [])
bind(ChatCompletionChoiceMessage, {"tool_calls": [ChatCompletionChoiceMessageToolCall]}, ["tool_calls"])
bind(ChatCompletionChoiceMessageToolCall, {"function": ChatCompletionChoiceMessageToolCallFunction}, [])
bind(ChatCompletionUsage, {"prompt_tokens_details": OpenAiResponseUsageInputTokensDetails, "completion_tokens_details": OpenAiResponseUsageOutputTokensDetails}, [])
bind(ChatResponse, {"tool_calls": [ToolCall], "usage": Usage, "citations": [Citation]}, ["parsed"])
bind(Conversation, {"hit": ConversationHit}, ["hit"])
bind(ConversationDetail, {"messages": [Message]}, [])
bind(ConversationPage, {"items": [Conversation]}, [])
bind(CostLimits, {"limits": [CostLimitsLimit]}, [])
bind(CostUsage, {"period": CostUsagePeriod, "by_agent": [CostUsageByAgent], "by_model": [CostUsageByModel], "by_tool": [CostUsageByTool], "by_day": [CostUsageByDay], "by_user": [CostUsageByUser], "budget": Budget}, ["by_user", "users_total"])
bind(CreatedApiKey, {}, ["secret_withheld"])
bind(CreatedOauthClient, {}, ["client_secret", "secret_withheld"])
bind(CreatedTenant, {"admin": CreatedTenantAdmin}, ["admin", "secret_withheld"])
bind(CreatedTenantAdmin, {}, ["invitation_url"])
bind(CreatedUser, {}, ["invitation_url", "secret_withheld"])
bind(CreatedWebhook, {}, ["secret_withheld"])
bind(DeleteConversationsResult, {"failed": [DeleteConversationsResultFailed]}, [])
bind(DirectoryGroupPage, {"items": [DirectoryGroup]}, [])
bind(Document, {"left_out": [DocumentLeftOut], "progress": DocumentProgress, "error": DocumentError}, [])
bind(DocumentChunkPage, {"items": [DocumentChunk]}, [])
bind(DocumentPage, {"items": [Document]}, [])
bind(Embeddings, {"data": [EmbeddingsData], "usage": EmbeddingsUsage}, [])
bind(ExportUserDataResult, {"user": User}, [])
bind(ImportConversationsResult, {"errors": [ImportConversationsResultError]}, [])
bind(ImportMcpServersResult, {"items": [McpServer]}, [])
bind(InviteUserResult, {}, ["secret_withheld"])
bind(ListDocumentTagsResult, {"items": [ListDocumentTagsResultItem]}, [])
bind(ListDocumentVersionsResult, {"items": [ListDocumentVersionsResultItem]}, [])
bind(ListFoldersResult, {"items": [ListFoldersResultItem]}, [])
bind(ListMySessionsResult, {"items": [ListMySessionsResultItem]}, [])
bind(ListOpenAiModelsResult, {"data": [OpenAiModelByName]}, [])
bind(ListResponseInputItemsResult, {"data": [ListResponseInputItemsResultData]}, [])
bind(ListResponseInputItemsResultData, {"content": [ListResponseInputItemsResultDataContent]}, [])
bind(McpServer, {"server_info": ServerInfo}, ["policy", "access"])
bind(McpServerLogs, {"items": [McpServerLogsItem]}, [])
bind(McpServerPage, {"items": [McpServer]}, [])
bind(McpTool, {"policy": Policy, "accepted": McpToolAccepted}, [])
bind(McpToolPage, {"items": [McpTool]}, [])
bind(MemoryEntity, {"observations": [Observation]}, [])
bind(MemoryEntityPage, {"items": [MemoryEntity]}, [])
bind(MemoryGraph, {"entities": [MemoryEntity], "relations": [MemoryRelation]}, [])
bind(MemoryPreference, {"source": ObservationSource}, [])
bind(MemoryPreferencePage, {"items": [MemoryPreference]}, [])
bind(MemoryRelationPage, {"items": [MemoryRelation]}, [])
bind(Message, {"tool_calls": [ToolCall], "citations": [Citation], "usage": Usage, "attachments": [MessageAttachment], "pictures": [MessagePicture], "error": MessageError, "siblings": MessageSiblings}, ["pictures"])
bind(MessagePage, {"items": [Message]}, [])
bind(Model, {"price": ModelPrice}, [])
bind(ModelPage, {"items": [Model]}, [])
bind(NotificationPage, {"items": [Notification]}, [])
bind(NotificationPreferences, {"categories": NotificationPreferencesCategories}, [])
bind(NotificationPreferencesCategories, {"tasks": NotificationPreferencesCategoriesTasks, "proposals": NotificationPreferencesCategoriesTasks, "costs": NotificationPreferencesCategoriesTasks, "documents": NotificationPreferencesCategoriesTasks, "agents": NotificationPreferencesCategoriesTasks, "system": NotificationPreferencesCategoriesTasks}, [])
bind(OAuthDeviceCodes, {}, ["verification_uri_complete"])
bind(OAuthError, {}, ["error_description", "request_id"])
bind(OAuthIntrospection, {}, ["token_type", "iss", "aud", "client_id", "scope", "jti", "iat", "exp", "username", "sub", "email", "name", "roles", "org_id", "permissions"])
bind(OAuthTokens, {}, ["refresh_token", "id_token", "scope"])
bind(OauthClientPage, {"items": [OauthClient]}, [])
bind(Observation, {"source": ObservationSource}, [])
bind(OidcUserInfo, {}, ["email", "name", "roles", "org_id", "permissions", "preferred_username", "groups"])
bind(OpenAiResponse, {"error": MessageError, "incomplete_details": OpenAiResponseIncompleteDetails, "usage": OpenAiResponseUsage, "reasoning": OpenAiResponseReasoning, "text": OpenAiResponseText, "pentarch": AnthropicMessagePentarch}, ["pentarch"])
bind(OpenAiResponseUsage, {"input_tokens_details": OpenAiResponseUsageInputTokensDetails, "output_tokens_details": OpenAiResponseUsageOutputTokensDetails}, [])
bind(OpenShareResult, {"messages": [OpenShareResultMessage]}, [])
bind(OpenShareResultMessage, {"citations": [OpenShareResultMessageCitation]}, [])
bind(PersonalToken, {}, ["secret_withheld"])
bind(Proposal, {"votes": [Vote], "tally": Tally, "tool": ProposalTool, "execution": ProposalExecution}, [])
bind(ProviderMetadata, {}, ["introspection_endpoint", "revocation_endpoint", "userinfo_endpoint", "end_session_endpoint", "device_authorization_endpoint", "pushed_authorization_request_endpoint", "client_id_metadata_document_supported", "grant_types_supported", "response_types_supported", "code_challenge_methods_supported"])
bind(Readiness, {"checks": ReadinessChecks}, [])
bind(ReadinessChecks, {"store": ReadinessChecksStore, "redis": ReadinessChecksStore, "disk": ReadinessChecksStore, "migrations": ReadinessChecksStore, "models": ReadinessChecksStore, "embeddings": ReadinessChecksStore, "identity": ReadinessChecksStore, "mcp": ReadinessChecksStore, "queue": ReadinessChecksStore}, [])
bind(ReadinessChecksStore, {}, ["detail"])
bind(Run, {"usage": Usage, "error": DocumentError}, [])
bind(SearchResponse, {"results": [SearchResponseResult]}, [])
bind(ShareConversationResult, {}, ["secret_withheld"])
bind(SharePage, {"items": [Share]}, [])
bind(Task, {"progress": TaskProgress, "result": TaskResult, "error": MessageError}, [])
bind(TaskPage, {"items": [Task]}, [])
bind(TaskRun, {"result": TaskResult, "error": MessageError}, [])
bind(TaskRunPage, {"items": [TaskRun]}, [])
bind(TenantPage, {"items": [Tenant]}, [])
bind(TestMcpServerResult, {"server_info": ServerInfo, "tools": [TestMcpServerResultTool]}, [])
bind(TextCompletion, {"choices": [TextCompletionChoice], "usage": ChatCompletionUsage, "pentarch": AnthropicMessagePentarch}, [])
bind(UserPage, {"items": [User]}, [])
bind(WebhookDeliveryDetail, {"log": [WebhookDeliveryDetailLog]}, ["request_body", "body_withheld"])
bind(WebhookDeliveryDetailLog, {"request": WebhookDeliveryDetailLogRequest, "response": WebhookDeliveryDetailLogResponse}, [])
bind(WebhookDeliveryPage, {"items": [WebhookDelivery]}, [])
bind(WebhookPage, {"items": [Webhook]}, [])
