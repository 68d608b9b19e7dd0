/** What an operator says of tools: the MCP gateway stores it, governance decides by it (contract, section 7). */

export const RISKS = ['low', 'medium', 'high', 'critical'] as const;
export type Risk = (typeof RISKS)[number];

export const FLAGS = ['security', 'legal', 'irreversible', 'personal_data'] as const;
export type Flag = (typeof FLAGS)[number];

/** From the least to the most strict. */
export const APPROVALS = ['auto', 'pentarchy', 'human'] as const;
export type Approval = (typeof APPROVALS)[number];

/** Each part may be left out: then it comes from what the tool declares. */
export interface ToolPolicy {
  cost_usd?: number | undefined;
  risk?: Risk | undefined;
  flags?: readonly Flag[] | undefined;
  approval?: Approval | undefined;
  allow?: readonly AllowRule[] | undefined;
}

/**
 * Calls that an operator allows in a run with untrusted content. All parts must fit: `hosts`, by argument, the hosts of the
 * address in it; `arguments`, by argument, globs of its text.
 */
export interface AllowRule {
  hosts?: Readonly<Record<string, readonly string[]>> | undefined;
  arguments?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A policy with every part. */
export interface ResolvedPolicy {
  cost_usd: number;
  risk: Risk;
  flags: Flag[];
  approval: Approval;
}
