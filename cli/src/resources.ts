// Over 500 lines: a table of commands, one entry after the other; there is nothing in it to follow.
import type { Group } from './resource.ts';

/**
 * The commands that are one operation each. Those that do more stand in commands/.
 */

export const GROUPS: readonly Group[] = [
  {
    name: 'conversations',
    about: 'talks with the agents',
    commands: [
      {
        name: 'list',
        operation: 'listConversations',
        columns: ['id', 'title', 'status', 'message_count', 'total_cost_usd', 'updated_at'],
        examples: ['conversations list --limit 50', 'conversations list --all --json'],
      },
      {
        name: 'create',
        operation: 'createConversation',
        examples: ['conversations create --title "Winter rota" --metadata \'{"team": "north"}\''],
      },
      {
        name: 'show',
        operation: 'getConversation',
        examples: ['conversations show 0190a6de-7c2a-7000-8000-000000000001'],
      },
      {
        name: 'messages',
        operation: 'listMessages',
        columns: ['id', 'parent_id', 'role', 'agent_id', 'content', 'created_at'],
        examples: [
          'conversations messages ID --order desc --limit 5',
          'conversations messages ID --branches all',
        ],
      },
      {
        name: 'update',
        operation: 'updateConversation',
        examples: [
          'conversations update ID --title "Spring rota"',
          'conversations update ID --pinned --folder Winter',
          'conversations update ID --active-message-id MESSAGE_ID',
        ],
      },
      {
        name: 'archive',
        operation: 'archiveConversation',
        done: 'archived {id}',
        examples: ['conversations archive ID', 'conversations archive ID --permanent'],
      },
      {
        name: 'delete',
        operation: 'deleteConversations',
        failures: 'failed',
        examples: ['conversations delete --ids ID'],
      },
      {
        name: 'folders',
        operation: 'listFolders',
        columns: ['name', 'count'],
        examples: ['conversations folders --status active'],
      },
      {
        name: 'rename-folder',
        operation: 'renameFolder',
        examples: ['conversations rename-folder --name Winter --to "Winter rota"'],
      },
      {
        name: 'bring-in',
        operation: 'importConversations',
        failures: 'failed',
        examples: ['conversations bring-in --conversations @chatgpt/conversations.json'],
      },
      {
        name: 'picture',
        operation: 'getPicture',
        examples: ['conversations picture ID PICTURE_ID --output cat.png'],
      },
      { name: 'restore', operation: 'restoreConversation', examples: ['conversations restore ID'] },
      {
        name: 'fork',
        operation: 'forkConversation',
        args: ['message_id'],
        examples: ['conversations fork ID MESSAGE_ID'],
      },
      {
        name: 'edit',
        operation: 'editMessage',
        args: ['message'],
        examples: ['conversations edit ID MESSAGE_ID "How long may I rest in winter?"'],
      },
      {
        name: 'regenerate',
        operation: 'regenerateMessage',
        examples: ['conversations regenerate ID MESSAGE_ID --agent-id athena'],
      },
      {
        name: 'rate',
        operation: 'rateMessage',
        args: ['rating'],
        examples: ['conversations rate MESSAGE_ID up --comment "found the page"'],
      },
      {
        name: 'share',
        operation: 'shareConversation',
        args: ['audience'],
        examples: [
          'conversations share ID tenant',
          'conversations share ID tenant --up-to-message-id MESSAGE_ID',
        ],
      },
      {
        name: 'shares',
        operation: 'listShares',
        columns: ['id', 'audience', 'title', 'created_at', 'expires_at'],
        examples: ['conversations shares ID'],
      },
      {
        name: 'unshare',
        operation: 'revokeShare',
        done: 'ended {share_id}',
        examples: ['conversations unshare ID SHARE_ID'],
      },
      {
        name: 'shared',
        operation: 'openShare',
        examples: ['conversations shared TOKEN'],
      },
    ],
  },
  {
    name: 'runs',
    about: 'single runs of the agents',
    commands: [
      { name: 'show', operation: 'getRun', examples: ['runs show RUN_ID'] },
      { name: 'cancel', operation: 'cancelRun', examples: ['runs cancel RUN_ID'] },
    ],
  },
  {
    name: 'agents',
    about: 'the eleven agents',
    commands: [
      {
        name: 'list',
        operation: 'listAgents',
        columns: ['id', 'domain', 'state', 'model', 'metrics.requests', 'metrics.failures'],
        examples: ['agents list'],
      },
      { name: 'show', operation: 'getAgent', examples: ['agents show athena'] },
      { name: 'metrics', operation: 'getAgentMetrics', examples: ['agents metrics zeus --window 7d'] },
      {
        name: 'update',
        operation: 'updateAgent',
        examples: ['agents update iris --no-enabled', 'agents update hermes --model openai/gpt-5-mini'],
      },
      {
        name: 'ask',
        operation: 'invokeAgent',
        args: ['message'],
        examples: ['agents ask chronos "What is due this week?"'],
      },
      {
        name: 'suggestions',
        operation: 'listAgentSuggestions',
        columns: ['id', 'agent_id', 'status', 'instruction', 'created_at'],
        examples: ['agents suggestions --status open'],
      },
      { name: 'accept', operation: 'acceptAgentSuggestion', examples: ['agents accept SUGGESTION_ID'] },
      { name: 'reject', operation: 'rejectAgentSuggestion', examples: ['agents reject SUGGESTION_ID'] },
    ],
  },
  {
    name: 'models',
    about: 'models that a message may name',
    commands: [
      {
        name: 'list',
        operation: 'listModels',
        columns: ['id', 'default', 'local', 'available', 'context_tokens', 'price.input', 'price.output'],
        examples: ['models list'],
      },
    ],
  },
  {
    name: 'proposals',
    about: 'actions that await a decision',
    commands: [
      {
        name: 'list',
        operation: 'listProposals',
        columns: ['id', 'status', 'action', 'estimated_cost', 'risk', 'tally.approve', 'created_at'],
        examples: ['proposals list --status awaiting_human'],
      },
      { name: 'show', operation: 'getProposal', examples: ['proposals show ID'] },
      {
        name: 'create',
        operation: 'createProposal',
        args: ['action'],
        examples: [
          'proposals create "Order paper" --estimated-cost 74.5 --description "12 % off until Friday"',
        ],
      },
      {
        name: 'vote',
        operation: 'voteOnProposal',
        args: ['vote'],
        examples: ['proposals vote ID approve', 'proposals vote ID reject --reason "not this quarter"'],
      },
      {
        name: 'confirm',
        operation: 'confirmProposal',
        examples: ['proposals confirm ID --approve', 'proposals confirm ID --no-approve'],
      },
      { name: 'cancel', operation: 'cancelProposal', examples: ['proposals cancel ID'] },
    ],
  },
  {
    name: 'documents',
    about: 'what the agents may cite',
    commands: [
      {
        name: 'list',
        operation: 'listDocuments',
        columns: [
          'id',
          'title',
          'status',
          'content_type',
          'size_bytes',
          'chunk_count',
          'visibility',
          'created_at',
        ],
        examples: [
          'documents list --content-type pdf',
          'documents list --q handbook --json',
          'documents list --status processing',
        ],
      },
      { name: 'show', operation: 'getDocument', examples: ['documents show ID'] },
      {
        name: 'chunks',
        operation: 'listDocumentChunks',
        columns: ['ordinal', 'page', 'heading_path', 'content'],
        examples: ['documents chunks ID --all'],
      },
      {
        name: 'versions',
        operation: 'listDocumentVersions',
        examples: ['documents versions ID'],
      },
      {
        name: 'tags',
        operation: 'listDocumentTags',
        columns: ['tag', 'documents'],
        examples: ['documents tags'],
      },
      {
        name: 'download',
        operation: 'getDocumentContent',
        examples: ['documents download ID --output handbook.pdf', 'documents download ID --format text'],
      },
      {
        name: 'update',
        operation: 'updateDocument',
        examples: ['documents update ID --visibility tenant'],
      },
      { name: 'retry', operation: 'retryDocument', examples: ['documents retry ID'] },
      {
        name: 'delete',
        operation: 'deleteDocument',
        done: 'deleted {id}',
        examples: ['documents delete ID'],
      },
    ],
  },
  {
    name: 'memory',
    about: 'the knowledge graph',
    commands: [
      {
        name: 'entities',
        operation: 'listMemoryEntities',
        columns: ['id', 'name', 'entity_type', 'visibility', 'importance', 'updated_at'],
        examples: ['memory entities --limit 50'],
      },
      { name: 'entity', operation: 'getMemoryEntity', examples: ['memory entity ID'] },
      {
        name: 'add',
        operation: 'createMemoryEntity',
        args: ['name', 'entity_type'],
        examples: ['memory add "John Smeaton" person --observations "built the third Eddystone"'],
      },
      { name: 'update', operation: 'updateMemoryEntity', examples: ['memory update ID --importance 0.9'] },
      {
        name: 'delete',
        operation: 'deleteMemoryEntity',
        done: 'deleted {id}',
        examples: ['memory delete ID'],
      },
      {
        name: 'merge',
        operation: 'mergeMemoryEntities',
        args: ['entity_id'],
        examples: ['memory merge ID OTHER_ID'],
      },
      {
        name: 'observe',
        operation: 'addMemoryObservations',
        args: ['text'],
        examples: ['memory observe ID "retired in 1791"'],
      },
      {
        name: 'correct',
        operation: 'correctMemoryObservation',
        args: ['text'],
        examples: ['memory correct ID OBSERVATION_ID "retired in 1792"'],
      },
      {
        name: 'forget',
        operation: 'deleteMemoryObservation',
        done: 'forgotten',
        examples: ['memory forget ID OBSERVATION_ID'],
      },
      {
        name: 'relations',
        operation: 'listMemoryRelations',
        columns: ['id', 'from_entity_id', 'relation_type', 'to_entity_id', 'valid_from', 'valid_to'],
        examples: ['memory relations --all'],
      },
      { name: 'relation', operation: 'getMemoryRelation', examples: ['memory relation ID'] },
      {
        name: 'relate',
        operation: 'createMemoryRelation',
        args: ['from_entity_id', 'relation_type', 'to_entity_id'],
        examples: ['memory relate FROM_ID works_at TO_ID'],
      },
      {
        name: 'update-relation',
        operation: 'updateMemoryRelation',
        examples: ['memory update-relation ID --valid-to 2026-01-01T00:00:00.000Z'],
      },
      {
        name: 'unrelate',
        operation: 'deleteMemoryRelation',
        done: 'deleted {id}',
        examples: ['memory unrelate ID'],
      },
      {
        name: 'preferences',
        operation: 'listMemoryPreferences',
        columns: ['id', 'name', 'value', 'text', 'told', 'created_at'],
        examples: ['memory preferences'],
      },
      {
        name: 'prefer',
        operation: 'setMemoryPreference',
        args: ['name', 'value'],
        examples: ['memory prefer language German'],
      },
      { name: 'graph', operation: 'getMemoryGraph', examples: ['memory graph --entity-id ID --depth 2'] },
    ],
  },
  {
    name: 'mcp',
    about: 'tools of MCP servers',
    commands: [
      {
        name: 'servers',
        operation: 'listMcpServers',
        columns: ['name', 'transport', 'source', 'status', 'tool_count', 'last_error'],
        examples: ['mcp servers'],
      },
      {
        name: 'tools',
        operation: 'listMcpTools',
        columns: ['name', 'policy.risk', 'policy.approval', 'policy.pinned', 'held_back', 'description'],
        examples: ['mcp tools files'],
      },
      {
        name: 'update',
        operation: 'updateMcpServer',
        rename: { url: 'server-url' },
        examples: ['mcp update files --no-enabled', 'mcp update files --data @server.json'],
      },
      {
        name: 'remove',
        operation: 'deleteMcpServer',
        done: 'removed {id}',
        examples: ['mcp remove files'],
      },
      {
        name: 'accept',
        operation: 'acceptMcpTool',
        examples: ['mcp accept files read_file'],
      },
      { name: 'accept-all', operation: 'acceptMcpTools', examples: ['mcp accept-all files'] },
      {
        name: 'authorize',
        operation: 'authorizeMcpServer',
        examples: ['mcp authorize crm', 'mcp authorize crm --answer ANSWER'],
      },
      { name: 'refresh', operation: 'refreshMcpServer', examples: ['mcp refresh files'] },
      {
        name: 'logs',
        operation: 'getMcpServerLogs',
        columns: ['at', 'source', 'text'],
        examples: ['mcp logs files'],
      },
      {
        name: 'test',
        operation: 'testMcpServer',
        rename: { url: 'server-url' },
        args: ['transport'],
        examples: ['mcp test http --server-url https://tools.example.com/mcp'],
      },
      {
        name: 'prompts',
        operation: 'listMcpPrompts',
        columns: ['name', 'description'],
        examples: ['mcp prompts files'],
      },
      {
        name: 'prompt',
        operation: 'getMcpPrompt',
        args: ['prompt'],
        examples: ['mcp prompt files summary --arguments \'{"path": "a.txt"}\''],
      },
      {
        name: 'resources',
        operation: 'listMcpResources',
        columns: ['uri', 'name', 'mimeType'],
        examples: ['mcp resources files'],
      },
      {
        name: 'read',
        operation: 'readMcpResource',
        args: ['uri'],
        columns: ['uri', 'mimeType', 'text'],
        examples: ['mcp read files file:///notes/a.txt'],
      },
    ],
  },
  {
    name: 'tasks',
    about: 'work in the background, at a time or by cron',
    commands: [
      {
        name: 'list',
        operation: 'listTasks',
        columns: ['id', 'description', 'agent_id', 'status', 'cron', 'scheduled_at', 'created_at'],
        examples: ['tasks list --status failed'],
      },
      {
        name: 'create',
        operation: 'createTask',
        args: ['description'],
        examples: [
          'tasks create "Sum up the week" --cron "0 9 * * MON" --timezone Europe/Berlin',
          'tasks create "Check the rota" --agent-id chronos --scheduled-at 2026-12-01T08:00:00.000Z',
        ],
      },
      { name: 'show', operation: 'getTask', examples: ['tasks show ID'] },
      { name: 'update', operation: 'updateTask', examples: ['tasks update ID --priority high'] },
      {
        name: 'runs',
        operation: 'listTaskRuns',
        columns: ['id', 'status', 'scheduled_for', 'attempts', 'cost_usd', 'finished_at'],
        examples: ['tasks runs ID'],
      },
      { name: 'cancel', operation: 'cancelTask', examples: ['tasks cancel ID'] },
      { name: 'retry', operation: 'retryTask', examples: ['tasks retry ID'] },
      { name: 'delete', operation: 'deleteTask', done: 'deleted {id}', examples: ['tasks delete ID'] },
    ],
  },
  {
    name: 'users',
    about: 'accounts of the tenant',
    commands: [
      {
        name: 'list',
        operation: 'listUsers',
        columns: ['id', 'email', 'name', 'type', 'roles', 'tier', 'status'],
        examples: ['users list --type service'],
      },
      {
        name: 'create',
        operation: 'createUser',
        args: ['email'],
        examples: [
          'users create ada@example.com --roles operator',
          'users create bot@example.com --type service',
        ],
      },
      { name: 'show', operation: 'getUser', examples: ['users show ID'] },
      { name: 'update', operation: 'updateUser', examples: ['users update ID --roles analyst user'] },
      {
        name: 'deactivate',
        operation: 'deactivateUser',
        done: 'deactivated {id}',
        examples: ['users deactivate ID'],
      },
      {
        name: 'move',
        operation: 'moveUser',
        examples: ['users move ID --tenant-id TENANT --roles user'],
      },
      { name: 'invite', operation: 'inviteUser', examples: ['users invite ID'] },
      { name: 'reset-password', operation: 'resetUserPassword', examples: ['users reset-password ID'] },
      { name: 'export', operation: 'exportUserData', examples: ['users export ID --json > person.json'] },
      { name: 'erase', operation: 'eraseUserData', examples: ['users erase ID'] },
      { name: 'me', operation: 'getMyUser', examples: ['users me'] },
      {
        name: 'rename-me',
        operation: 'updateMyUser',
        args: ['name'],
        examples: ['users rename-me "Ada L."'],
      },
    ],
  },
  {
    name: 'sessions',
    about: 'one’s own open sign-ins',
    commands: [
      {
        name: 'list',
        operation: 'listMySessions',
        columns: ['id', 'client_id', 'current', 'user_agent', 'last_used_at'],
        examples: ['sessions list'],
      },
      { name: 'end', operation: 'endMySession', done: 'ended {id}', examples: ['sessions end ID'] },
    ],
  },
  {
    name: 'tenants',
    about: 'tenants',
    commands: [
      {
        name: 'list',
        operation: 'listTenants',
        columns: ['id', 'name', 'slug', 'tier', 'status', 'created_at'],
        examples: ['tenants list'],
      },
      {
        name: 'create',
        operation: 'createTenant',
        args: ['name', 'slug'],
        examples: ['tenants create "Trinity House" trinity --admin \'{"email": "ada@example.com"}\''],
      },
      { name: 'show', operation: 'getTenant', examples: ['tenants show ID'] },
      { name: 'update', operation: 'updateTenant', examples: ['tenants update ID --status suspended'] },
    ],
  },
  {
    name: 'keys',
    about: 'API keys',
    commands: [
      {
        name: 'list',
        operation: 'listApiKeys',
        columns: ['id', 'name', 'hint', 'permissions', 'last_used_at', 'expires_at'],
        examples: ['keys list'],
      },
      {
        name: 'create',
        operation: 'createApiKey',
        args: ['name'],
        examples: ['keys create ci --permissions knowledge:write knowledge:read'],
      },
      { name: 'rotate', operation: 'rotateApiKey', examples: ['keys rotate ID --overlap-s 3600'] },
      { name: 'delete', operation: 'deleteApiKey', done: 'deleted {id}', examples: ['keys delete ID'] },
    ],
  },
  {
    name: 'tokens',
    about: 'personal access tokens',
    commands: [
      {
        name: 'list',
        operation: 'listPersonalTokens',
        columns: ['id', 'name', 'hint', 'last_used_at', 'expires_at'],
        examples: ['tokens list'],
      },
      {
        name: 'create',
        operation: 'createPersonalToken',
        args: ['name'],
        examples: ['tokens create laptop --expires-at 2027-01-01T00:00:00.000Z'],
      },
      {
        name: 'delete',
        operation: 'deletePersonalToken',
        done: 'deleted {id}',
        examples: ['tokens delete ID'],
      },
    ],
  },
  {
    name: 'directory',
    about: "groups that the company's directory has sent by SCIM",
    commands: [
      {
        name: 'groups',
        operation: 'listDirectoryGroups',
        columns: ['id', 'name', 'roles', 'members', 'updated_at'],
        examples: ['directory groups'],
      },
      {
        name: 'roles',
        operation: 'setDirectoryGroupRoles',
        examples: ['directory roles ID --roles operator'],
      },
    ],
  },
  {
    name: 'clients',
    about: 'registered OAuth clients',
    commands: [
      {
        name: 'list',
        operation: 'listOauthClients',
        columns: ['client_id', 'name', 'type', 'redirect_uris', 'created_at'],
        examples: ['clients list'],
      },
      {
        name: 'create',
        operation: 'createOauthClient',
        args: ['name', 'type'],
        examples: ['clients create intranet public --redirect-uris https://intranet.example.com/back'],
      },
      {
        name: 'delete',
        operation: 'deleteOauthClient',
        done: 'deleted {id}',
        examples: ['clients delete CLIENT_ID'],
      },
    ],
  },
  {
    name: 'webhooks',
    about: 'events sent to other systems',
    commands: [
      {
        name: 'list',
        operation: 'listWebhooks',
        columns: ['id', 'url', 'events', 'status', 'created_at'],
        examples: ['webhooks list'],
      },
      {
        name: 'create',
        operation: 'createWebhook',
        args: ['url'],
        examples: ['webhooks create https://hooks.example.com/p --events proposal.created proposal.decided'],
      },
      { name: 'show', operation: 'getWebhook', examples: ['webhooks show ID'] },
      {
        name: 'update',
        operation: 'updateWebhook',
        rename: { url: 'target' },
        examples: ['webhooks update ID --status disabled'],
      },
      { name: 'delete', operation: 'deleteWebhook', done: 'deleted {id}', examples: ['webhooks delete ID'] },
      { name: 'test', operation: 'testWebhook', examples: ['webhooks test ID'] },
      { name: 'rotate-secret', operation: 'rotateWebhookSecret', examples: ['webhooks rotate-secret ID'] },
      {
        name: 'deliveries',
        operation: 'listWebhookDeliveries',
        columns: ['id', 'event', 'status', 'attempts', 'response_status', 'created_at'],
        examples: ['webhooks deliveries ID --limit 5'],
      },
      { name: 'delivery', operation: 'getWebhookDelivery', examples: ['webhooks delivery ID DELIVERY_ID'] },
      { name: 'redeliver', operation: 'redeliverWebhook', examples: ['webhooks redeliver ID DELIVERY_ID'] },
    ],
  },
  {
    name: 'costs',
    about: 'what was spent, and its limits',
    commands: [
      {
        name: 'usage',
        operation: 'getCostUsage',
        examples: ['costs usage --period month', 'costs usage --period day --json'],
      },
      {
        name: 'limits',
        operation: 'getCostLimits',
        inner: 'limits',
        columns: [
          'scope',
          'subject',
          'period',
          'limit_usd',
          'used_usd',
          'reserved_usd',
          'remaining_usd',
          'resets_at',
        ],
        examples: ['costs limits'],
      },
      {
        name: 'export',
        operation: 'exportCostUsage',
        examples: ['costs export --period month --output november.csv'],
      },
    ],
  },
  {
    name: 'audit',
    about: 'what happened, provably',
    commands: [
      {
        name: 'list',
        operation: 'listAuditEvents',
        columns: ['seq', 'created_at', 'action', 'outcome', 'actor_id', 'target_type', 'target_id'],
        examples: ['audit list --limit 20', 'audit list --target PROPOSAL_ID --json'],
      },
      {
        name: 'check',
        operation: 'verifyAudit',
        about: 'Let the server prove the chain of the tenant',
        examples: ['audit check'],
      },
    ],
  },
  {
    name: 'notifications',
    about: 'the inbox',
    commands: [
      {
        name: 'list',
        operation: 'listNotifications',
        columns: ['id', 'level', 'category', 'title', 'read', 'created_at'],
        examples: ['notifications list'],
      },
      { name: 'unread', operation: 'countUnreadNotifications', examples: ['notifications unread'] },
      { name: 'read', operation: 'readNotification', examples: ['notifications read ID'] },
      {
        name: 'read-all',
        operation: 'readAllNotifications',
        done: 'all are read',
        examples: ['notifications read-all'],
      },
      {
        name: 'preferences',
        operation: 'getNotificationPreferences',
        examples: ['notifications preferences'],
      },
      {
        name: 'set-preferences',
        operation: 'updateNotificationPreferences',
        examples: ['notifications set-preferences --data @channels.json'],
      },
    ],
  },
  {
    name: 'system',
    about: 'the server itself',
    commands: [
      { name: 'health', operation: 'getHealth', examples: ['system health'] },
      { name: 'ready', operation: 'getReadiness', examples: ['system ready --json'] },
      { name: 'metrics', operation: 'getMetrics', examples: ['system metrics'] },
    ],
  },
];

/** Operations that a command of commands/ carries out, or that another one answers as well. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  chat: 'chat',
  chatStream: 'chat',
  followRun: 'chat --follow',
  searchKnowledge: 'search',
  createDocument: 'documents add',
  exportConversation: 'conversations export',
  openPublicShare: 'conversations shared',
  importMemory: 'memory import',
  exportMemory: 'memory export',
  createMcpServer: 'mcp add',
  importMcpServers: 'mcp import',
  callMcpTool: 'mcp call',
  setCostLimits: 'costs set-limit',
  login: 'login --email',
  logout: 'logout',
  refreshToken: 'login',
  getMe: 'whoami',
  changeMyPassword: 'password change',
  forgotPassword: 'password forgot',
  resetPassword: 'password reset',
  listUsersAsAdmin: 'users list',
};
