// Generated from api/openapi.json by sdk/codegen. Do not edit.

import type { CallOptions, Http } from '../http.ts';
import { allBareItems, allItems, type Page } from '../pages.ts';
import { type ChatStream, openStream } from '../stream.ts';
import type * as m from './models.ts';

const segment = encodeURIComponent;

export const users = (http: Http) => ({
  /** Accounts of the tenant, for admins */
  listAsAdmin: (query: m.ListUsersAsAdminQuery = {}, options?: CallOptions): Promise<Page<m.User>> =>
    http.json({ method: 'GET', path: '/api/v1/admin/users', query }, options),
  /** Every item of `listAsAdmin`, page by page. */
  listAsAdminAll: (query: m.ListUsersAsAdminQuery = {}, options?: CallOptions): AsyncGenerator<m.User> =>
    allItems(http, { method: 'GET', path: '/api/v1/admin/users', query }, options),
  /** Accounts of the tenant */
  list: (query: m.ListUsersQuery = {}, options?: CallOptions): Promise<Page<m.User>> =>
    http.json({ method: 'GET', path: '/v2/users', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListUsersQuery = {}, options?: CallOptions): AsyncGenerator<m.User> =>
    allItems(http, { method: 'GET', path: '/v2/users', query }, options),
  /** Make an account; without a password the answer has an invitation link */
  create: (body: m.CreateUserRequest, options?: CallOptions): Promise<m.CreatedUser> =>
    http.json({ method: 'POST', path: '/v2/users', json: body }, options),
  /** The account of the caller */
  getMe: (options?: CallOptions): Promise<m.User> =>
    http.json({ method: 'GET', path: '/v2/users/me' }, options),
  /** Change the own name */
  updateMe: (body: m.UpdateMyUserRequest, options?: CallOptions): Promise<m.User> =>
    http.json({ method: 'PATCH', path: '/v2/users/me', json: body }, options),
  /** Change the own password; other sessions end */
  changeMyPassword: (body: m.ChangeMyPasswordRequest, options?: CallOptions): Promise<void> =>
    http.none({ method: 'POST', path: '/v2/users/me/password', json: body }, options),
  /** Open sign-ins of the caller */
  listMySessions: (options?: CallOptions): Promise<m.ListMySessionsResult> =>
    http.json({ method: 'GET', path: '/v2/users/me/sessions' }, options),
  /** End one sign-in; its tokens die at once */
  endMySession: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/v2/users/me/sessions/${segment(id)}` }, options),
  /** Personal access tokens of the caller */
  listPersonalTokens: (query: m.ListPersonalTokensQuery = {}, options?: CallOptions): Promise<Page<m.ApiKey>> =>
    http.json({ method: 'GET', path: '/v2/users/me/tokens', query }, options),
  /** Every item of `listPersonalTokens`, page by page. */
  listPersonalTokensAll: (query: m.ListPersonalTokensQuery = {}, options?: CallOptions): AsyncGenerator<m.ApiKey> =>
    allItems(http, { method: 'GET', path: '/v2/users/me/tokens', query }, options),
  /** Make a personal access token; the secret is shown once */
  createPersonalToken: (body: m.CreatePersonalTokenRequest, options?: CallOptions): Promise<m.PersonalToken> =>
    http.json({ method: 'POST', path: '/v2/users/me/tokens', json: body }, options),
  /** Delete a personal access token; it stops working at once */
  deletePersonalToken: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/v2/users/me/tokens/${segment(id)}` }, options),
  /** One account */
  get: (id: string, options?: CallOptions): Promise<m.User> =>
    http.json({ method: 'GET', path: `/v2/users/${segment(id)}` }, options),
  /** Change name, roles, tier or status; roles and deactivation take effect at once */
  update: (id: string, body: m.UpdateUserRequest, options?: CallOptions): Promise<m.User> =>
    http.json({ method: 'PATCH', path: `/v2/users/${segment(id)}`, json: body }, options),
  /** Deactivate an account; its tokens and keys die at once */
  deactivate: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/v2/users/${segment(id)}` }, options),
  /** Erase a person's content: one's own, or as an admin */
  eraseData: (id: string, options?: CallOptions): Promise<m.EraseUserDataResult> =>
    http.json({ method: 'DELETE', path: `/v2/users/${segment(id)}/data` }, options),
  /** Everything that is stored of a person: one's own, or as an admin */
  exportData: (id: string, options?: CallOptions): Promise<m.ExportUserDataResult> =>
    http.json({ method: 'GET', path: `/v2/users/${segment(id)}/export` }, options),
  /** A new invitation link for an account that waits for one */
  invite: (id: string, options?: CallOptions): Promise<m.InviteUserResult> =>
    http.json({ method: 'POST', path: `/v2/users/${segment(id)}/invitation` }, options),
  /** Move a person to another tenant under a new account; their records stay (platform administrators) */
  move: (id: string, body: m.MoveUserRequest, options?: CallOptions): Promise<m.MoveUserResult> =>
    http.json({ method: 'POST', path: `/v2/users/${segment(id)}/move`, json: body }, options),
  /** A link with which the person sets a new password */
  resetPassword: (id: string, options?: CallOptions): Promise<m.InviteUserResult> =>
    http.json({ method: 'POST', path: `/v2/users/${segment(id)}/password-reset` }, options),
});

export const agents = (http: Http) => ({
  /** Statuses of all eleven agents */
  list: (query: m.ListAgentsQuery = {}, options?: CallOptions): Promise<m.AgentStatus[]> =>
    http.json({ method: 'GET', path: '/api/v1/agents', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListAgentsQuery = {}, options?: CallOptions): AsyncGenerator<m.AgentStatus> =>
    allBareItems(http, { method: 'GET', path: '/api/v1/agents', query }, options),
  /** Suggested changes of agents’ instructions, newest first */
  listSuggestions: (query: m.ListAgentSuggestionsQuery = {}, options?: CallOptions): Promise<Page<m.AgentSuggestion>> =>
    http.json({ method: 'GET', path: '/api/v1/agents/suggestions', query }, options),
  /** Every item of `listSuggestions`, page by page. */
  listSuggestionsAll: (query: m.ListAgentSuggestionsQuery = {}, options?: CallOptions): AsyncGenerator<m.AgentSuggestion> =>
    allItems(http, { method: 'GET', path: '/api/v1/agents/suggestions', query }, options),
  /** Add the suggested text to the instructions of the agent */
  acceptSuggestion: (id: string, options?: CallOptions): Promise<m.AgentSuggestion> =>
    http.json({ method: 'POST', path: `/api/v1/agents/suggestions/${segment(id)}/accept` }, options),
  /** Close a suggestion without any change */
  rejectSuggestion: (id: string, options?: CallOptions): Promise<m.AgentSuggestion> =>
    http.json({ method: 'POST', path: `/api/v1/agents/suggestions/${segment(id)}/reject` }, options),
  /** Status of one agent */
  get: (id: string, options?: CallOptions): Promise<m.AgentStatus> =>
    http.json({ method: 'GET', path: `/api/v1/agents/${segment(id)}` }, options),
  /** Switch an agent on or off, set its model or instructions */
  update: (id: string, body: m.UpdateAgentRequest, options?: CallOptions): Promise<m.AgentStatus> =>
    http.json({ method: 'PATCH', path: `/api/v1/agents/${segment(id)}`, json: body }, options),
  /** Performance of one agent, measured from its runs */
  getMetrics: (id: string, query: m.GetAgentMetricsQuery = {}, options?: CallOptions): Promise<m.AgentMetrics> =>
    http.json({ method: 'GET', path: `/api/v1/agents/${segment(id)}/metrics`, query }, options),
  /** Ask one agent directly */
  invoke: (id: string, body: m.ChatRequest, options?: CallOptions): Promise<m.ChatResponse> =>
    http.json({ method: 'POST', path: `/v2/agents/${segment(id)}/invoke`, json: body, slow: true }, options),
});

export const chat = (http: Http) => ({
  /** Ask the agents; the whole answer in one piece */
  send: (body: m.ChatRequest, options?: CallOptions): Promise<m.ChatResponse> =>
    http.json({ method: 'POST', path: '/api/v1/chat', json: body, slow: true }, options),
  /** State of a run */
  getRun: (id: string, options?: CallOptions): Promise<m.Run> =>
    http.json({ method: 'GET', path: `/api/v1/chat/runs/${segment(id)}` }, options),
  /** Stop a run; the partial answer is kept */
  cancelRun: (id: string, options?: CallOptions): Promise<m.Run> =>
    http.json({ method: 'POST', path: `/api/v1/chat/runs/${segment(id)}/cancel` }, options),
  /** Events of a run from the start, or after Last-Event-ID */
  followRun: (id: string, options?: CallOptions): ChatStream =>
    openStream(http, { method: 'GET', path: `/api/v1/chat/runs/${segment(id)}/stream` }, options),
  /** Ask the agents; the answer as Server-Sent Events */
  stream: (body: m.ChatRequest, options?: CallOptions): ChatStream =>
    openStream(http, { method: 'POST', path: '/api/v1/chat/stream', json: body }, options),
  /** Ask a question in other words */
  edit: (id: string, messageId: string, body: m.EditMessageRequest, options?: CallOptions): Promise<m.ChatResponse> =>
    http.json({ method: 'POST', path: `/api/v1/conversations/${segment(id)}/messages/${segment(messageId)}/edit`, json: body, slow: true }, options),
  /** Ask a question in other words; the answer as events */
  editStream: (id: string, messageId: string, body: m.EditMessageRequest, options?: CallOptions): ChatStream =>
    openStream(http, { method: 'POST', path: `/api/v1/conversations/${segment(id)}/messages/${segment(messageId)}/edit`, json: body, slow: true }, options),
  /** Answer a question once more */
  regenerate: (id: string, messageId: string, body: m.RegenerateMessageRequest = {}, options?: CallOptions): Promise<m.ChatResponse> =>
    http.json({ method: 'POST', path: `/api/v1/conversations/${segment(id)}/messages/${segment(messageId)}/regenerate`, json: body, slow: true }, options),
  /** Answer a question once more; the answer as events */
  regenerateStream: (id: string, messageId: string, body: m.RegenerateMessageRequest = {}, options?: CallOptions): ChatStream =>
    openStream(http, { method: 'POST', path: `/api/v1/conversations/${segment(id)}/messages/${segment(messageId)}/regenerate`, json: body, slow: true }, options),
});

export const conversations = (http: Http) => ({
  /** The caller’s conversations, newest first */
  list: (query: m.ListConversationsQuery = {}, options?: CallOptions): Promise<Page<m.Conversation>> =>
    http.json({ method: 'GET', path: '/api/v1/conversations', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListConversationsQuery = {}, options?: CallOptions): AsyncGenerator<m.Conversation> =>
    allItems(http, { method: 'GET', path: '/api/v1/conversations', query }, options),
  /** Start a conversation */
  create: (body: m.CreateConversationRequest = {}, options?: CallOptions): Promise<m.CreatedConversation> =>
    http.json({ method: 'POST', path: '/api/v1/conversations', json: body }, options),
  /** Delete conversations for good, archived or not */
  delete: (body: m.DeleteConversationsRequest, options?: CallOptions): Promise<m.DeleteConversationsResult> =>
    http.json({ method: 'POST', path: '/api/v1/conversations/delete', json: body }, options),
  /** Folders of the caller’s conversations, with how many each holds */
  listFolders: (query: m.ListFoldersQuery = {}, options?: CallOptions): Promise<m.ListFoldersResult> =>
    http.json({ method: 'GET', path: '/api/v1/conversations/folders', query }, options),
  /** Rename a folder of the caller’s, or take it away */
  renameFolder: (body: m.RenameFolderRequest, options?: CallOptions): Promise<m.RenameFolderResult> =>
    http.json({ method: 'POST', path: '/api/v1/conversations/folders/rename', json: body }, options),
  /** Bring in conversations of ChatGPT, Open WebUI, LibreChat or another Pentarch */
  import: (body: m.ImportConversationsRequest, options?: CallOptions): Promise<m.ImportConversationsResult> =>
    http.json({ method: 'POST', path: '/api/v1/conversations/import', json: body, slow: true }, options),
  /** A conversation with its newest 200 messages */
  get: (id: string, options?: CallOptions): Promise<m.ConversationDetail> =>
    http.json({ method: 'GET', path: `/api/v1/conversations/${segment(id)}` }, options),
  /** Rename, pin or file a conversation, replace its metadata or pick its branch */
  update: (id: string, body: m.UpdateConversationRequest, options?: CallOptions): Promise<m.CreatedConversation> =>
    http.json({ method: 'PATCH', path: `/api/v1/conversations/${segment(id)}`, json: body }, options),
  /** Archive a conversation, or delete it for good */
  archive: (id: string, query: m.ArchiveConversationQuery = {}, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/conversations/${segment(id)}`, query }, options),
  /** A conversation as a file */
  export: (id: string, query: m.ExportConversationQuery = {}, options?: CallOptions): Promise<string> =>
    http.text({ method: 'GET', path: `/api/v1/conversations/${segment(id)}/export`, query }, options),
  /** Start a conversation with the messages of another one, up to one of them */
  fork: (id: string, body: m.ForkConversationRequest, options?: CallOptions): Promise<m.CreatedConversation> =>
    http.json({ method: 'POST', path: `/api/v1/conversations/${segment(id)}/fork`, json: body }, options),
  /** The messages of a conversation, oldest first: its active branch, or all branches */
  listMessages: (id: string, query: m.ListMessagesQuery = {}, options?: CallOptions): Promise<Page<m.Message>> =>
    http.json({ method: 'GET', path: `/api/v1/conversations/${segment(id)}/messages`, query }, options),
  /** Every item of `listMessages`, page by page. */
  listMessagesAll: (id: string, query: m.ListMessagesQuery = {}, options?: CallOptions): AsyncGenerator<m.Message> =>
    allItems(http, { method: 'GET', path: `/api/v1/conversations/${segment(id)}/messages`, query }, options),
  /** A picture of a message */
  getPicture: (id: string, pictureId: string, options?: CallOptions): Promise<Blob> =>
    http.blob({ method: 'GET', path: `/api/v1/conversations/${segment(id)}/pictures/${segment(pictureId)}` }, options),
  /** Take a conversation out of the archive */
  restore: (id: string, options?: CallOptions): Promise<m.CreatedConversation> =>
    http.json({ method: 'POST', path: `/api/v1/conversations/${segment(id)}/restore` }, options),
  /** How a conversation is shared, newest first */
  listShares: (id: string, query: m.ListSharesQuery = {}, options?: CallOptions): Promise<Page<m.Share>> =>
    http.json({ method: 'GET', path: `/api/v1/conversations/${segment(id)}/shares`, query }, options),
  /** Every item of `listShares`, page by page. */
  listSharesAll: (id: string, query: m.ListSharesQuery = {}, options?: CallOptions): AsyncGenerator<m.Share> =>
    allItems(http, { method: 'GET', path: `/api/v1/conversations/${segment(id)}/shares`, query }, options),
  /** Let others read a conversation as it stands now */
  share: (id: string, body: m.ShareConversationRequest, options?: CallOptions): Promise<m.ShareConversationResult> =>
    http.json({ method: 'POST', path: `/api/v1/conversations/${segment(id)}/shares`, json: body }, options),
  /** End a share: it is read no more, at once */
  revokeShare: (id: string, shareId: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/conversations/${segment(id)}/shares/${segment(shareId)}` }, options),
  /** Rate an answer */
  rateMessage: (id: string, body: m.RateMessageRequest, options?: CallOptions): Promise<m.RateMessageResult> =>
    http.json({ method: 'POST', path: `/api/v1/messages/${segment(id)}/feedback`, json: body }, options),
  /** A conversation that somebody of the tenant has shared */
  openShare: (token: string, options?: CallOptions): Promise<m.OpenShareResult> =>
    http.json({ method: 'GET', path: `/api/v1/shares/${segment(token)}` }, options),
  /** A conversation that somebody has shared by a link, without a sign-in */
  openPublicShare: (token: string, options?: CallOptions): Promise<m.OpenShareResult> =>
    http.json({ method: 'GET', path: `/api/v1/shares/${segment(token)}/public` }, options),
});

export const costs = (http: Http) => ({
  /** Limits with what is used and reserved of them */
  getLimits: (options?: CallOptions): Promise<m.CostLimits> =>
    http.json({ method: 'GET', path: '/api/v1/costs/limits' }, options),
  /** Set or remove limits; those that are not named stay */
  setLimits: (body: m.SetCostLimitsRequest, options?: CallOptions): Promise<m.CostLimits> =>
    http.json({ method: 'PUT', path: '/api/v1/costs/limits', json: body }, options),
  /** Spending of a period, divided by agent, model, tool, day and user */
  getUsage: (query: m.GetCostUsageQuery = {}, options?: CallOptions): Promise<m.CostUsage> =>
    http.json({ method: 'GET', path: '/api/v1/costs/usage', query }, options),
  /** The metered calls of a period as CSV */
  exportUsage: (query: m.ExportCostUsageQuery = {}, options?: CallOptions): Promise<string> =>
    http.text({ method: 'GET', path: '/api/v1/costs/usage/export', query }, options),
});

export const governance = (http: Http) => ({
  /** Proposals, newest first */
  listProposals: (query: m.ListProposalsQuery = {}, options?: CallOptions): Promise<m.Proposal[]> =>
    http.json({ method: 'GET', path: '/api/v1/governance/proposals', query }, options),
  /** Every item of `listProposals`, page by page. */
  listProposalsAll: (query: m.ListProposalsQuery = {}, options?: CallOptions): AsyncGenerator<m.Proposal> =>
    allBareItems(http, { method: 'GET', path: '/api/v1/governance/proposals', query }, options),
  /** Propose an action by hand */
  createProposal: (body: m.CreateProposalRequest, options?: CallOptions): Promise<m.Proposal> =>
    http.json({ method: 'POST', path: '/api/v1/governance/proposals', json: body }, options),
  /** One proposal with its votes and its execution */
  getProposal: (id: string, options?: CallOptions): Promise<m.Proposal> =>
    http.json({ method: 'GET', path: `/api/v1/governance/proposals/${segment(id)}` }, options),
  /** Withdraw an open proposal */
  cancelProposal: (id: string, options?: CallOptions): Promise<m.Proposal> =>
    http.json({ method: 'POST', path: `/api/v1/governance/proposals/${segment(id)}/cancel` }, options),
  /** Answer a question that a run with untrusted content asks you: may this call be made */
  confirmProposal: (id: string, body: m.ConfirmProposalRequest, options?: CallOptions): Promise<m.Proposal> =>
    http.json({ method: 'POST', path: `/api/v1/governance/proposals/${segment(id)}/confirm`, json: body }, options),
  /** Vote: take a seat while the five vote, or decide what awaits a person */
  voteOnProposal: (id: string, body: m.VoteOnProposalRequest, options?: CallOptions): Promise<m.Proposal> =>
    http.json({ method: 'POST', path: `/api/v1/governance/proposals/${segment(id)}/vote`, json: body }, options),
});

export const knowledge = (http: Http) => ({
  /** Indexed documents, newest first */
  listDocuments: (query: m.ListDocumentsQuery = {}, options?: CallOptions): Promise<Page<m.Document>> =>
    http.json({ method: 'GET', path: '/api/v1/knowledge/documents', query }, options),
  /** Every item of `listDocuments`, page by page. */
  listDocumentsAll: (query: m.ListDocumentsQuery = {}, options?: CallOptions): AsyncGenerator<m.Document> =>
    allItems(http, { method: 'GET', path: '/api/v1/knowledge/documents', query }, options),
  /** Upload and index a document */
  createDocument: (body: m.CreateDocumentRequest, options?: CallOptions): Promise<m.Document> =>
    http.json({ method: 'POST', path: '/api/v1/knowledge/documents', json: body, slow: true }, options),
  /** One document */
  getDocument: (id: string, options?: CallOptions): Promise<m.Document> =>
    http.json({ method: 'GET', path: `/api/v1/knowledge/documents/${segment(id)}` }, options),
  /** Change title, metadata or visibility, or vouch for the document */
  updateDocument: (id: string, body: m.UpdateDocumentRequest, options?: CallOptions): Promise<m.Document> =>
    http.json({ method: 'PATCH', path: `/api/v1/knowledge/documents/${segment(id)}`, json: body }, options),
  /** Delete a document (text, vectors and bytes), or take back an upload that is still read */
  deleteDocument: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/knowledge/documents/${segment(id)}` }, options),
  /** The passages of a document, in reading order */
  listDocumentChunks: (id: string, query: m.ListDocumentChunksQuery = {}, options?: CallOptions): Promise<Page<m.DocumentChunk>> =>
    http.json({ method: 'GET', path: `/api/v1/knowledge/documents/${segment(id)}/chunks`, query }, options),
  /** Every item of `listDocumentChunks`, page by page. */
  listDocumentChunksAll: (id: string, query: m.ListDocumentChunksQuery = {}, options?: CallOptions): AsyncGenerator<m.DocumentChunk> =>
    allItems(http, { method: 'GET', path: `/api/v1/knowledge/documents/${segment(id)}/chunks`, query }, options),
  /** The bytes as uploaded, or the text read from them */
  getDocumentContent: (id: string, query: m.GetDocumentContentQuery = {}, options?: CallOptions): Promise<Blob> =>
    http.blob({ method: 'GET', path: `/api/v1/knowledge/documents/${segment(id)}/content`, query }, options),
  /** Read a file again whose upload has failed */
  retryDocument: (id: string, options?: CallOptions): Promise<m.Document> =>
    http.json({ method: 'POST', path: `/api/v1/knowledge/documents/${segment(id)}/retry` }, options),
  /** What the versions of a document were, newest first */
  listDocumentVersions: (id: string, options?: CallOptions): Promise<m.ListDocumentVersionsResult> =>
    http.json({ method: 'GET', path: `/api/v1/knowledge/documents/${segment(id)}/versions` }, options),
  /** Hybrid search over documents and, on request, memories */
  search: (body: m.SearchRequest, options?: CallOptions): Promise<m.SearchResponse> =>
    http.json({ method: 'POST', path: '/api/v1/knowledge/search', json: body }, options),
  /** The tags of documents, the collections of this platform, with how many documents each has */
  listDocumentTags: (options?: CallOptions): Promise<m.ListDocumentTagsResult> =>
    http.json({ method: 'GET', path: '/api/v1/knowledge/tags' }, options),
});

export const mcp = (http: Http) => ({
  /** MCP servers that the caller may use */
  listServers: (query: m.ListMcpServersQuery = {}, options?: CallOptions): Promise<Page<m.McpServer>> =>
    http.json({ method: 'GET', path: '/api/v1/mcp/servers', query }, options),
  /** Every item of `listServers`, page by page. */
  listServersAll: (query: m.ListMcpServersQuery = {}, options?: CallOptions): AsyncGenerator<m.McpServer> =>
    allItems(http, { method: 'GET', path: '/api/v1/mcp/servers', query }, options),
  /** Register an MCP server for the tenant */
  createServer: (body: m.CreateMcpServerRequest, options?: CallOptions): Promise<m.McpServer> =>
    http.json({ method: 'POST', path: '/api/v1/mcp/servers', json: body }, options),
  /** Register all servers of a file in the mcpServers form */
  importServers: (body: m.ImportMcpServersRequest, options?: CallOptions): Promise<m.ImportMcpServersResult> =>
    http.json({ method: 'POST', path: '/api/v1/mcp/servers/import', json: body }, options),
  /** Try a server without registering it */
  testServer: (body: m.TestMcpServerRequest, options?: CallOptions): Promise<m.TestMcpServerResult> =>
    http.json({ method: 'POST', path: '/api/v1/mcp/servers/test', json: body }, options),
  /** Change a registered MCP server */
  updateServer: (name: string, body: m.UpdateMcpServerRequest, options?: CallOptions): Promise<m.McpServer> =>
    http.json({ method: 'PATCH', path: `/api/v1/mcp/servers/${segment(name)}`, json: body }, options),
  /** Remove a registered MCP server */
  deleteServer: (name: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/mcp/servers/${segment(name)}` }, options),
  /** Begin to sign in at a server that asks for OAuth */
  authorizeServer: (name: string, body: m.AuthorizeMcpServerRequest = {}, options?: CallOptions): Promise<m.AuthorizeMcpServerResult> =>
    http.json({ method: 'POST', path: `/api/v1/mcp/servers/${segment(name)}/authorize`, json: body }, options),
  /** Last lines that a server wrote to its standard error, and notices about its connection */
  getServerLogs: (name: string, options?: CallOptions): Promise<m.McpServerLogs> =>
    http.json({ method: 'GET', path: `/api/v1/mcp/servers/${segment(name)}/logs` }, options),
  /** List the tools of a server anew, for one that tells of no changes */
  refreshServer: (name: string, options?: CallOptions): Promise<m.McpServer> =>
    http.json({ method: 'POST', path: `/api/v1/mcp/servers/${segment(name)}/refresh` }, options),
  /** Call a tool of a server */
  callTool: (server: string, body: m.CallMcpToolRequest, options?: CallOptions): Promise<m.McpCallResult | m.McpCallPending> =>
    http.json({ method: 'POST', path: `/api/v1/mcp/${segment(server)}/call`, json: body, slow: true }, options),
  /** Prompts of a server */
  listPrompts: (server: string, options?: CallOptions): Promise<m.ListMcpPromptsResult> =>
    http.json({ method: 'GET', path: `/api/v1/mcp/${segment(server)}/prompts` }, options),
  /** A prompt with its arguments filled in */
  getPrompt: (server: string, body: m.GetMcpPromptRequest, options?: CallOptions): Promise<Record<string, unknown>> =>
    http.json({ method: 'POST', path: `/api/v1/mcp/${segment(server)}/prompts/get`, json: body }, options),
  /** Resources of a server */
  listResources: (server: string, options?: CallOptions): Promise<m.ListMcpPromptsResult> =>
    http.json({ method: 'GET', path: `/api/v1/mcp/${segment(server)}/resources` }, options),
  /** Contents of a resource */
  readResource: (server: string, query: m.ReadMcpResourceQuery, options?: CallOptions): Promise<m.ListMcpPromptsResult> =>
    http.json({ method: 'GET', path: `/api/v1/mcp/${segment(server)}/resources/read`, query }, options),
  /** Tools of a server */
  listTools: (server: string, query: m.ListMcpToolsQuery = {}, options?: CallOptions): Promise<Page<m.McpTool>> =>
    http.json({ method: 'GET', path: `/api/v1/mcp/${segment(server)}/tools`, query }, options),
  /** Every item of `listTools`, page by page. */
  listToolsAll: (server: string, query: m.ListMcpToolsQuery = {}, options?: CallOptions): AsyncGenerator<m.McpTool> =>
    allItems(http, { method: 'GET', path: `/api/v1/mcp/${segment(server)}/tools`, query }, options),
  /** Accept the tools of a server, as they are now */
  acceptTools: (server: string, body: m.AcceptMcpToolsRequest = {}, options?: CallOptions): Promise<m.McpServer> =>
    http.json({ method: 'POST', path: `/api/v1/mcp/${segment(server)}/tools/accept`, json: body }, options),
  /** Accept a tool that is new or has changed, as it is now */
  acceptTool: (server: string, tool: string, body: m.AcceptMcpToolRequest = {}, options?: CallOptions): Promise<m.McpTool> =>
    http.json({ method: 'POST', path: `/api/v1/mcp/${segment(server)}/tools/${segment(tool)}/accept`, json: body }, options),
});

export const memory = (http: Http) => ({
  /** Entities of the knowledge graph, the newest first */
  listEntities: (query: m.ListMemoryEntitiesQuery = {}, options?: CallOptions): Promise<Page<m.MemoryEntity>> =>
    http.json({ method: 'GET', path: '/api/v1/memory/entities', query }, options),
  /** Every item of `listEntities`, page by page. */
  listEntitiesAll: (query: m.ListMemoryEntitiesQuery = {}, options?: CallOptions): AsyncGenerator<m.MemoryEntity> =>
    allItems(http, { method: 'GET', path: '/api/v1/memory/entities', query }, options),
  /** Make an entity, or add observations to the one of this name and type (200) */
  createEntity: (body: m.CreateMemoryEntityRequest, options?: CallOptions): Promise<m.MemoryEntity> =>
    http.json({ method: 'POST', path: '/api/v1/memory/entities', json: body }, options),
  /** One entity */
  getEntity: (id: string, options?: CallOptions): Promise<m.MemoryEntity> =>
    http.json({ method: 'GET', path: `/api/v1/memory/entities/${segment(id)}` }, options),
  /** Rename an entity, change its type or importance, or share it with the tenant */
  updateEntity: (id: string, body: m.UpdateMemoryEntityRequest, options?: CallOptions): Promise<m.MemoryEntity> =>
    http.json({ method: 'PATCH', path: `/api/v1/memory/entities/${segment(id)}`, json: body }, options),
  /** Delete an entity with its observations and relations */
  deleteEntity: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/memory/entities/${segment(id)}` }, options),
  /** Take another entity of the same owner into this one */
  mergeEntities: (id: string, body: m.MergeMemoryEntitiesRequest, options?: CallOptions): Promise<m.MemoryEntity> =>
    http.json({ method: 'POST', path: `/api/v1/memory/entities/${segment(id)}/merge`, json: body }, options),
  /** Add observations; what was said already is not repeated (200 when nothing is new) */
  addObservations: (id: string, body: m.AddMemoryObservationsRequest, options?: CallOptions): Promise<m.MemoryEntity> =>
    http.json({ method: 'POST', path: `/api/v1/memory/entities/${segment(id)}/observations`, json: body }, options),
  /** Correct an observation: the earlier wording ends and stays as history */
  correctObservation: (id: string, observationId: string, body: m.CorrectMemoryObservationRequest, options?: CallOptions): Promise<m.MemoryEntity> =>
    http.json({ method: 'PATCH', path: `/api/v1/memory/entities/${segment(id)}/observations/${segment(observationId)}`, json: body }, options),
  /** Delete an observation for good */
  deleteObservation: (id: string, observationId: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/memory/entities/${segment(id)}/observations/${segment(observationId)}` }, options),
  /** The own and the shared memory as JSON Lines, in the form of the public MCP memory server */
  export: (options?: CallOptions): Promise<string> =>
    http.text({ method: 'GET', path: '/api/v1/memory/export' }, options),
  /** What is reachable from an entity in one to three steps */
  getGraph: (query: m.GetMemoryGraphQuery = {}, options?: CallOptions): Promise<m.MemoryGraph> =>
    http.json({ method: 'GET', path: '/api/v1/memory/graph', query }, options),
  /** Take JSON Lines in, in the form of the public MCP memory server */
  import: (lines: string, query: m.ImportMemoryQuery = {}, options?: CallOptions): Promise<m.ImportMemoryResult> =>
    http.json({ method: 'POST', path: '/api/v1/memory/import', raw: { contentType: 'application/x-ndjson', body: () => lines }, query, slow: true }, options),
  /** How the caller wants to be answered, as the agents are told, the newest first */
  listPreferences: (query: m.ListMemoryPreferencesQuery = {}, options?: CallOptions): Promise<Page<m.MemoryPreference>> =>
    http.json({ method: 'GET', path: '/api/v1/memory/preferences', query }, options),
  /** Every item of `listPreferences`, page by page. */
  listPreferencesAll: (query: m.ListMemoryPreferencesQuery = {}, options?: CallOptions): AsyncGenerator<m.MemoryPreference> =>
    allItems(http, { method: 'GET', path: '/api/v1/memory/preferences', query }, options),
  /** Set how the caller wants to be answered (200 when it was set already) */
  setPreference: (body: m.SetMemoryPreferenceRequest, options?: CallOptions): Promise<m.MemoryPreference> =>
    http.json({ method: 'POST', path: '/api/v1/memory/preferences', json: body }, options),
  /** Relations between entities, the newest first */
  listRelations: (query: m.ListMemoryRelationsQuery = {}, options?: CallOptions): Promise<Page<m.MemoryRelation>> =>
    http.json({ method: 'GET', path: '/api/v1/memory/relations', query }, options),
  /** Every item of `listRelations`, page by page. */
  listRelationsAll: (query: m.ListMemoryRelationsQuery = {}, options?: CallOptions): AsyncGenerator<m.MemoryRelation> =>
    allItems(http, { method: 'GET', path: '/api/v1/memory/relations', query }, options),
  /** Tie two entities; the same relation that holds already is answered with 200 */
  createRelation: (body: m.CreateMemoryRelationRequest, options?: CallOptions): Promise<m.MemoryRelation> =>
    http.json({ method: 'POST', path: '/api/v1/memory/relations', json: body }, options),
  /** One relation */
  getRelation: (id: string, options?: CallOptions): Promise<m.MemoryRelation> =>
    http.json({ method: 'GET', path: `/api/v1/memory/relations/${segment(id)}` }, options),
  /** Change a relation, or end it */
  updateRelation: (id: string, body: m.UpdateMemoryRelationRequest, options?: CallOptions): Promise<m.MemoryRelation> =>
    http.json({ method: 'PATCH', path: `/api/v1/memory/relations/${segment(id)}`, json: body }, options),
  /** Delete a relation */
  deleteRelation: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/memory/relations/${segment(id)}` }, options),
});

export const models = (http: Http) => ({
  /** Models that a caller may name in `context.model`, the default first */
  list: (query: m.ListModelsQuery = {}, options?: CallOptions): Promise<Page<m.Model>> =>
    http.json({ method: 'GET', path: '/api/v1/models', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListModelsQuery = {}, options?: CallOptions): AsyncGenerator<m.Model> =>
    allItems(http, { method: 'GET', path: '/api/v1/models', query }, options),
});

export const notifications = (http: Http) => ({
  /** The caller’s inbox, newest first */
  list: (query: m.ListNotificationsQuery = {}, options?: CallOptions): Promise<Page<m.Notification>> =>
    http.json({ method: 'GET', path: '/api/v1/notifications', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListNotificationsQuery = {}, options?: CallOptions): AsyncGenerator<m.Notification> =>
    allItems(http, { method: 'GET', path: '/api/v1/notifications', query }, options),
  /** By which channels the caller is told of what */
  getPreferences: (options?: CallOptions): Promise<m.NotificationPreferences> =>
    http.json({ method: 'GET', path: '/api/v1/notifications/preferences' }, options),
  /** Change channels; what is not named stays */
  updatePreferences: (body: m.UpdateNotificationPreferencesRequest, options?: CallOptions): Promise<m.NotificationPreferences> =>
    http.json({ method: 'PATCH', path: '/api/v1/notifications/preferences', json: body }, options),
  /** Mark all as read */
  readAll: (options?: CallOptions): Promise<void> =>
    http.none({ method: 'POST', path: '/api/v1/notifications/read-all' }, options),
  /** How many have not been read */
  countUnread: (options?: CallOptions): Promise<m.CountUnreadNotificationsResult> =>
    http.json({ method: 'GET', path: '/api/v1/notifications/unread' }, options),
  /** Mark one as read */
  read: (id: string, options?: CallOptions): Promise<m.Notification> =>
    http.json({ method: 'POST', path: `/api/v1/notifications/${segment(id)}/read` }, options),
});

export const tasks = (http: Http) => ({
  /** Tasks, newest first */
  list: (query: m.ListTasksQuery = {}, options?: CallOptions): Promise<Page<m.Task>> =>
    http.json({ method: 'GET', path: '/api/v1/tasks', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListTasksQuery = {}, options?: CallOptions): AsyncGenerator<m.Task> =>
    allItems(http, { method: 'GET', path: '/api/v1/tasks', query }, options),
  /** Have an agent do something: now, at a time, or by cron */
  create: (body: m.CreateTaskRequest, options?: CallOptions): Promise<m.Task> =>
    http.json({ method: 'POST', path: '/api/v1/tasks', json: body }, options),
  /** One task */
  get: (id: string, options?: CallOptions): Promise<m.Task> =>
    http.json({ method: 'GET', path: `/api/v1/tasks/${segment(id)}` }, options),
  /** Change what future runs do, and when */
  update: (id: string, body: m.UpdateTaskRequest, options?: CallOptions): Promise<m.Task> =>
    http.json({ method: 'PATCH', path: `/api/v1/tasks/${segment(id)}`, json: body }, options),
  /** Cancel a task and remove it with its history */
  delete: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/tasks/${segment(id)}` }, options),
  /** End a task: its run is stopped, its schedule too */
  cancel: (id: string, options?: CallOptions): Promise<m.Task> =>
    http.json({ method: 'POST', path: `/api/v1/tasks/${segment(id)}/cancel` }, options),
  /** Run a failed or cancelled task again */
  retry: (id: string, options?: CallOptions): Promise<m.Task> =>
    http.json({ method: 'POST', path: `/api/v1/tasks/${segment(id)}/retry` }, options),
  /** Runs of a task, newest first: one for each due slot */
  listRuns: (id: string, query: m.ListTaskRunsQuery = {}, options?: CallOptions): Promise<Page<m.TaskRun>> =>
    http.json({ method: 'GET', path: `/api/v1/tasks/${segment(id)}/runs`, query }, options),
  /** Every item of `listRuns`, page by page. */
  listRunsAll: (id: string, query: m.ListTaskRunsQuery = {}, options?: CallOptions): AsyncGenerator<m.TaskRun> =>
    allItems(http, { method: 'GET', path: `/api/v1/tasks/${segment(id)}/runs`, query }, options),
});

export const webhooks = (http: Http) => ({
  /** Webhooks of the tenant, newest first */
  list: (query: m.ListWebhooksQuery = {}, options?: CallOptions): Promise<Page<m.Webhook>> =>
    http.json({ method: 'GET', path: '/api/v1/webhooks', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListWebhooksQuery = {}, options?: CallOptions): AsyncGenerator<m.Webhook> =>
    allItems(http, { method: 'GET', path: '/api/v1/webhooks', query }, options),
  /** Subscribe an address to events; the signing secret is shown this once */
  create: (body: m.CreateWebhookRequest, options?: CallOptions): Promise<m.CreatedWebhook> =>
    http.json({ method: 'POST', path: '/api/v1/webhooks', json: body }, options),
  /** One webhook */
  get: (id: string, options?: CallOptions): Promise<m.Webhook> =>
    http.json({ method: 'GET', path: `/api/v1/webhooks/${segment(id)}` }, options),
  /** Change a webhook, or switch it on or off */
  update: (id: string, body: m.UpdateWebhookRequest, options?: CallOptions): Promise<m.Webhook> =>
    http.json({ method: 'PATCH', path: `/api/v1/webhooks/${segment(id)}`, json: body }, options),
  /** Remove a webhook with its log */
  delete: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/api/v1/webhooks/${segment(id)}` }, options),
  /** Deliveries of a webhook, newest first */
  listDeliveries: (id: string, query: m.ListWebhookDeliveriesQuery = {}, options?: CallOptions): Promise<Page<m.WebhookDelivery>> =>
    http.json({ method: 'GET', path: `/api/v1/webhooks/${segment(id)}/deliveries`, query }, options),
  /** Every item of `listDeliveries`, page by page. */
  listDeliveriesAll: (id: string, query: m.ListWebhookDeliveriesQuery = {}, options?: CallOptions): AsyncGenerator<m.WebhookDelivery> =>
    allItems(http, { method: 'GET', path: `/api/v1/webhooks/${segment(id)}/deliveries`, query }, options),
  /** One delivery with all its attempts */
  getDelivery: (id: string, deliveryId: string, options?: CallOptions): Promise<m.WebhookDeliveryDetail> =>
    http.json({ method: 'GET', path: `/api/v1/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}` }, options),
  /** Try a delivery again, with the same id and body */
  redeliver: (id: string, deliveryId: string, options?: CallOptions): Promise<m.WebhookDelivery> =>
    http.json({ method: 'POST', path: `/api/v1/webhooks/${segment(id)}/deliveries/${segment(deliveryId)}/redeliver` }, options),
  /** A new signing secret; the old one signs along for 24 h */
  rotateSecret: (id: string, options?: CallOptions): Promise<m.CreatedWebhook> =>
    http.json({ method: 'POST', path: `/api/v1/webhooks/${segment(id)}/rotate-secret` }, options),
  /** Send a webhook.test event now and see what comes back */
  test: (id: string, options?: CallOptions): Promise<m.WebhookDeliveryDetail> =>
    http.json({ method: 'POST', path: `/api/v1/webhooks/${segment(id)}/test` }, options),
});

export const system = (http: Http) => ({
  /** The process runs */
  health: (options?: CallOptions): Promise<m.Health> =>
    http.json({ method: 'GET', path: '/health' }, options),
  /** Prometheus metrics */
  metrics: (options?: CallOptions): Promise<string> =>
    http.text({ method: 'GET', path: '/metrics' }, options),
  /** Ready to serve requests; 503 with the same body when not */
  ready: (options?: CallOptions): Promise<m.Readiness> =>
    http.json({ method: 'GET', path: '/ready' }, options),
});

export const audit = (http: Http) => ({
  /** What happened in the tenant, newest first */
  listEvents: (query: m.ListAuditEventsQuery = {}, options?: CallOptions): Promise<Page<m.AuditEvent>> =>
    http.json({ method: 'GET', path: '/v2/audit', query }, options),
  /** Every item of `listEvents`, page by page. */
  listEventsAll: (query: m.ListAuditEventsQuery = {}, options?: CallOptions): AsyncGenerator<m.AuditEvent> =>
    allItems(http, { method: 'GET', path: '/v2/audit', query }, options),
  /** Prove the chain of the tenant from its first row to its head */
  verify: (options?: CallOptions): Promise<m.VerifyAuditResult> =>
    http.json({ method: 'GET', path: '/v2/audit/verify' }, options),
});

export const auth = (http: Http) => ({
  /** API keys of the caller */
  listApiKeys: (query: m.ListApiKeysQuery = {}, options?: CallOptions): Promise<Page<m.ApiKey>> =>
    http.json({ method: 'GET', path: '/v2/auth/api-keys', query }, options),
  /** Every item of `listApiKeys`, page by page. */
  listApiKeysAll: (query: m.ListApiKeysQuery = {}, options?: CallOptions): AsyncGenerator<m.ApiKey> =>
    allItems(http, { method: 'GET', path: '/v2/auth/api-keys', query }, options),
  /** Make an API key; the secret is shown once */
  createApiKey: (body: m.CreateApiKeyRequest, options?: CallOptions): Promise<m.CreatedApiKey> =>
    http.json({ method: 'POST', path: '/v2/auth/api-keys', json: body }, options),
  /** Delete an API key; it stops working at once */
  deleteApiKey: (id: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/v2/auth/api-keys/${segment(id)}` }, options),
  /** Replace an API key; the old secret works for an overlap */
  rotateApiKey: (id: string, body: m.RotateApiKeyRequest = {}, options?: CallOptions): Promise<m.CreatedApiKey> =>
    http.json({ method: 'POST', path: `/v2/auth/api-keys/${segment(id)}/rotate`, json: body }, options),
  /** Sign in with e-mail and password */
  login: (body: m.LoginRequest, options?: CallOptions): Promise<m.TokenResponse> =>
    http.json({ method: 'POST', path: '/v2/auth/login', json: body }, options),
  /** End the session of the token */
  logout: (options?: CallOptions): Promise<void> =>
    http.none({ method: 'POST', path: '/v2/auth/logout' }, options),
  /** Claims, tier and effective permissions of the caller */
  getMe: (options?: CallOptions): Promise<m.Caller> =>
    http.json({ method: 'GET', path: '/v2/auth/me' }, options),
  /** Ask for a link to a new password; it goes by mail if the account exists */
  forgotPassword: (body: m.ForgotPasswordRequest, options?: CallOptions): Promise<void> =>
    http.none({ method: 'POST', path: '/v2/auth/password/forgot', json: body }, options),
  /** Set the password that an invitation or reset link is for */
  resetPassword: (body: m.ResetPasswordRequest, options?: CallOptions): Promise<void> =>
    http.none({ method: 'POST', path: '/v2/auth/password/reset', json: body }, options),
  /** Exchange a refresh token for a new pair */
  refresh: (body: m.RefreshTokenRequest, options?: CallOptions): Promise<m.TokenResponse> =>
    http.json({ method: 'POST', path: '/v2/auth/refresh', json: body }, options),
});

export const directory = (http: Http) => ({
  /** Groups that the company's directory has sent by SCIM, with the roles that they give */
  listGroups: (query: m.ListDirectoryGroupsQuery = {}, options?: CallOptions): Promise<Page<m.DirectoryGroup>> =>
    http.json({ method: 'GET', path: '/v2/directory/groups', query }, options),
  /** Every item of `listGroups`, page by page. */
  listGroupsAll: (query: m.ListDirectoryGroupsQuery = {}, options?: CallOptions): AsyncGenerator<m.DirectoryGroup> =>
    allItems(http, { method: 'GET', path: '/v2/directory/groups', query }, options),
  /** Give the members of a group roles */
  setGroupRoles: (id: string, body: m.SetDirectoryGroupRolesRequest, options?: CallOptions): Promise<m.DirectoryGroup> =>
    http.json({ method: 'PUT', path: `/v2/directory/groups/${segment(id)}/roles`, json: body }, options),
});

export const oauthClients = (http: Http) => ({
  /** Registered clients of the tenant */
  list: (query: m.ListOauthClientsQuery = {}, options?: CallOptions): Promise<Page<m.OauthClient>> =>
    http.json({ method: 'GET', path: '/v2/oauth/clients', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListOauthClientsQuery = {}, options?: CallOptions): AsyncGenerator<m.OauthClient> =>
    allItems(http, { method: 'GET', path: '/v2/oauth/clients', query }, options),
  /** Register a client; the secret of a confidential one is shown once */
  create: (body: m.CreateOauthClientRequest, options?: CallOptions): Promise<m.CreatedOauthClient> =>
    http.json({ method: 'POST', path: '/v2/oauth/clients', json: body }, options),
  /** Delete a client; every token fetched through it dies at once */
  delete: (clientId: string, options?: CallOptions): Promise<void> =>
    http.none({ method: 'DELETE', path: `/v2/oauth/clients/${segment(clientId)}` }, options),
});

export const tenants = (http: Http) => ({
  /** All tenants, for platform administrators */
  list: (query: m.ListTenantsQuery = {}, options?: CallOptions): Promise<Page<m.Tenant>> =>
    http.json({ method: 'GET', path: '/v2/tenants', query }, options),
  /** Every item of `list`, page by page. */
  listAll: (query: m.ListTenantsQuery = {}, options?: CallOptions): AsyncGenerator<m.Tenant> =>
    allItems(http, { method: 'GET', path: '/v2/tenants', query }, options),
  /** Make a tenant and, if asked, its first admin; for platform administrators */
  create: (body: m.CreateTenantRequest, options?: CallOptions): Promise<m.CreatedTenant> =>
    http.json({ method: 'POST', path: '/v2/tenants', json: body }, options),
  /** One's own tenant, or any for platform administrators */
  get: (id: string, options?: CallOptions): Promise<m.Tenant> =>
    http.json({ method: 'GET', path: `/v2/tenants/${segment(id)}` }, options),
  /** Change a tenant; tier and status only by platform administrators */
  update: (id: string, body: m.UpdateTenantRequest, options?: CallOptions): Promise<m.Tenant> =>
    http.json({ method: 'PATCH', path: `/v2/tenants/${segment(id)}`, json: body }, options),
});

/** Every resource over one connection. */
export const allResources = (http: Http) => ({
  users: users(http),
  agents: agents(http),
  chat: chat(http),
  conversations: conversations(http),
  costs: costs(http),
  governance: governance(http),
  knowledge: knowledge(http),
  mcp: mcp(http),
  memory: memory(http),
  models: models(http),
  notifications: notifications(http),
  tasks: tasks(http),
  webhooks: webhooks(http),
  system: system(http),
  audit: audit(http),
  auth: auth(http),
  directory: directory(http),
  oauthClients: oauthClients(http),
  tenants: tenants(http),
});
