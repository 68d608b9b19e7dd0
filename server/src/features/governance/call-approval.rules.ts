import { usdToNano } from '../../kernel/money.ts';
import type { Risk, ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { isAllowed } from './allow.rules.ts';
import { type ApprovalLimits, type RequiredApproval, requiredApproval } from './required-approval.rules.ts';

/** Who must agree to a call, from the tool, its policy and the run that makes it. Pure. */

/** The risk of a tool: the policy's, else what the tool declares of itself. */
export const riskOf = (tool: Pick<AgentTool, 'annotations'>, policy: ToolPolicy): Risk =>
  policy.risk ?? (tool.annotations.destructive ? 'high' : tool.annotations.readOnly ? 'low' : 'medium');

/** What a call does that asks in a run with untrusted content: reaching out comes first, since reading is sending too. */
const actOf = (
  tool: Pick<AgentTool, 'annotations' | 'personal'>,
  args: Record<string, unknown>,
): 'open_world' | 'personal' | null => {
  if (tool.annotations.openWorld) return 'open_world';
  const { personal } = tool;
  return (typeof personal === 'function' ? personal(args) : personal === true) ? 'personal' : null;
};

/** Who must agree to one call of a tool. */
export const requiredForCall = (
  tool: Pick<AgentTool, 'annotations' | 'personal'>,
  policy: ToolPolicy,
  call: { args: Record<string, unknown>; tainted: boolean },
  limits: ApprovalLimits,
): RequiredApproval =>
  requiredApproval(
    {
      estimatedNano: usdToNano(policy.cost_usd ?? 0),
      risk: policy.risk ?? null,
      flags: policy.flags ?? [],
      approval: policy.approval ?? null,
      destructive: tool.annotations.destructive,
      tainted: call.tainted && !isAllowed(policy, call.args) ? actOf(tool, call.args) : null,
    },
    limits,
  );
