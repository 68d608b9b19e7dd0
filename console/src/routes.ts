import { admin } from './features/admin/index.ts';
import { agents } from './features/agents/index.ts';
import { chat } from './features/chat/index.ts';
import { costs } from './features/costs/index.ts';
import { governance } from './features/governance/index.ts';
import { knowledge } from './features/knowledge/index.ts';
import { mcp } from './features/mcp/index.ts';
import { memory } from './features/memory/index.ts';
import { settings } from './features/settings/index.ts';
import { tasks } from './features/tasks/index.ts';
import type { Feature } from './lib/feature.ts';

/**
 * Every feature of the console, in the order of the navigation: Chat, Agents, Knowledge, Memory, MCP, Tasks, Governance,
 * Costs, Admin, Settings. A new one is a folder `features/<resource>/` and a line here.
 */
export const FEATURES: readonly Feature[] = [
  chat,
  agents,
  knowledge,
  memory,
  mcp,
  tasks,
  governance,
  costs,
  admin,
  settings,
];
