import type { BodyKind, ResponseKind, Schema } from './operation.ts';

/** What the document cannot say: names that read well, and bodies that are no JSON. */

/** Tag of the paths that are for the libraries of OAuth and OpenID Connect. */
export const PROTOCOL_TAG = 'Identity provider';

/** Not as a method: metadata for MCP clients, the page that a browser is sent back to, the WebSocket, other doors. */
export const SKIPPED: ReadonlySet<string> = new Set([
  'getProtectedResourceMetadata',
  'getMcpResourceMetadata',
  'finishMcpAuthorization',
  'openSocket',
  // Doors of other protocols, which have clients of their own.
  'listOpenAiModels',
  'getOpenAiModel',
  'getOpenAiModelByName',
  'createChatCompletion',
  'createEmbeddings',
  'createMessage',
  'createResponse',
  'getResponse',
  'deleteResponse',
  'listResponseInputItems',
  'createTextCompletion',
  'countMessageTokens',
  'getAgentCard',
  'getNetworkCard',
  'getCardOfAgent',
  'callNetwork',
  'callAgent',
]);

/** Words of an operationId that say no more than its resource does (singular). Default: the words of the tag. */
export const STRIPPED_WORDS: Readonly<Record<string, readonly string[]>> = {
  Agents: ['agent'],
  Authentication: [],
  Governance: [],
  'OAuth clients': ['oauth', 'client'],
  System: [],
};

export const METHOD_NAMES: Readonly<Record<string, string>> = {
  chat: 'send',
  chatStream: 'stream',
  editMessage: 'edit',
  regenerateMessage: 'regenerate',
  getMyUser: 'getMe',
  updateMyUser: 'updateMe',
  refreshToken: 'refresh',
  getHealth: 'health',
  getReadiness: 'ready',
  getMetrics: 'metrics',
};

const IMPORT_CONVERSATIONS: Schema = {
  type: 'object',
  required: ['conversations'],
  additionalProperties: false,
  properties: {
    conversations: {
      type: 'array',
      description: 'As ChatGPT, Open WebUI, LibreChat or Pentarch exports them',
      items: { type: 'object', additionalProperties: true },
    },
  },
};

export const SPECIAL_BODIES: Readonly<Record<string, { kind: BodyKind; schema: Schema | null }>> = {
  importMemory: { kind: 'ndjson', schema: null },
  importConversations: { kind: 'json', schema: IMPORT_CONVERSATIONS },
};

/** The document names one media type where `format` chooses among several. */
export const SPECIAL_RESPONSES: Readonly<Record<string, ResponseKind>> = {
  exportConversation: 'text',
  getDocumentContent: 'bytes',
  getPicture: 'bytes',
};

/** Answers that may take minutes: their default time limit is the long one. */
export const SLOW: ReadonlySet<string> = new Set([
  'chat',
  'invokeAgent',
  'editMessage',
  'editMessageStream',
  'regenerateMessage',
  'regenerateMessageStream',
  'createDocument',
  'importMemory',
  'importConversations',
  'callMcpTool',
]);
