import type { ToolPolicy } from '../../kernel/tool-policy.ts';
import type { AgentTool, ToolPolicies } from '../../kernel/tools.ts';
import { requiredForCall, riskOf } from './call-approval.rules.ts';
import type { GovernanceConfig } from './config.ts';
import type { GovernancePorts } from './ports.ts';
import { overlay, policyFor } from './tool-policies.rules.ts';

/** The policy that holds for a tool: the operator's file (GOVERNANCE_FILE) over what its registration says. */
export interface HoldingPolicies extends ToolPolicies {
  of(tool: AgentTool): ToolPolicy;
}

export const createToolPolicies = (
  { policies, approvals }: Pick<GovernanceConfig, 'policies' | 'approvals'>,
  ports: Pick<GovernancePorts, 'policyOf'>,
): HoldingPolicies => {
  const holding = ({ server, name }: Pick<AgentTool, 'server' | 'name'>, said: ToolPolicy): ToolPolicy =>
    overlay(said, policyFor(policies, server, name));
  return {
    of: (tool) => holding(tool, ports.policyOf(tool) ?? {}),
    resolve(tool, said) {
      const policy = holding(tool, said);
      return {
        cost_usd: policy.cost_usd ?? 0,
        risk: riskOf(tool, policy),
        flags: [...(policy.flags ?? [])],
        approval: requiredForCall(tool, policy, { args: {}, tainted: false }, approvals).approval,
      };
    },
  };
};
