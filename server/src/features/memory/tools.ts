import type { AgentTool, ToolSource } from '../../kernel/tools.ts';
import { correctTool, forgetTool, recallTool, rememberTool } from './fact-tools.ts';
import { graphTool, relateTool } from './graph-tools.ts';
import { createToolMentions } from './tool-mentions.ts';
import type { ToolParts } from './tool-parts.ts';

/** The memory as agents see it. They act as the caller, in the caller's own memory; what is shared they can read. */

/** Agents whose work is the memory get all; the others read, and keep what they are told. */
const common = new Set(['remember_fact', 'recall']);

export const createMemoryTools = (parts: ToolParts): ToolSource => {
  const mentions = createToolMentions(parts);
  const tools: readonly AgentTool[] = [
    rememberTool(parts, mentions),
    recallTool(parts),
    relateTool(parts, mentions),
    correctTool(parts),
    forgetTool(parts),
    graphTool(parts),
  ];

  return {
    fixed: true,
    list: (caller, agentId) =>
      tools.filter(
        (one) =>
          caller.permissions.has(one.permission) &&
          (agentId === null ||
            agentId === 'memorix' ||
            agentId === 'hestia' ||
            agentId === 'zeus' ||
            common.has(one.name)),
      ),
  };
};
