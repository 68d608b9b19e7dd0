// Code generated from api/openapi.json by sdk/codegen. DO NOT EDIT.

package pentarch

import (
	"context"
	"iter"
	"net/url"
)

// Users are the operations on this resource.
type Users struct{ http *transport }

// ListAsAdmin: Accounts of the tenant, for admins
func (r *Users) ListAsAdmin(ctx context.Context, query *ListUsersAsAdminQuery, options ...CallOption) (*Page[User], error) {
	return getJSON[Page[User]](ctx, r.http, call{method: "GET", path: "/api/v1/admin/users", query: query.values()}, options)
}

// ListAsAdminAll gives every item of ListAsAdmin, page by page; it ends after the first error.
func (r *Users) ListAsAdminAll(ctx context.Context, query *ListUsersAsAdminQuery, options ...CallOption) iter.Seq2[User, error] {
	return allItems[User](ctx, r.http, call{method: "GET", path: "/api/v1/admin/users", query: query.values()}, options)
}

// List: Accounts of the tenant
func (r *Users) List(ctx context.Context, query *ListUsersQuery, options ...CallOption) (*Page[User], error) {
	return getJSON[Page[User]](ctx, r.http, call{method: "GET", path: "/v2/users", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *Users) ListAll(ctx context.Context, query *ListUsersQuery, options ...CallOption) iter.Seq2[User, error] {
	return allItems[User](ctx, r.http, call{method: "GET", path: "/v2/users", query: query.values()}, options)
}

// Create: Make an account; without a password the answer has an invitation link
func (r *Users) Create(ctx context.Context, body CreateUserRequest, options ...CallOption) (*CreatedUser, error) {
	return getJSON[CreatedUser](ctx, r.http, call{method: "POST", path: "/v2/users", json: body}, options)
}

// GetMe: The account of the caller
func (r *Users) GetMe(ctx context.Context, options ...CallOption) (*User, error) {
	return getJSON[User](ctx, r.http, call{method: "GET", path: "/v2/users/me"}, options)
}

// UpdateMe: Change the own name
func (r *Users) UpdateMe(ctx context.Context, body UpdateMyUserRequest, options ...CallOption) (*User, error) {
	return getJSON[User](ctx, r.http, call{method: "PATCH", path: "/v2/users/me", json: body}, options)
}

// ChangeMyPassword: Change the own password; other sessions end
func (r *Users) ChangeMyPassword(ctx context.Context, body ChangeMyPasswordRequest, options ...CallOption) error {
	return r.http.none(ctx, call{method: "POST", path: "/v2/users/me/password", json: body}, options)
}

// ListMySessions: Open sign-ins of the caller
func (r *Users) ListMySessions(ctx context.Context, options ...CallOption) (*ListMySessionsResult, error) {
	return getJSON[ListMySessionsResult](ctx, r.http, call{method: "GET", path: "/v2/users/me/sessions"}, options)
}

// EndMySession: End one sign-in; its tokens die at once
func (r *Users) EndMySession(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/v2/users/me/sessions/" + url.PathEscape(id)}, options)
}

// ListPersonalTokens: Personal access tokens of the caller
func (r *Users) ListPersonalTokens(ctx context.Context, query *ListPersonalTokensQuery, options ...CallOption) (*Page[APIKey], error) {
	return getJSON[Page[APIKey]](ctx, r.http, call{method: "GET", path: "/v2/users/me/tokens", query: query.values()}, options)
}

// ListPersonalTokensAll gives every item of ListPersonalTokens, page by page; it ends after the first error.
func (r *Users) ListPersonalTokensAll(ctx context.Context, query *ListPersonalTokensQuery, options ...CallOption) iter.Seq2[APIKey, error] {
	return allItems[APIKey](ctx, r.http, call{method: "GET", path: "/v2/users/me/tokens", query: query.values()}, options)
}

// CreatePersonalToken: Make a personal access token; the secret is shown once
func (r *Users) CreatePersonalToken(ctx context.Context, body CreatePersonalTokenRequest, options ...CallOption) (*PersonalToken, error) {
	return getJSON[PersonalToken](ctx, r.http, call{method: "POST", path: "/v2/users/me/tokens", json: body}, options)
}

// DeletePersonalToken: Delete a personal access token; it stops working at once
func (r *Users) DeletePersonalToken(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/v2/users/me/tokens/" + url.PathEscape(id)}, options)
}

// Get: One account
func (r *Users) Get(ctx context.Context, id string, options ...CallOption) (*User, error) {
	return getJSON[User](ctx, r.http, call{method: "GET", path: "/v2/users/" + url.PathEscape(id)}, options)
}

// Update: Change name, roles, tier or status; roles and deactivation take effect at once
func (r *Users) Update(ctx context.Context, id string, body UpdateUserRequest, options ...CallOption) (*User, error) {
	return getJSON[User](ctx, r.http, call{method: "PATCH", path: "/v2/users/" + url.PathEscape(id), json: body}, options)
}

// Deactivate: Deactivate an account; its tokens and keys die at once
func (r *Users) Deactivate(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/v2/users/" + url.PathEscape(id)}, options)
}

// EraseData: Erase a person's content: one's own, or as an admin
func (r *Users) EraseData(ctx context.Context, id string, options ...CallOption) (*EraseUserDataResult, error) {
	return getJSON[EraseUserDataResult](ctx, r.http, call{method: "DELETE", path: "/v2/users/" + url.PathEscape(id) + "/data"}, options)
}

// ExportData: Everything that is stored of a person: one's own, or as an admin
func (r *Users) ExportData(ctx context.Context, id string, options ...CallOption) (*ExportUserDataResult, error) {
	return getJSON[ExportUserDataResult](ctx, r.http, call{method: "GET", path: "/v2/users/" + url.PathEscape(id) + "/export"}, options)
}

// Invite: A new invitation link for an account that waits for one
func (r *Users) Invite(ctx context.Context, id string, options ...CallOption) (*InviteUserResult, error) {
	return getJSON[InviteUserResult](ctx, r.http, call{method: "POST", path: "/v2/users/" + url.PathEscape(id) + "/invitation"}, options)
}

// Move: Move a person to another tenant under a new account; their records stay (platform administrators)
func (r *Users) Move(ctx context.Context, id string, body MoveUserRequest, options ...CallOption) (*MoveUserResult, error) {
	return getJSON[MoveUserResult](ctx, r.http, call{method: "POST", path: "/v2/users/" + url.PathEscape(id) + "/move", json: body}, options)
}

// ResetPassword: A link with which the person sets a new password
func (r *Users) ResetPassword(ctx context.Context, id string, options ...CallOption) (*InviteUserResult, error) {
	return getJSON[InviteUserResult](ctx, r.http, call{method: "POST", path: "/v2/users/" + url.PathEscape(id) + "/password-reset"}, options)
}

// Agents are the operations on this resource.
type Agents struct{ http *transport }

// List: Statuses of all eleven agents
func (r *Agents) List(ctx context.Context, query *ListAgentsQuery, options ...CallOption) ([]AgentStatus, error) {
	return getValue[[]AgentStatus](ctx, r.http, call{method: "GET", path: "/api/v1/agents", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *Agents) ListAll(ctx context.Context, query *ListAgentsQuery, options ...CallOption) iter.Seq2[AgentStatus, error] {
	return allBareItems[AgentStatus](ctx, r.http, call{method: "GET", path: "/api/v1/agents", query: query.values()}, options)
}

// ListSuggestions: Suggested changes of agents’ instructions, newest first
func (r *Agents) ListSuggestions(ctx context.Context, query *ListAgentSuggestionsQuery, options ...CallOption) (*Page[AgentSuggestion], error) {
	return getJSON[Page[AgentSuggestion]](ctx, r.http, call{method: "GET", path: "/api/v1/agents/suggestions", query: query.values()}, options)
}

// ListSuggestionsAll gives every item of ListSuggestions, page by page; it ends after the first error.
func (r *Agents) ListSuggestionsAll(ctx context.Context, query *ListAgentSuggestionsQuery, options ...CallOption) iter.Seq2[AgentSuggestion, error] {
	return allItems[AgentSuggestion](ctx, r.http, call{method: "GET", path: "/api/v1/agents/suggestions", query: query.values()}, options)
}

// AcceptSuggestion: Add the suggested text to the instructions of the agent
func (r *Agents) AcceptSuggestion(ctx context.Context, id string, options ...CallOption) (*AgentSuggestion, error) {
	return getJSON[AgentSuggestion](ctx, r.http, call{method: "POST", path: "/api/v1/agents/suggestions/" + url.PathEscape(id) + "/accept"}, options)
}

// RejectSuggestion: Close a suggestion without any change
func (r *Agents) RejectSuggestion(ctx context.Context, id string, options ...CallOption) (*AgentSuggestion, error) {
	return getJSON[AgentSuggestion](ctx, r.http, call{method: "POST", path: "/api/v1/agents/suggestions/" + url.PathEscape(id) + "/reject"}, options)
}

// Get: Status of one agent
func (r *Agents) Get(ctx context.Context, id string, options ...CallOption) (*AgentStatus, error) {
	return getJSON[AgentStatus](ctx, r.http, call{method: "GET", path: "/api/v1/agents/" + url.PathEscape(id)}, options)
}

// Update: Switch an agent on or off, set its model or instructions
func (r *Agents) Update(ctx context.Context, id string, body UpdateAgentRequest, options ...CallOption) (*AgentStatus, error) {
	return getJSON[AgentStatus](ctx, r.http, call{method: "PATCH", path: "/api/v1/agents/" + url.PathEscape(id), json: body}, options)
}

// GetMetrics: Performance of one agent, measured from its runs
func (r *Agents) GetMetrics(ctx context.Context, id string, query *GetAgentMetricsQuery, options ...CallOption) (*AgentMetrics, error) {
	return getJSON[AgentMetrics](ctx, r.http, call{method: "GET", path: "/api/v1/agents/" + url.PathEscape(id) + "/metrics", query: query.values()}, options)
}

// Invoke: Ask one agent directly
func (r *Agents) Invoke(ctx context.Context, id string, body ChatRequest, options ...CallOption) (*ChatResponse, error) {
	return getJSON[ChatResponse](ctx, r.http, call{method: "POST", path: "/v2/agents/" + url.PathEscape(id) + "/invoke", json: body, slow: true}, options)
}

// Chat are the operations on this resource.
type Chat struct{ http *transport }

// Send: Ask the agents; the whole answer in one piece
func (r *Chat) Send(ctx context.Context, body ChatRequest, options ...CallOption) (*ChatResponse, error) {
	return getJSON[ChatResponse](ctx, r.http, call{method: "POST", path: "/api/v1/chat", json: body, slow: true}, options)
}

// GetRun: State of a run
func (r *Chat) GetRun(ctx context.Context, id string, options ...CallOption) (*Run, error) {
	return getJSON[Run](ctx, r.http, call{method: "GET", path: "/api/v1/chat/runs/" + url.PathEscape(id)}, options)
}

// CancelRun: Stop a run; the partial answer is kept
func (r *Chat) CancelRun(ctx context.Context, id string, options ...CallOption) (*Run, error) {
	return getJSON[Run](ctx, r.http, call{method: "POST", path: "/api/v1/chat/runs/" + url.PathEscape(id) + "/cancel"}, options)
}

// FollowRun: Events of a run from the start, or after Last-Event-ID
func (r *Chat) FollowRun(ctx context.Context, id string, options ...CallOption) iter.Seq2[ChatEvent, error] {
	return r.http.stream(ctx, call{method: "GET", path: "/api/v1/chat/runs/" + url.PathEscape(id) + "/stream"}, options)
}

// Stream: Ask the agents; the answer as Server-Sent Events
func (r *Chat) Stream(ctx context.Context, body ChatRequest, options ...CallOption) iter.Seq2[ChatEvent, error] {
	return r.http.stream(ctx, call{method: "POST", path: "/api/v1/chat/stream", json: body}, options)
}

// Edit: Ask a question in other words
func (r *Chat) Edit(ctx context.Context, id string, messageID string, body EditMessageRequest, options ...CallOption) (*ChatResponse, error) {
	return getJSON[ChatResponse](ctx, r.http, call{method: "POST", path: "/api/v1/conversations/" + url.PathEscape(id) + "/messages/" + url.PathEscape(messageID) + "/edit", json: body, slow: true}, options)
}

// EditStream: Ask a question in other words; the answer as events
func (r *Chat) EditStream(ctx context.Context, id string, messageID string, body EditMessageRequest, options ...CallOption) iter.Seq2[ChatEvent, error] {
	return r.http.stream(ctx, call{method: "POST", path: "/api/v1/conversations/" + url.PathEscape(id) + "/messages/" + url.PathEscape(messageID) + "/edit", json: body, slow: true}, options)
}

// Regenerate: Answer a question once more
func (r *Chat) Regenerate(ctx context.Context, id string, messageID string, body RegenerateMessageRequest, options ...CallOption) (*ChatResponse, error) {
	return getJSON[ChatResponse](ctx, r.http, call{method: "POST", path: "/api/v1/conversations/" + url.PathEscape(id) + "/messages/" + url.PathEscape(messageID) + "/regenerate", json: body, slow: true}, options)
}

// RegenerateStream: Answer a question once more; the answer as events
func (r *Chat) RegenerateStream(ctx context.Context, id string, messageID string, body RegenerateMessageRequest, options ...CallOption) iter.Seq2[ChatEvent, error] {
	return r.http.stream(ctx, call{method: "POST", path: "/api/v1/conversations/" + url.PathEscape(id) + "/messages/" + url.PathEscape(messageID) + "/regenerate", json: body, slow: true}, options)
}

// Conversations are the operations on this resource.
type Conversations struct{ http *transport }

// List: The caller’s conversations, newest first
func (r *Conversations) List(ctx context.Context, query *ListConversationsQuery, options ...CallOption) (*Page[Conversation], error) {
	return getJSON[Page[Conversation]](ctx, r.http, call{method: "GET", path: "/api/v1/conversations", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *Conversations) ListAll(ctx context.Context, query *ListConversationsQuery, options ...CallOption) iter.Seq2[Conversation, error] {
	return allItems[Conversation](ctx, r.http, call{method: "GET", path: "/api/v1/conversations", query: query.values()}, options)
}

// Create: Start a conversation
func (r *Conversations) Create(ctx context.Context, body CreateConversationRequest, options ...CallOption) (*CreatedConversation, error) {
	return getJSON[CreatedConversation](ctx, r.http, call{method: "POST", path: "/api/v1/conversations", json: body}, options)
}

// Delete: Delete conversations for good, archived or not
func (r *Conversations) Delete(ctx context.Context, body DeleteConversationsRequest, options ...CallOption) (*DeleteConversationsResult, error) {
	return getJSON[DeleteConversationsResult](ctx, r.http, call{method: "POST", path: "/api/v1/conversations/delete", json: body}, options)
}

// ListFolders: Folders of the caller’s conversations, with how many each holds
func (r *Conversations) ListFolders(ctx context.Context, query *ListFoldersQuery, options ...CallOption) (*ListFoldersResult, error) {
	return getJSON[ListFoldersResult](ctx, r.http, call{method: "GET", path: "/api/v1/conversations/folders", query: query.values()}, options)
}

// RenameFolder: Rename a folder of the caller’s, or take it away
func (r *Conversations) RenameFolder(ctx context.Context, body RenameFolderRequest, options ...CallOption) (*RenameFolderResult, error) {
	return getJSON[RenameFolderResult](ctx, r.http, call{method: "POST", path: "/api/v1/conversations/folders/rename", json: body}, options)
}

// Import: Bring in conversations of ChatGPT, Open WebUI, LibreChat or another Pentarch
func (r *Conversations) Import(ctx context.Context, body ImportConversationsRequest, options ...CallOption) (*ImportConversationsResult, error) {
	return getJSON[ImportConversationsResult](ctx, r.http, call{method: "POST", path: "/api/v1/conversations/import", json: body, slow: true}, options)
}

// Get: A conversation with its newest 200 messages
func (r *Conversations) Get(ctx context.Context, id string, options ...CallOption) (*ConversationDetail, error) {
	return getJSON[ConversationDetail](ctx, r.http, call{method: "GET", path: "/api/v1/conversations/" + url.PathEscape(id)}, options)
}

// Update: Rename, pin or file a conversation, replace its metadata or pick its branch
func (r *Conversations) Update(ctx context.Context, id string, body UpdateConversationRequest, options ...CallOption) (*CreatedConversation, error) {
	return getJSON[CreatedConversation](ctx, r.http, call{method: "PATCH", path: "/api/v1/conversations/" + url.PathEscape(id), json: body}, options)
}

// Archive: Archive a conversation, or delete it for good
func (r *Conversations) Archive(ctx context.Context, id string, query *ArchiveConversationQuery, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/conversations/" + url.PathEscape(id), query: query.values()}, options)
}

// Export: A conversation as a file
func (r *Conversations) Export(ctx context.Context, id string, query *ExportConversationQuery, options ...CallOption) (string, error) {
	return r.http.text(ctx, call{method: "GET", path: "/api/v1/conversations/" + url.PathEscape(id) + "/export", query: query.values()}, options)
}

// Fork: Start a conversation with the messages of another one, up to one of them
func (r *Conversations) Fork(ctx context.Context, id string, body ForkConversationRequest, options ...CallOption) (*CreatedConversation, error) {
	return getJSON[CreatedConversation](ctx, r.http, call{method: "POST", path: "/api/v1/conversations/" + url.PathEscape(id) + "/fork", json: body}, options)
}

// ListMessages: The messages of a conversation, oldest first: its active branch, or all branches
func (r *Conversations) ListMessages(ctx context.Context, id string, query *ListMessagesQuery, options ...CallOption) (*Page[Message], error) {
	return getJSON[Page[Message]](ctx, r.http, call{method: "GET", path: "/api/v1/conversations/" + url.PathEscape(id) + "/messages", query: query.values()}, options)
}

// ListMessagesAll gives every item of ListMessages, page by page; it ends after the first error.
func (r *Conversations) ListMessagesAll(ctx context.Context, id string, query *ListMessagesQuery, options ...CallOption) iter.Seq2[Message, error] {
	return allItems[Message](ctx, r.http, call{method: "GET", path: "/api/v1/conversations/" + url.PathEscape(id) + "/messages", query: query.values()}, options)
}

// GetPicture: A picture of a message
func (r *Conversations) GetPicture(ctx context.Context, id string, pictureID string, options ...CallOption) ([]byte, error) {
	return r.http.bytes(ctx, call{method: "GET", path: "/api/v1/conversations/" + url.PathEscape(id) + "/pictures/" + url.PathEscape(pictureID)}, options)
}

// Restore: Take a conversation out of the archive
func (r *Conversations) Restore(ctx context.Context, id string, options ...CallOption) (*CreatedConversation, error) {
	return getJSON[CreatedConversation](ctx, r.http, call{method: "POST", path: "/api/v1/conversations/" + url.PathEscape(id) + "/restore"}, options)
}

// ListShares: How a conversation is shared, newest first
func (r *Conversations) ListShares(ctx context.Context, id string, query *ListSharesQuery, options ...CallOption) (*Page[Share], error) {
	return getJSON[Page[Share]](ctx, r.http, call{method: "GET", path: "/api/v1/conversations/" + url.PathEscape(id) + "/shares", query: query.values()}, options)
}

// ListSharesAll gives every item of ListShares, page by page; it ends after the first error.
func (r *Conversations) ListSharesAll(ctx context.Context, id string, query *ListSharesQuery, options ...CallOption) iter.Seq2[Share, error] {
	return allItems[Share](ctx, r.http, call{method: "GET", path: "/api/v1/conversations/" + url.PathEscape(id) + "/shares", query: query.values()}, options)
}

// Share: Let others read a conversation as it stands now
func (r *Conversations) Share(ctx context.Context, id string, body ShareConversationRequest, options ...CallOption) (*ShareConversationResult, error) {
	return getJSON[ShareConversationResult](ctx, r.http, call{method: "POST", path: "/api/v1/conversations/" + url.PathEscape(id) + "/shares", json: body}, options)
}

// RevokeShare: End a share: it is read no more, at once
func (r *Conversations) RevokeShare(ctx context.Context, id string, shareID string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/conversations/" + url.PathEscape(id) + "/shares/" + url.PathEscape(shareID)}, options)
}

// RateMessage: Rate an answer
func (r *Conversations) RateMessage(ctx context.Context, id string, body RateMessageRequest, options ...CallOption) (*RateMessageResult, error) {
	return getJSON[RateMessageResult](ctx, r.http, call{method: "POST", path: "/api/v1/messages/" + url.PathEscape(id) + "/feedback", json: body}, options)
}

// OpenShare: A conversation that somebody of the tenant has shared
func (r *Conversations) OpenShare(ctx context.Context, token string, options ...CallOption) (*OpenShareResult, error) {
	return getJSON[OpenShareResult](ctx, r.http, call{method: "GET", path: "/api/v1/shares/" + url.PathEscape(token)}, options)
}

// OpenPublicShare: A conversation that somebody has shared by a link, without a sign-in
func (r *Conversations) OpenPublicShare(ctx context.Context, token string, options ...CallOption) (*OpenShareResult, error) {
	return getJSON[OpenShareResult](ctx, r.http, call{method: "GET", path: "/api/v1/shares/" + url.PathEscape(token) + "/public"}, options)
}

// Costs are the operations on this resource.
type Costs struct{ http *transport }

// GetLimits: Limits with what is used and reserved of them
func (r *Costs) GetLimits(ctx context.Context, options ...CallOption) (*CostLimits, error) {
	return getJSON[CostLimits](ctx, r.http, call{method: "GET", path: "/api/v1/costs/limits"}, options)
}

// SetLimits: Set or remove limits; those that are not named stay
func (r *Costs) SetLimits(ctx context.Context, body SetCostLimitsRequest, options ...CallOption) (*CostLimits, error) {
	return getJSON[CostLimits](ctx, r.http, call{method: "PUT", path: "/api/v1/costs/limits", json: body}, options)
}

// GetUsage: Spending of a period, divided by agent, model, tool, day and user
func (r *Costs) GetUsage(ctx context.Context, query *GetCostUsageQuery, options ...CallOption) (*CostUsage, error) {
	return getJSON[CostUsage](ctx, r.http, call{method: "GET", path: "/api/v1/costs/usage", query: query.values()}, options)
}

// ExportUsage: The metered calls of a period as CSV
func (r *Costs) ExportUsage(ctx context.Context, query *ExportCostUsageQuery, options ...CallOption) (string, error) {
	return r.http.text(ctx, call{method: "GET", path: "/api/v1/costs/usage/export", query: query.values()}, options)
}

// Governance are the operations on this resource.
type Governance struct{ http *transport }

// ListProposals: Proposals, newest first
func (r *Governance) ListProposals(ctx context.Context, query *ListProposalsQuery, options ...CallOption) ([]Proposal, error) {
	return getValue[[]Proposal](ctx, r.http, call{method: "GET", path: "/api/v1/governance/proposals", query: query.values()}, options)
}

// ListProposalsAll gives every item of ListProposals, page by page; it ends after the first error.
func (r *Governance) ListProposalsAll(ctx context.Context, query *ListProposalsQuery, options ...CallOption) iter.Seq2[Proposal, error] {
	return allBareItems[Proposal](ctx, r.http, call{method: "GET", path: "/api/v1/governance/proposals", query: query.values()}, options)
}

// CreateProposal: Propose an action by hand
func (r *Governance) CreateProposal(ctx context.Context, body CreateProposalRequest, options ...CallOption) (*Proposal, error) {
	return getJSON[Proposal](ctx, r.http, call{method: "POST", path: "/api/v1/governance/proposals", json: body}, options)
}

// GetProposal: One proposal with its votes and its execution
func (r *Governance) GetProposal(ctx context.Context, id string, options ...CallOption) (*Proposal, error) {
	return getJSON[Proposal](ctx, r.http, call{method: "GET", path: "/api/v1/governance/proposals/" + url.PathEscape(id)}, options)
}

// CancelProposal: Withdraw an open proposal
func (r *Governance) CancelProposal(ctx context.Context, id string, options ...CallOption) (*Proposal, error) {
	return getJSON[Proposal](ctx, r.http, call{method: "POST", path: "/api/v1/governance/proposals/" + url.PathEscape(id) + "/cancel"}, options)
}

// ConfirmProposal: Answer a question that a run with untrusted content asks you: may this call be made
func (r *Governance) ConfirmProposal(ctx context.Context, id string, body ConfirmProposalRequest, options ...CallOption) (*Proposal, error) {
	return getJSON[Proposal](ctx, r.http, call{method: "POST", path: "/api/v1/governance/proposals/" + url.PathEscape(id) + "/confirm", json: body}, options)
}

// VoteOnProposal: Vote: take a seat while the five vote, or decide what awaits a person
func (r *Governance) VoteOnProposal(ctx context.Context, id string, body VoteOnProposalRequest, options ...CallOption) (*Proposal, error) {
	return getJSON[Proposal](ctx, r.http, call{method: "POST", path: "/api/v1/governance/proposals/" + url.PathEscape(id) + "/vote", json: body}, options)
}

// Knowledge are the operations on this resource.
type Knowledge struct{ http *transport }

// ListDocuments: Indexed documents, newest first
func (r *Knowledge) ListDocuments(ctx context.Context, query *ListDocumentsQuery, options ...CallOption) (*Page[Document], error) {
	return getJSON[Page[Document]](ctx, r.http, call{method: "GET", path: "/api/v1/knowledge/documents", query: query.values()}, options)
}

// ListDocumentsAll gives every item of ListDocuments, page by page; it ends after the first error.
func (r *Knowledge) ListDocumentsAll(ctx context.Context, query *ListDocumentsQuery, options ...CallOption) iter.Seq2[Document, error] {
	return allItems[Document](ctx, r.http, call{method: "GET", path: "/api/v1/knowledge/documents", query: query.values()}, options)
}

// CreateDocument: Upload and index a document
func (r *Knowledge) CreateDocument(ctx context.Context, body CreateDocumentRequest, options ...CallOption) (*Document, error) {
	return getJSON[Document](ctx, r.http, call{method: "POST", path: "/api/v1/knowledge/documents", json: body, slow: true}, options)
}

// GetDocument: One document
func (r *Knowledge) GetDocument(ctx context.Context, id string, options ...CallOption) (*Document, error) {
	return getJSON[Document](ctx, r.http, call{method: "GET", path: "/api/v1/knowledge/documents/" + url.PathEscape(id)}, options)
}

// UpdateDocument: Change title, metadata or visibility, or vouch for the document
func (r *Knowledge) UpdateDocument(ctx context.Context, id string, body UpdateDocumentRequest, options ...CallOption) (*Document, error) {
	return getJSON[Document](ctx, r.http, call{method: "PATCH", path: "/api/v1/knowledge/documents/" + url.PathEscape(id), json: body}, options)
}

// DeleteDocument: Delete a document (text, vectors and bytes), or take back an upload that is still read
func (r *Knowledge) DeleteDocument(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/knowledge/documents/" + url.PathEscape(id)}, options)
}

// ListDocumentChunks: The passages of a document, in reading order
func (r *Knowledge) ListDocumentChunks(ctx context.Context, id string, query *ListDocumentChunksQuery, options ...CallOption) (*Page[DocumentChunk], error) {
	return getJSON[Page[DocumentChunk]](ctx, r.http, call{method: "GET", path: "/api/v1/knowledge/documents/" + url.PathEscape(id) + "/chunks", query: query.values()}, options)
}

// ListDocumentChunksAll gives every item of ListDocumentChunks, page by page; it ends after the first error.
func (r *Knowledge) ListDocumentChunksAll(ctx context.Context, id string, query *ListDocumentChunksQuery, options ...CallOption) iter.Seq2[DocumentChunk, error] {
	return allItems[DocumentChunk](ctx, r.http, call{method: "GET", path: "/api/v1/knowledge/documents/" + url.PathEscape(id) + "/chunks", query: query.values()}, options)
}

// GetDocumentContent: The bytes as uploaded, or the text read from them
func (r *Knowledge) GetDocumentContent(ctx context.Context, id string, query *GetDocumentContentQuery, options ...CallOption) ([]byte, error) {
	return r.http.bytes(ctx, call{method: "GET", path: "/api/v1/knowledge/documents/" + url.PathEscape(id) + "/content", query: query.values()}, options)
}

// RetryDocument: Read a file again whose upload has failed
func (r *Knowledge) RetryDocument(ctx context.Context, id string, options ...CallOption) (*Document, error) {
	return getJSON[Document](ctx, r.http, call{method: "POST", path: "/api/v1/knowledge/documents/" + url.PathEscape(id) + "/retry"}, options)
}

// ListDocumentVersions: What the versions of a document were, newest first
func (r *Knowledge) ListDocumentVersions(ctx context.Context, id string, options ...CallOption) (*ListDocumentVersionsResult, error) {
	return getJSON[ListDocumentVersionsResult](ctx, r.http, call{method: "GET", path: "/api/v1/knowledge/documents/" + url.PathEscape(id) + "/versions"}, options)
}

// Search: Hybrid search over documents and, on request, memories
func (r *Knowledge) Search(ctx context.Context, body SearchRequest, options ...CallOption) (*SearchResponse, error) {
	return getJSON[SearchResponse](ctx, r.http, call{method: "POST", path: "/api/v1/knowledge/search", json: body}, options)
}

// ListDocumentTags: The tags of documents, the collections of this platform, with how many documents each has
func (r *Knowledge) ListDocumentTags(ctx context.Context, options ...CallOption) (*ListDocumentTagsResult, error) {
	return getJSON[ListDocumentTagsResult](ctx, r.http, call{method: "GET", path: "/api/v1/knowledge/tags"}, options)
}

// MCP are the operations on this resource.
type MCP struct{ http *transport }

// ListServers: MCP servers that the caller may use
func (r *MCP) ListServers(ctx context.Context, query *ListMCPServersQuery, options ...CallOption) (*Page[MCPServer], error) {
	return getJSON[Page[MCPServer]](ctx, r.http, call{method: "GET", path: "/api/v1/mcp/servers", query: query.values()}, options)
}

// ListServersAll gives every item of ListServers, page by page; it ends after the first error.
func (r *MCP) ListServersAll(ctx context.Context, query *ListMCPServersQuery, options ...CallOption) iter.Seq2[MCPServer, error] {
	return allItems[MCPServer](ctx, r.http, call{method: "GET", path: "/api/v1/mcp/servers", query: query.values()}, options)
}

// CreateServer: Register an MCP server for the tenant
func (r *MCP) CreateServer(ctx context.Context, body CreateMCPServerRequest, options ...CallOption) (*MCPServer, error) {
	return getJSON[MCPServer](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/servers", json: body}, options)
}

// ImportServers: Register all servers of a file in the mcpServers form
func (r *MCP) ImportServers(ctx context.Context, body ImportMCPServersRequest, options ...CallOption) (*ImportMCPServersResult, error) {
	return getJSON[ImportMCPServersResult](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/servers/import", json: body}, options)
}

// TestServer: Try a server without registering it
func (r *MCP) TestServer(ctx context.Context, body TestMCPServerRequest, options ...CallOption) (*TestMCPServerResult, error) {
	return getJSON[TestMCPServerResult](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/servers/test", json: body}, options)
}

// UpdateServer: Change a registered MCP server
func (r *MCP) UpdateServer(ctx context.Context, name string, body UpdateMCPServerRequest, options ...CallOption) (*MCPServer, error) {
	return getJSON[MCPServer](ctx, r.http, call{method: "PATCH", path: "/api/v1/mcp/servers/" + url.PathEscape(name), json: body}, options)
}

// DeleteServer: Remove a registered MCP server
func (r *MCP) DeleteServer(ctx context.Context, name string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/mcp/servers/" + url.PathEscape(name)}, options)
}

// AuthorizeServer: Begin to sign in at a server that asks for OAuth
func (r *MCP) AuthorizeServer(ctx context.Context, name string, body AuthorizeMCPServerRequest, options ...CallOption) (*AuthorizeMCPServerResult, error) {
	return getJSON[AuthorizeMCPServerResult](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/servers/" + url.PathEscape(name) + "/authorize", json: body}, options)
}

// GetServerLogs: Last lines that a server wrote to its standard error, and notices about its connection
func (r *MCP) GetServerLogs(ctx context.Context, name string, options ...CallOption) (*MCPServerLogs, error) {
	return getJSON[MCPServerLogs](ctx, r.http, call{method: "GET", path: "/api/v1/mcp/servers/" + url.PathEscape(name) + "/logs"}, options)
}

// RefreshServer: List the tools of a server anew, for one that tells of no changes
func (r *MCP) RefreshServer(ctx context.Context, name string, options ...CallOption) (*MCPServer, error) {
	return getJSON[MCPServer](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/servers/" + url.PathEscape(name) + "/refresh"}, options)
}

// CallTool: Call a tool of a server
func (r *MCP) CallTool(ctx context.Context, server string, body CallMCPToolRequest, options ...CallOption) (*CallMCPToolOutcome, error) {
	return getJSON[CallMCPToolOutcome](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/" + url.PathEscape(server) + "/call", json: body, slow: true}, options)
}

// ListPrompts: Prompts of a server
func (r *MCP) ListPrompts(ctx context.Context, server string, options ...CallOption) (*ListMCPPromptsResult, error) {
	return getJSON[ListMCPPromptsResult](ctx, r.http, call{method: "GET", path: "/api/v1/mcp/" + url.PathEscape(server) + "/prompts"}, options)
}

// GetPrompt: A prompt with its arguments filled in
func (r *MCP) GetPrompt(ctx context.Context, server string, body GetMCPPromptRequest, options ...CallOption) (map[string]any, error) {
	return getValue[map[string]any](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/" + url.PathEscape(server) + "/prompts/get", json: body}, options)
}

// ListResources: Resources of a server
func (r *MCP) ListResources(ctx context.Context, server string, options ...CallOption) (*ListMCPPromptsResult, error) {
	return getJSON[ListMCPPromptsResult](ctx, r.http, call{method: "GET", path: "/api/v1/mcp/" + url.PathEscape(server) + "/resources"}, options)
}

// ReadResource: Contents of a resource
func (r *MCP) ReadResource(ctx context.Context, server string, query *ReadMCPResourceQuery, options ...CallOption) (*ListMCPPromptsResult, error) {
	return getJSON[ListMCPPromptsResult](ctx, r.http, call{method: "GET", path: "/api/v1/mcp/" + url.PathEscape(server) + "/resources/read", query: query.values()}, options)
}

// ListTools: Tools of a server
func (r *MCP) ListTools(ctx context.Context, server string, query *ListMCPToolsQuery, options ...CallOption) (*Page[MCPTool], error) {
	return getJSON[Page[MCPTool]](ctx, r.http, call{method: "GET", path: "/api/v1/mcp/" + url.PathEscape(server) + "/tools", query: query.values()}, options)
}

// ListToolsAll gives every item of ListTools, page by page; it ends after the first error.
func (r *MCP) ListToolsAll(ctx context.Context, server string, query *ListMCPToolsQuery, options ...CallOption) iter.Seq2[MCPTool, error] {
	return allItems[MCPTool](ctx, r.http, call{method: "GET", path: "/api/v1/mcp/" + url.PathEscape(server) + "/tools", query: query.values()}, options)
}

// AcceptTools: Accept the tools of a server, as they are now
func (r *MCP) AcceptTools(ctx context.Context, server string, body AcceptMCPToolsRequest, options ...CallOption) (*MCPServer, error) {
	return getJSON[MCPServer](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/" + url.PathEscape(server) + "/tools/accept", json: body}, options)
}

// AcceptTool: Accept a tool that is new or has changed, as it is now
func (r *MCP) AcceptTool(ctx context.Context, server string, tool string, body AcceptMCPToolRequest, options ...CallOption) (*MCPTool, error) {
	return getJSON[MCPTool](ctx, r.http, call{method: "POST", path: "/api/v1/mcp/" + url.PathEscape(server) + "/tools/" + url.PathEscape(tool) + "/accept", json: body}, options)
}

// Memory are the operations on this resource.
type Memory struct{ http *transport }

// ListEntities: Entities of the knowledge graph, the newest first
func (r *Memory) ListEntities(ctx context.Context, query *ListMemoryEntitiesQuery, options ...CallOption) (*Page[MemoryEntity], error) {
	return getJSON[Page[MemoryEntity]](ctx, r.http, call{method: "GET", path: "/api/v1/memory/entities", query: query.values()}, options)
}

// ListEntitiesAll gives every item of ListEntities, page by page; it ends after the first error.
func (r *Memory) ListEntitiesAll(ctx context.Context, query *ListMemoryEntitiesQuery, options ...CallOption) iter.Seq2[MemoryEntity, error] {
	return allItems[MemoryEntity](ctx, r.http, call{method: "GET", path: "/api/v1/memory/entities", query: query.values()}, options)
}

// CreateEntity: Make an entity, or add observations to the one of this name and type (200)
func (r *Memory) CreateEntity(ctx context.Context, body CreateMemoryEntityRequest, options ...CallOption) (*MemoryEntity, error) {
	return getJSON[MemoryEntity](ctx, r.http, call{method: "POST", path: "/api/v1/memory/entities", json: body}, options)
}

// GetEntity: One entity
func (r *Memory) GetEntity(ctx context.Context, id string, options ...CallOption) (*MemoryEntity, error) {
	return getJSON[MemoryEntity](ctx, r.http, call{method: "GET", path: "/api/v1/memory/entities/" + url.PathEscape(id)}, options)
}

// UpdateEntity: Rename an entity, change its type or importance, or share it with the tenant
func (r *Memory) UpdateEntity(ctx context.Context, id string, body UpdateMemoryEntityRequest, options ...CallOption) (*MemoryEntity, error) {
	return getJSON[MemoryEntity](ctx, r.http, call{method: "PATCH", path: "/api/v1/memory/entities/" + url.PathEscape(id), json: body}, options)
}

// DeleteEntity: Delete an entity with its observations and relations
func (r *Memory) DeleteEntity(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/memory/entities/" + url.PathEscape(id)}, options)
}

// MergeEntities: Take another entity of the same owner into this one
func (r *Memory) MergeEntities(ctx context.Context, id string, body MergeMemoryEntitiesRequest, options ...CallOption) (*MemoryEntity, error) {
	return getJSON[MemoryEntity](ctx, r.http, call{method: "POST", path: "/api/v1/memory/entities/" + url.PathEscape(id) + "/merge", json: body}, options)
}

// AddObservations: Add observations; what was said already is not repeated (200 when nothing is new)
func (r *Memory) AddObservations(ctx context.Context, id string, body AddMemoryObservationsRequest, options ...CallOption) (*MemoryEntity, error) {
	return getJSON[MemoryEntity](ctx, r.http, call{method: "POST", path: "/api/v1/memory/entities/" + url.PathEscape(id) + "/observations", json: body}, options)
}

// CorrectObservation: Correct an observation: the earlier wording ends and stays as history
func (r *Memory) CorrectObservation(ctx context.Context, id string, observationID string, body CorrectMemoryObservationRequest, options ...CallOption) (*MemoryEntity, error) {
	return getJSON[MemoryEntity](ctx, r.http, call{method: "PATCH", path: "/api/v1/memory/entities/" + url.PathEscape(id) + "/observations/" + url.PathEscape(observationID), json: body}, options)
}

// DeleteObservation: Delete an observation for good
func (r *Memory) DeleteObservation(ctx context.Context, id string, observationID string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/memory/entities/" + url.PathEscape(id) + "/observations/" + url.PathEscape(observationID)}, options)
}

// Export: The own and the shared memory as JSON Lines, in the form of the public MCP memory server
func (r *Memory) Export(ctx context.Context, options ...CallOption) (string, error) {
	return r.http.text(ctx, call{method: "GET", path: "/api/v1/memory/export"}, options)
}

// GetGraph: What is reachable from an entity in one to three steps
func (r *Memory) GetGraph(ctx context.Context, query *GetMemoryGraphQuery, options ...CallOption) (*MemoryGraph, error) {
	return getJSON[MemoryGraph](ctx, r.http, call{method: "GET", path: "/api/v1/memory/graph", query: query.values()}, options)
}

// Import: Take JSON Lines in, in the form of the public MCP memory server
func (r *Memory) Import(ctx context.Context, lines string, query *ImportMemoryQuery, options ...CallOption) (*ImportMemoryResult, error) {
	return getJSON[ImportMemoryResult](ctx, r.http, call{method: "POST", path: "/api/v1/memory/import", raw: textBody("application/x-ndjson", lines), query: query.values(), slow: true}, options)
}

// ListPreferences: How the caller wants to be answered, as the agents are told, the newest first
func (r *Memory) ListPreferences(ctx context.Context, query *ListMemoryPreferencesQuery, options ...CallOption) (*Page[MemoryPreference], error) {
	return getJSON[Page[MemoryPreference]](ctx, r.http, call{method: "GET", path: "/api/v1/memory/preferences", query: query.values()}, options)
}

// ListPreferencesAll gives every item of ListPreferences, page by page; it ends after the first error.
func (r *Memory) ListPreferencesAll(ctx context.Context, query *ListMemoryPreferencesQuery, options ...CallOption) iter.Seq2[MemoryPreference, error] {
	return allItems[MemoryPreference](ctx, r.http, call{method: "GET", path: "/api/v1/memory/preferences", query: query.values()}, options)
}

// SetPreference: Set how the caller wants to be answered (200 when it was set already)
func (r *Memory) SetPreference(ctx context.Context, body SetMemoryPreferenceRequest, options ...CallOption) (*MemoryPreference, error) {
	return getJSON[MemoryPreference](ctx, r.http, call{method: "POST", path: "/api/v1/memory/preferences", json: body}, options)
}

// ListRelations: Relations between entities, the newest first
func (r *Memory) ListRelations(ctx context.Context, query *ListMemoryRelationsQuery, options ...CallOption) (*Page[MemoryRelation], error) {
	return getJSON[Page[MemoryRelation]](ctx, r.http, call{method: "GET", path: "/api/v1/memory/relations", query: query.values()}, options)
}

// ListRelationsAll gives every item of ListRelations, page by page; it ends after the first error.
func (r *Memory) ListRelationsAll(ctx context.Context, query *ListMemoryRelationsQuery, options ...CallOption) iter.Seq2[MemoryRelation, error] {
	return allItems[MemoryRelation](ctx, r.http, call{method: "GET", path: "/api/v1/memory/relations", query: query.values()}, options)
}

// CreateRelation: Tie two entities; the same relation that holds already is answered with 200
func (r *Memory) CreateRelation(ctx context.Context, body CreateMemoryRelationRequest, options ...CallOption) (*MemoryRelation, error) {
	return getJSON[MemoryRelation](ctx, r.http, call{method: "POST", path: "/api/v1/memory/relations", json: body}, options)
}

// GetRelation: One relation
func (r *Memory) GetRelation(ctx context.Context, id string, options ...CallOption) (*MemoryRelation, error) {
	return getJSON[MemoryRelation](ctx, r.http, call{method: "GET", path: "/api/v1/memory/relations/" + url.PathEscape(id)}, options)
}

// UpdateRelation: Change a relation, or end it
func (r *Memory) UpdateRelation(ctx context.Context, id string, body UpdateMemoryRelationRequest, options ...CallOption) (*MemoryRelation, error) {
	return getJSON[MemoryRelation](ctx, r.http, call{method: "PATCH", path: "/api/v1/memory/relations/" + url.PathEscape(id), json: body}, options)
}

// DeleteRelation: Delete a relation
func (r *Memory) DeleteRelation(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/memory/relations/" + url.PathEscape(id)}, options)
}

// Models are the operations on this resource.
type Models struct{ http *transport }

// List: Models that a caller may name in `context.model`, the default first
func (r *Models) List(ctx context.Context, query *ListModelsQuery, options ...CallOption) (*Page[Model], error) {
	return getJSON[Page[Model]](ctx, r.http, call{method: "GET", path: "/api/v1/models", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *Models) ListAll(ctx context.Context, query *ListModelsQuery, options ...CallOption) iter.Seq2[Model, error] {
	return allItems[Model](ctx, r.http, call{method: "GET", path: "/api/v1/models", query: query.values()}, options)
}

// Notifications are the operations on this resource.
type Notifications struct{ http *transport }

// List: The caller’s inbox, newest first
func (r *Notifications) List(ctx context.Context, query *ListNotificationsQuery, options ...CallOption) (*Page[Notification], error) {
	return getJSON[Page[Notification]](ctx, r.http, call{method: "GET", path: "/api/v1/notifications", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *Notifications) ListAll(ctx context.Context, query *ListNotificationsQuery, options ...CallOption) iter.Seq2[Notification, error] {
	return allItems[Notification](ctx, r.http, call{method: "GET", path: "/api/v1/notifications", query: query.values()}, options)
}

// GetPreferences: By which channels the caller is told of what
func (r *Notifications) GetPreferences(ctx context.Context, options ...CallOption) (*NotificationPreferences, error) {
	return getJSON[NotificationPreferences](ctx, r.http, call{method: "GET", path: "/api/v1/notifications/preferences"}, options)
}

// UpdatePreferences: Change channels; what is not named stays
func (r *Notifications) UpdatePreferences(ctx context.Context, body UpdateNotificationPreferencesRequest, options ...CallOption) (*NotificationPreferences, error) {
	return getJSON[NotificationPreferences](ctx, r.http, call{method: "PATCH", path: "/api/v1/notifications/preferences", json: body}, options)
}

// ReadAll: Mark all as read
func (r *Notifications) ReadAll(ctx context.Context, options ...CallOption) error {
	return r.http.none(ctx, call{method: "POST", path: "/api/v1/notifications/read-all"}, options)
}

// CountUnread: How many have not been read
func (r *Notifications) CountUnread(ctx context.Context, options ...CallOption) (*CountUnreadNotificationsResult, error) {
	return getJSON[CountUnreadNotificationsResult](ctx, r.http, call{method: "GET", path: "/api/v1/notifications/unread"}, options)
}

// Read: Mark one as read
func (r *Notifications) Read(ctx context.Context, id string, options ...CallOption) (*Notification, error) {
	return getJSON[Notification](ctx, r.http, call{method: "POST", path: "/api/v1/notifications/" + url.PathEscape(id) + "/read"}, options)
}

// Tasks are the operations on this resource.
type Tasks struct{ http *transport }

// List: Tasks, newest first
func (r *Tasks) List(ctx context.Context, query *ListTasksQuery, options ...CallOption) (*Page[Task], error) {
	return getJSON[Page[Task]](ctx, r.http, call{method: "GET", path: "/api/v1/tasks", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *Tasks) ListAll(ctx context.Context, query *ListTasksQuery, options ...CallOption) iter.Seq2[Task, error] {
	return allItems[Task](ctx, r.http, call{method: "GET", path: "/api/v1/tasks", query: query.values()}, options)
}

// Create: Have an agent do something: now, at a time, or by cron
func (r *Tasks) Create(ctx context.Context, body CreateTaskRequest, options ...CallOption) (*Task, error) {
	return getJSON[Task](ctx, r.http, call{method: "POST", path: "/api/v1/tasks", json: body}, options)
}

// Get: One task
func (r *Tasks) Get(ctx context.Context, id string, options ...CallOption) (*Task, error) {
	return getJSON[Task](ctx, r.http, call{method: "GET", path: "/api/v1/tasks/" + url.PathEscape(id)}, options)
}

// Update: Change what future runs do, and when
func (r *Tasks) Update(ctx context.Context, id string, body UpdateTaskRequest, options ...CallOption) (*Task, error) {
	return getJSON[Task](ctx, r.http, call{method: "PATCH", path: "/api/v1/tasks/" + url.PathEscape(id), json: body}, options)
}

// Delete: Cancel a task and remove it with its history
func (r *Tasks) Delete(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/tasks/" + url.PathEscape(id)}, options)
}

// Cancel: End a task: its run is stopped, its schedule too
func (r *Tasks) Cancel(ctx context.Context, id string, options ...CallOption) (*Task, error) {
	return getJSON[Task](ctx, r.http, call{method: "POST", path: "/api/v1/tasks/" + url.PathEscape(id) + "/cancel"}, options)
}

// Retry: Run a failed or cancelled task again
func (r *Tasks) Retry(ctx context.Context, id string, options ...CallOption) (*Task, error) {
	return getJSON[Task](ctx, r.http, call{method: "POST", path: "/api/v1/tasks/" + url.PathEscape(id) + "/retry"}, options)
}

// ListRuns: Runs of a task, newest first: one for each due slot
func (r *Tasks) ListRuns(ctx context.Context, id string, query *ListTaskRunsQuery, options ...CallOption) (*Page[TaskRun], error) {
	return getJSON[Page[TaskRun]](ctx, r.http, call{method: "GET", path: "/api/v1/tasks/" + url.PathEscape(id) + "/runs", query: query.values()}, options)
}

// ListRunsAll gives every item of ListRuns, page by page; it ends after the first error.
func (r *Tasks) ListRunsAll(ctx context.Context, id string, query *ListTaskRunsQuery, options ...CallOption) iter.Seq2[TaskRun, error] {
	return allItems[TaskRun](ctx, r.http, call{method: "GET", path: "/api/v1/tasks/" + url.PathEscape(id) + "/runs", query: query.values()}, options)
}

// Webhooks are the operations on this resource.
type Webhooks struct{ http *transport }

// List: Webhooks of the tenant, newest first
func (r *Webhooks) List(ctx context.Context, query *ListWebhooksQuery, options ...CallOption) (*Page[Webhook], error) {
	return getJSON[Page[Webhook]](ctx, r.http, call{method: "GET", path: "/api/v1/webhooks", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *Webhooks) ListAll(ctx context.Context, query *ListWebhooksQuery, options ...CallOption) iter.Seq2[Webhook, error] {
	return allItems[Webhook](ctx, r.http, call{method: "GET", path: "/api/v1/webhooks", query: query.values()}, options)
}

// Create: Subscribe an address to events; the signing secret is shown this once
func (r *Webhooks) Create(ctx context.Context, body CreateWebhookRequest, options ...CallOption) (*CreatedWebhook, error) {
	return getJSON[CreatedWebhook](ctx, r.http, call{method: "POST", path: "/api/v1/webhooks", json: body}, options)
}

// Get: One webhook
func (r *Webhooks) Get(ctx context.Context, id string, options ...CallOption) (*Webhook, error) {
	return getJSON[Webhook](ctx, r.http, call{method: "GET", path: "/api/v1/webhooks/" + url.PathEscape(id)}, options)
}

// Update: Change a webhook, or switch it on or off
func (r *Webhooks) Update(ctx context.Context, id string, body UpdateWebhookRequest, options ...CallOption) (*Webhook, error) {
	return getJSON[Webhook](ctx, r.http, call{method: "PATCH", path: "/api/v1/webhooks/" + url.PathEscape(id), json: body}, options)
}

// Delete: Remove a webhook with its log
func (r *Webhooks) Delete(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/api/v1/webhooks/" + url.PathEscape(id)}, options)
}

// ListDeliveries: Deliveries of a webhook, newest first
func (r *Webhooks) ListDeliveries(ctx context.Context, id string, query *ListWebhookDeliveriesQuery, options ...CallOption) (*Page[WebhookDelivery], error) {
	return getJSON[Page[WebhookDelivery]](ctx, r.http, call{method: "GET", path: "/api/v1/webhooks/" + url.PathEscape(id) + "/deliveries", query: query.values()}, options)
}

// ListDeliveriesAll gives every item of ListDeliveries, page by page; it ends after the first error.
func (r *Webhooks) ListDeliveriesAll(ctx context.Context, id string, query *ListWebhookDeliveriesQuery, options ...CallOption) iter.Seq2[WebhookDelivery, error] {
	return allItems[WebhookDelivery](ctx, r.http, call{method: "GET", path: "/api/v1/webhooks/" + url.PathEscape(id) + "/deliveries", query: query.values()}, options)
}

// GetDelivery: One delivery with all its attempts
func (r *Webhooks) GetDelivery(ctx context.Context, id string, deliveryID string, options ...CallOption) (*WebhookDeliveryDetail, error) {
	return getJSON[WebhookDeliveryDetail](ctx, r.http, call{method: "GET", path: "/api/v1/webhooks/" + url.PathEscape(id) + "/deliveries/" + url.PathEscape(deliveryID)}, options)
}

// Redeliver: Try a delivery again, with the same id and body
func (r *Webhooks) Redeliver(ctx context.Context, id string, deliveryID string, options ...CallOption) (*WebhookDelivery, error) {
	return getJSON[WebhookDelivery](ctx, r.http, call{method: "POST", path: "/api/v1/webhooks/" + url.PathEscape(id) + "/deliveries/" + url.PathEscape(deliveryID) + "/redeliver"}, options)
}

// RotateSecret: A new signing secret; the old one signs along for 24 h
func (r *Webhooks) RotateSecret(ctx context.Context, id string, options ...CallOption) (*CreatedWebhook, error) {
	return getJSON[CreatedWebhook](ctx, r.http, call{method: "POST", path: "/api/v1/webhooks/" + url.PathEscape(id) + "/rotate-secret"}, options)
}

// Test: Send a webhook.test event now and see what comes back
func (r *Webhooks) Test(ctx context.Context, id string, options ...CallOption) (*WebhookDeliveryDetail, error) {
	return getJSON[WebhookDeliveryDetail](ctx, r.http, call{method: "POST", path: "/api/v1/webhooks/" + url.PathEscape(id) + "/test"}, options)
}

// System are the operations on this resource.
type System struct{ http *transport }

// Health: The process runs
func (r *System) Health(ctx context.Context, options ...CallOption) (*Health, error) {
	return getJSON[Health](ctx, r.http, call{method: "GET", path: "/health"}, options)
}

// Metrics: Prometheus metrics
func (r *System) Metrics(ctx context.Context, options ...CallOption) (string, error) {
	return r.http.text(ctx, call{method: "GET", path: "/metrics"}, options)
}

// Ready: Ready to serve requests; 503 with the same body when not
func (r *System) Ready(ctx context.Context, options ...CallOption) (*Readiness, error) {
	return getJSON[Readiness](ctx, r.http, call{method: "GET", path: "/ready"}, options)
}

// Audit are the operations on this resource.
type Audit struct{ http *transport }

// ListEvents: What happened in the tenant, newest first
func (r *Audit) ListEvents(ctx context.Context, query *ListAuditEventsQuery, options ...CallOption) (*Page[AuditEvent], error) {
	return getJSON[Page[AuditEvent]](ctx, r.http, call{method: "GET", path: "/v2/audit", query: query.values()}, options)
}

// ListEventsAll gives every item of ListEvents, page by page; it ends after the first error.
func (r *Audit) ListEventsAll(ctx context.Context, query *ListAuditEventsQuery, options ...CallOption) iter.Seq2[AuditEvent, error] {
	return allItems[AuditEvent](ctx, r.http, call{method: "GET", path: "/v2/audit", query: query.values()}, options)
}

// Verify: Prove the chain of the tenant from its first row to its head
func (r *Audit) Verify(ctx context.Context, options ...CallOption) (*VerifyAuditResult, error) {
	return getJSON[VerifyAuditResult](ctx, r.http, call{method: "GET", path: "/v2/audit/verify"}, options)
}

// Auth are the operations on this resource.
type Auth struct{ http *transport }

// ListAPIKeys: API keys of the caller
func (r *Auth) ListAPIKeys(ctx context.Context, query *ListAPIKeysQuery, options ...CallOption) (*Page[APIKey], error) {
	return getJSON[Page[APIKey]](ctx, r.http, call{method: "GET", path: "/v2/auth/api-keys", query: query.values()}, options)
}

// ListAPIKeysAll gives every item of ListAPIKeys, page by page; it ends after the first error.
func (r *Auth) ListAPIKeysAll(ctx context.Context, query *ListAPIKeysQuery, options ...CallOption) iter.Seq2[APIKey, error] {
	return allItems[APIKey](ctx, r.http, call{method: "GET", path: "/v2/auth/api-keys", query: query.values()}, options)
}

// CreateAPIKey: Make an API key; the secret is shown once
func (r *Auth) CreateAPIKey(ctx context.Context, body CreateAPIKeyRequest, options ...CallOption) (*CreatedAPIKey, error) {
	return getJSON[CreatedAPIKey](ctx, r.http, call{method: "POST", path: "/v2/auth/api-keys", json: body}, options)
}

// DeleteAPIKey: Delete an API key; it stops working at once
func (r *Auth) DeleteAPIKey(ctx context.Context, id string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/v2/auth/api-keys/" + url.PathEscape(id)}, options)
}

// RotateAPIKey: Replace an API key; the old secret works for an overlap
func (r *Auth) RotateAPIKey(ctx context.Context, id string, body RotateAPIKeyRequest, options ...CallOption) (*CreatedAPIKey, error) {
	return getJSON[CreatedAPIKey](ctx, r.http, call{method: "POST", path: "/v2/auth/api-keys/" + url.PathEscape(id) + "/rotate", json: body}, options)
}

// Login: Sign in with e-mail and password
func (r *Auth) Login(ctx context.Context, body LoginRequest, options ...CallOption) (*TokenResponse, error) {
	return getJSON[TokenResponse](ctx, r.http, call{method: "POST", path: "/v2/auth/login", json: body}, options)
}

// Logout: End the session of the token
func (r *Auth) Logout(ctx context.Context, options ...CallOption) error {
	return r.http.none(ctx, call{method: "POST", path: "/v2/auth/logout"}, options)
}

// GetMe: Claims, tier and effective permissions of the caller
func (r *Auth) GetMe(ctx context.Context, options ...CallOption) (*Caller, error) {
	return getJSON[Caller](ctx, r.http, call{method: "GET", path: "/v2/auth/me"}, options)
}

// ForgotPassword: Ask for a link to a new password; it goes by mail if the account exists
func (r *Auth) ForgotPassword(ctx context.Context, body ForgotPasswordRequest, options ...CallOption) error {
	return r.http.none(ctx, call{method: "POST", path: "/v2/auth/password/forgot", json: body}, options)
}

// ResetPassword: Set the password that an invitation or reset link is for
func (r *Auth) ResetPassword(ctx context.Context, body ResetPasswordRequest, options ...CallOption) error {
	return r.http.none(ctx, call{method: "POST", path: "/v2/auth/password/reset", json: body}, options)
}

// Refresh: Exchange a refresh token for a new pair
func (r *Auth) Refresh(ctx context.Context, body RefreshTokenRequest, options ...CallOption) (*TokenResponse, error) {
	return getJSON[TokenResponse](ctx, r.http, call{method: "POST", path: "/v2/auth/refresh", json: body}, options)
}

// Directory are the operations on this resource.
type Directory struct{ http *transport }

// ListGroups: Groups that the company's directory has sent by SCIM, with the roles that they give
func (r *Directory) ListGroups(ctx context.Context, query *ListDirectoryGroupsQuery, options ...CallOption) (*Page[DirectoryGroup], error) {
	return getJSON[Page[DirectoryGroup]](ctx, r.http, call{method: "GET", path: "/v2/directory/groups", query: query.values()}, options)
}

// ListGroupsAll gives every item of ListGroups, page by page; it ends after the first error.
func (r *Directory) ListGroupsAll(ctx context.Context, query *ListDirectoryGroupsQuery, options ...CallOption) iter.Seq2[DirectoryGroup, error] {
	return allItems[DirectoryGroup](ctx, r.http, call{method: "GET", path: "/v2/directory/groups", query: query.values()}, options)
}

// SetGroupRoles: Give the members of a group roles
func (r *Directory) SetGroupRoles(ctx context.Context, id string, body SetDirectoryGroupRolesRequest, options ...CallOption) (*DirectoryGroup, error) {
	return getJSON[DirectoryGroup](ctx, r.http, call{method: "PUT", path: "/v2/directory/groups/" + url.PathEscape(id) + "/roles", json: body}, options)
}

// OauthClients are the operations on this resource.
type OauthClients struct{ http *transport }

// List: Registered clients of the tenant
func (r *OauthClients) List(ctx context.Context, query *ListOauthClientsQuery, options ...CallOption) (*Page[OauthClient], error) {
	return getJSON[Page[OauthClient]](ctx, r.http, call{method: "GET", path: "/v2/oauth/clients", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *OauthClients) ListAll(ctx context.Context, query *ListOauthClientsQuery, options ...CallOption) iter.Seq2[OauthClient, error] {
	return allItems[OauthClient](ctx, r.http, call{method: "GET", path: "/v2/oauth/clients", query: query.values()}, options)
}

// Create: Register a client; the secret of a confidential one is shown once
func (r *OauthClients) Create(ctx context.Context, body CreateOauthClientRequest, options ...CallOption) (*CreatedOauthClient, error) {
	return getJSON[CreatedOauthClient](ctx, r.http, call{method: "POST", path: "/v2/oauth/clients", json: body}, options)
}

// Delete: Delete a client; every token fetched through it dies at once
func (r *OauthClients) Delete(ctx context.Context, clientID string, options ...CallOption) error {
	return r.http.none(ctx, call{method: "DELETE", path: "/v2/oauth/clients/" + url.PathEscape(clientID)}, options)
}

// Tenants are the operations on this resource.
type Tenants struct{ http *transport }

// List: All tenants, for platform administrators
func (r *Tenants) List(ctx context.Context, query *ListTenantsQuery, options ...CallOption) (*Page[Tenant], error) {
	return getJSON[Page[Tenant]](ctx, r.http, call{method: "GET", path: "/v2/tenants", query: query.values()}, options)
}

// ListAll gives every item of List, page by page; it ends after the first error.
func (r *Tenants) ListAll(ctx context.Context, query *ListTenantsQuery, options ...CallOption) iter.Seq2[Tenant, error] {
	return allItems[Tenant](ctx, r.http, call{method: "GET", path: "/v2/tenants", query: query.values()}, options)
}

// Create: Make a tenant and, if asked, its first admin; for platform administrators
func (r *Tenants) Create(ctx context.Context, body CreateTenantRequest, options ...CallOption) (*CreatedTenant, error) {
	return getJSON[CreatedTenant](ctx, r.http, call{method: "POST", path: "/v2/tenants", json: body}, options)
}

// Get: One's own tenant, or any for platform administrators
func (r *Tenants) Get(ctx context.Context, id string, options ...CallOption) (*Tenant, error) {
	return getJSON[Tenant](ctx, r.http, call{method: "GET", path: "/v2/tenants/" + url.PathEscape(id)}, options)
}

// Update: Change a tenant; tier and status only by platform administrators
func (r *Tenants) Update(ctx context.Context, id string, body UpdateTenantRequest, options ...CallOption) (*Tenant, error) {
	return getJSON[Tenant](ctx, r.http, call{method: "PATCH", path: "/v2/tenants/" + url.PathEscape(id), json: body}, options)
}

// Resources are all operations, by resource.
type Resources struct {
	Users         *Users
	Agents        *Agents
	Chat          *Chat
	Conversations *Conversations
	Costs         *Costs
	Governance    *Governance
	Knowledge     *Knowledge
	MCP           *MCP
	Memory        *Memory
	Models        *Models
	Notifications *Notifications
	Tasks         *Tasks
	Webhooks      *Webhooks
	System        *System
	Audit         *Audit
	Auth          *Auth
	Directory     *Directory
	OauthClients  *OauthClients
	Tenants       *Tenants
}

func newResources(http *transport) Resources {
	return Resources{
		Users:         &Users{http},
		Agents:        &Agents{http},
		Chat:          &Chat{http},
		Conversations: &Conversations{http},
		Costs:         &Costs{http},
		Governance:    &Governance{http},
		Knowledge:     &Knowledge{http},
		MCP:           &MCP{http},
		Memory:        &Memory{http},
		Models:        &Models{http},
		Notifications: &Notifications{http},
		Tasks:         &Tasks{http},
		Webhooks:      &Webhooks{http},
		System:        &System{http},
		Audit:         &Audit{http},
		Auth:          &Auth{http},
		Directory:     &Directory{http},
		OauthClients:  &OauthClients{http},
		Tenants:       &Tenants{http},
	}
}
