import { a2aModule } from '../features/a2a/module.ts';
import { agentsModule } from '../features/agents/module.ts';
import { anthropicModule } from '../features/anthropic/module.ts';
import { auditModule } from '../features/audit/module.ts';
import { chatModule } from '../features/chat/module.ts';
import { communicationsModule } from '../features/communications/module.ts';
import { conversationsModule } from '../features/conversations/module.ts';
import { costsModule } from '../features/costs/module.ts';
import { governanceModule } from '../features/governance/module.ts';
import { identityModule } from '../features/identity/module.ts';
import { knowledgeModule } from '../features/knowledge/module.ts';
import { mcpModule } from '../features/mcp/module.ts';
import { memoryModule } from '../features/memory/module.ts';
import { modelsModule } from '../features/models/module.ts';
import { nodesModule } from '../features/nodes/module.ts';
import { notificationsModule } from '../features/notifications/module.ts';
import { openAiModule } from '../features/openai/module.ts';
import { realtimeModule } from '../features/realtime/module.ts';
import { responsesModule } from '../features/responses/module.ts';
import { retentionModule } from '../features/retention/module.ts';
import { scimModule } from '../features/scim/module.ts';
import { sharesModule } from '../features/shares/module.ts';
import { systemModule } from '../features/system/module.ts';
import { tasksModule } from '../features/tasks/module.ts';
import { tenantsModule } from '../features/tenants/module.ts';
import { usersModule } from '../features/users/module.ts';
import { webhooksModule } from '../features/webhooks/module.ts';
import { abilitiesModule } from './abilities.ts';
import { backgroundModule } from './background.ts';
import { blobsModule } from './blobs.ts';
import { clusterModule } from './cluster.ts';
import { embeddingModule } from './embedding.ts';
import { eventsModule } from './events.ts';
import { governanceConfigModule } from './governance-config.ts';
import { httpModule } from './http.ts';
import { idempotencyModule } from './idempotency.ts';
import { jobsModule } from './jobs.ts';
import { keysModule } from './keys.ts';
import { mcpConnectorModule } from './mcp-connector.ts';
import { moduleList } from './module.ts';
import { nodeModule } from './node.ts';
import { mailModule, oidcModule, outgoingModule } from './outside.ts';
import { parsingModule } from './parsing.ts';
import { providersModule } from './providers.ts';
import { limitsModule } from './rates.ts';
import { storeModule } from './store.ts';
import { streamsModule } from './streams.ts';

/**
 * Every module of the platform. Each is built as early as its needs and its place here allow, and stopped in reverse. Agents
 * are offered the tools in the order of this list.
 */
export const MODULES = moduleList([
  // What the process stands on. `nodes` is early, so that a node signs off when all else has stopped.
  governanceConfigModule,
  nodeModule,
  storeModule,
  keysModule,
  clusterModule,
  nodesModule,
  // Adapters
  outgoingModule,
  mailModule,
  parsingModule,
  oidcModule,
  providersModule,
  blobsModule,
  mcpConnectorModule,
  // What features share
  eventsModule,
  jobsModule,
  limitsModule,
  identityModule,
  idempotencyModule,
  streamsModule,
  embeddingModule,
  // Features
  systemModule,
  modelsModule,
  webhooksModule,
  tasksModule,
  notificationsModule,
  knowledgeModule,
  memoryModule,
  costsModule,
  agentsModule,
  auditModule,
  usersModule,
  tenantsModule,
  scimModule,
  conversationsModule,
  communicationsModule,
  governanceModule,
  chatModule,
  mcpModule,
  abilitiesModule,
  retentionModule,
  sharesModule,
  realtimeModule,
  a2aModule,
  anthropicModule,
  openAiModule,
  responsesModule,
  // Last: they need what all others have added.
  backgroundModule,
  httpModule,
]);
