import { globMatches, literalLength } from '../../kernel/glob.ts';
import type { ToolPolicy } from '../../kernel/tool-policy.ts';

/** Policies of tools by glob (`*`, `?`), within servers. */
export type ServerPolicies = Readonly<
  Record<
    string,
    { default?: ToolPolicy | undefined; tools?: Readonly<Record<string, ToolPolicy>> | undefined }
  >
>;

/** Parts of `over` that say something, on top of `under`. */
export const overlay = (under: ToolPolicy, over: ToolPolicy): ToolPolicy => ({
  cost_usd: over.cost_usd ?? under.cost_usd,
  risk: over.risk ?? under.risk,
  flags: over.flags ?? under.flags,
  approval: over.approval ?? under.approval,
  allow: over.allow ?? under.allow,
});

const byLiteral = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  literalLength(a) - literalLength(b);

/** What the policies say of one tool: the more literal name wins, part by part. */
export const policyFor = (policies: ServerPolicies, server: string, tool: string): ToolPolicy => {
  let policy: ToolPolicy = {};
  const servers = Object.entries(policies)
    .filter(([glob]) => globMatches(glob, server))
    .sort(byLiteral);
  for (const [, entry] of servers) {
    if (entry.default !== undefined) policy = overlay(policy, entry.default);
    const tools = Object.entries(entry.tools ?? {})
      .filter(([glob]) => globMatches(glob, tool))
      .sort(byLiteral);
    for (const [, part] of tools) policy = overlay(policy, part);
  }
  return policy;
};
