import type { Role } from '../../kernel/caller.ts';
import type { McpEndpoint } from '../../kernel/mcp.ts';
import type { ToolPolicy } from '../../kernel/tool-policy.ts';

/** Words of the gateway, shared by its files. */

/** `tools`: by glob of the tool's name (`*` and `?`); the more literal characters, the later and stronger. */
export interface ServerPolicy {
  default?: ToolPolicy | undefined;
  tools?: Readonly<Record<string, ToolPolicy>> | undefined;
}

/** A rule matches a call when each part that it has matches. */
export interface AccessRule {
  tenants?: readonly string[] | undefined;
  roles?: readonly Role[] | undefined;
  /** Globs; a rule with `tools` speaks of those tools alone. */
  tools?: readonly string[] | undefined;
}

/** With `allow` one of its rules must match; a matching rule of `deny` wins over all. */
export interface AccessList {
  allow?: readonly AccessRule[] | undefined;
  deny?: readonly AccessRule[] | undefined;
}

export type ServerSource = 'builtin' | 'file' | 'api';

/** A registered server, whichever way it was registered. */
export interface ServerDefinition {
  name: string;
  title: string | null;
  source: ServerSource;
  /** Null: for all tenants (file, built-in). */
  tenantId: string | null;
  enabled: boolean;
  endpoint: McpEndpoint | null;
  policy: ServerPolicy;
  access: AccessList;
  /** False: not offered to agents, only to be called directly. */
  forAgents: boolean;
  /** Part of the platform, with results that hold nothing but its own words. */
  ownWords?: boolean;
  /** Who has accepted, when registering it, the tools that it lists at first. Null: nobody. */
  acceptToolsBy?: string | null;
  /** Longest time of a call that names none. */
  timeoutMs: number;
  createdAt: number;
}

export type ServerStatus = 'connected' | 'connecting' | 'error' | 'disabled';

export interface LogLine {
  at: number;
  source: 'stderr' | 'client';
  text: string;
}

export const DEFAULT_CALL_TIMEOUT_MS = 60_000;
export const MAX_CALL_TIMEOUT_MS = 600_000;
