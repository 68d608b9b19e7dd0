export interface McpServerRow {
  id: string;
  tenant_id: string;
  name: string;
  title: string | null;
  transport: string;
  enabled: number;
  /** Command, arguments, environment, address and headers, encrypted (features/mcp/secret-box.ts). */
  endpoint: string;
  /** JSON: {default?, tools?}. */
  policy: string;
  /** JSON: {allow?, deny?}. */
  access: string;
  timeout_ms: number;
  created_by: string;
  /** Who has accepted, when registering it, the tools that it lists at first. */
  accept_tools_by: string | null;
  created_at: number;
  updated_at: number;
}

export interface McpToolPinRow {
  tenant_id: string;
  server: string;
  tool: string;
  /** Hash of what was accepted: name, title, description, schemas, annotations. */
  fingerprint: string;
  /** `accepted` or `new`. */
  status: string;
  accepted_by: string | null;
  /** JSON of what the fingerprint was made from; null for pins of before this was kept. */
  definition: string | null;
  created_at: number;
  updated_at: number;
}

export interface McpOAuthRow {
  /** `*` for servers of all tenants. */
  tenant_id: string;
  server: string;
  /** Tokens, client and a sign-in under way, encrypted. */
  state: string;
  updated_at: number;
}

export interface McpTables {
  mcp_oauth: McpOAuthRow;
  mcp_servers: McpServerRow;
  mcp_tool_pins: McpToolPinRow;
}
