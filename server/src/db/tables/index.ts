import type { A2aTables } from './a2a.ts';
import type { AccountTables } from './accounts.ts';
import type { AgentTables } from './agents.ts';
import type { ChatTables } from './chat.ts';
import type { CostTables } from './costs.ts';
import type { DirectoryTables } from './directory.ts';
import type { GovernanceTables } from './governance.ts';
import type { HttpTables } from './http.ts';
import type { IdentityTables } from './identity.ts';
import type { JobTables } from './jobs.ts';
import type { KnowledgeTables } from './knowledge.ts';
import type { MaintenanceTables } from './maintenance.ts';
import type { McpTables } from './mcp.ts';
import type { MemoryTables } from './memory.ts';
import type { NodeTables } from './nodes.ts';
import type { NotificationTables } from './notifications.ts';
import type { RunStepTables } from './run-steps.ts';
import type { TaskTables } from './tasks.ts';
import type { WebhookTables } from './webhooks.ts';

/** All tables of the platform. Each feature describes its own in a file of this folder; the DDL is in `migrations/`. */
export interface Tables
  extends A2aTables,
    AccountTables,
    AgentTables,
    ChatTables,
    CostTables,
    DirectoryTables,
    GovernanceTables,
    HttpTables,
    IdentityTables,
    JobTables,
    KnowledgeTables,
    MaintenanceTables,
    McpTables,
    MemoryTables,
    NodeTables,
    NotificationTables,
    RunStepTables,
    TaskTables,
    WebhookTables {}
