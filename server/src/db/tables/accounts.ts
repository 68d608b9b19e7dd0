/** Times are epoch ms, JSON columns hold text (`roles`, `permissions`: arrays; `settings`: an object). */
export interface TenantRow {
  id: string;
  slug: string;
  name: string;
  tier: string;
  status: string;
  settings: string;
  created_at: number;
  updated_at: number;
}

export interface UserRow {
  id: string;
  tenant_id: string;
  type: string;
  email: string;
  /** The e-mail in lower case: unique over the whole platform. */
  email_folded: string;
  name: string;
  password_hash: string | null;
  roles: string;
  permissions: string;
  tier: string | null;
  status: string;
  created_at: number;
  updated_at: number;
  last_seen_at: number | null;
}

export interface AccountTables {
  tenants: TenantRow;
  users: UserRow;
}
