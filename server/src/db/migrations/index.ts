import type { SchemaStep } from '../migrate.ts';
import { accounts } from './001-accounts.ts';
import { identity } from './002-identity.ts';
import { chat } from './003-chat.ts';
import { costs } from './004-costs.ts';
import { knowledge } from './005-knowledge.ts';
import { http } from './006-http.ts';
import { agents } from './007-agents.ts';
import { memory } from './008-memory.ts';
import { mcp } from './009-mcp.ts';
import { governance } from './010-governance.ts';
import { jobs } from './011-jobs.ts';
import { webhooks } from './012-webhooks.ts';
import { tasks } from './013-tasks.ts';
import { notifications } from './014-notifications.ts';
import { agentSuggestions } from './015-agent-suggestions.ts';
import { runSteps } from './015-run-steps.ts';
import { keyEnds } from './016-key-ends.ts';
import { runsByUser } from './020-runs-by-user.ts';
import { conversationSummaries } from './021-conversation-summaries.ts';
import { conversationImports } from './022-conversation-imports.ts';
import { documentVersions } from './025-document-versions.ts';
import { nodes } from './030-nodes.ts';
import { maintenance } from './035-maintenance.ts';
import { auditReading } from './040-audit-reading.ts';
import { consolePages } from './045-console-pages.ts';
import { delegatedWork } from './048-delegated-work.ts';
import { tenantWords } from './050-tenant-words.ts';
import { rowSecurity } from './055-row-security.ts';
import { queuedRuns } from './056-queued-runs.ts';
import { termsInRow } from './057-terms-in-row.ts';
import { credentialOfWork } from './062-credential-of-work.ts';
import { proposalEvidence } from './063-proposal-evidence.ts';
import { auditSignatures } from './066-audit-signatures.ts';
import { sameTenant } from './067-same-tenant.ts';
import { drainingNodes } from './070-draining-nodes.ts';
import { taint } from './072-taint.ts';
import { trustedDocuments } from './073-trusted-documents.ts';
import { acceptedTools } from './074-accepted-tools.ts';
import { credentialOfWebhooks } from './075-credential-of-webhooks.ts';
import { needsOfDeliveries } from './076-needs-of-deliveries.ts';
import { deliveryRounds } from './085-delivery-rounds.ts';
import { unreadPages } from './090-unread-pages.ts';
import { messageTree } from './091-message-tree.ts';
import { pinsAndFolders } from './092-pins-and-folders.ts';
import { beyondEstimate } from './100-beyond-estimate.ts';
import { taskTrace } from './105-task-trace.ts';
import { clientSignOut } from './110-client-sign-out.ts';
import { leftOut } from './115-left-out.ts';
import { recognizedPages } from './116-recognized-pages.ts';
import { whatRunsLeave } from './120-what-runs-leave.ts';
import { rightsOfLinks } from './121-rights-of-links.ts';
import { followedClaims } from './122-followed-claims.ts';
import { allTools } from './128-all-tools.ts';
import { attachments } from './130-attachments.ts';
import { conversationShares } from './140-conversation-shares.ts';
import { costSums } from './150-cost-sums.ts';
import { directory } from './160-directory.ts';
import { delegatedRuns } from './161-delegated-runs.ts';
import { runSums } from './162-run-sums.ts';
import { sessionsByDocument } from './163-sessions-by-document.ts';
import { documentUploads } from './180-document-uploads.ts';
import { documentPatches } from './181-document-patches.ts';
import { messageGrams } from './190-message-grams.ts';
import { pictures } from './200-pictures.ts';
import { taskNotifications } from './210-task-notifications.ts';
import { forgottenMessages } from './220-forgotten-messages.ts';

/** In order of name. Each feature has a number of its own; a released step never changes. */
export const migrations: readonly SchemaStep[] = [
  accounts,
  identity,
  chat,
  costs,
  knowledge,
  http,
  agents,
  memory,
  mcp,
  governance,
  jobs,
  webhooks,
  tasks,
  notifications,
  agentSuggestions,
  runSteps,
  keyEnds,
  runsByUser,
  conversationSummaries,
  conversationImports,
  documentVersions,
  nodes,
  maintenance,
  auditReading,
  consolePages,
  delegatedWork,
  tenantWords,
  rowSecurity,
  queuedRuns,
  termsInRow,
  credentialOfWork,
  proposalEvidence,
  auditSignatures,
  sameTenant,
  drainingNodes,
  taint,
  trustedDocuments,
  acceptedTools,
  credentialOfWebhooks,
  needsOfDeliveries,
  deliveryRounds,
  unreadPages,
  messageTree,
  pinsAndFolders,
  beyondEstimate,
  taskTrace,
  clientSignOut,
  leftOut,
  recognizedPages,
  whatRunsLeave,
  rightsOfLinks,
  followedClaims,
  allTools,
  attachments,
  conversationShares,
  costSums,
  directory,
  delegatedRuns,
  runSums,
  sessionsByDocument,
  documentUploads,
  documentPatches,
  messageGrams,
  pictures,
  taskNotifications,
  forgottenMessages,
];
