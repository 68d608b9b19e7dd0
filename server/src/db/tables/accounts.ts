/** Times are epoch ms, JSON columns hold text (`roles`, `permissions`: arrays; `settings`: an object). */
export interface TenantRow {
  id: string;
  slug: string;
  name: string;
  tier: string;
  status: string;
  settings: string;
  /** Organisation at an external identity provider, `<issuer>|<org id>`. */
  external_id: string | null;
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
  /** JSON array: what the other credential could that may know the password, or the secret of the account's client; null: nobody's, or a platform administrator's. */
  password_permissions: string | null;
  roles: string;
  permissions: string;
  tier: string | null;
  status: string;
  /** Account at an external identity provider, `<issuer>|<sub>`. */
  external_id: string | null;
  created_at: number;
  updated_at: number;
  last_seen_at: number | null;
  /** When the provider said what name and roles follow: an older token of the person changes neither. */
  claims_at: number | null;
  /** 1: an administrator has moved the person here, and no token moves them on. */
  placed_by_admin: number | null;
}

export interface AccountTables {
  tenants: TenantRow;
  users: UserRow;
}
