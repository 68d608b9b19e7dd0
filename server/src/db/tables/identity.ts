/** Times are epoch ms, JSON columns hold text. */
export interface SigningKeyRow {
  /** The `kid`. */
  id: string;
  public_jwk: string;
  /** Private JWK, sealed with the key file of the data folder. */
  private_sealed: string;
  created_at: number;
  /** When a newer key took over; it still verifies until its last token has expired. */
  retired_at: number | null;
}

export interface SessionRow {
  /** Grant id of the provider: the family of tokens. */
  id: string;
  tenant_id: string;
  user_id: string;
  client_id: string;
  address: string | null;
  user_agent: string | null;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  revoked_at: number | null;
}

export interface AccessTokenRow {
  jti: string;
  user_id: string;
  /** Null for service accounts and clients, which have no sign-in. */
  session_id: string | null;
  client_id: string;
  expires_at: number;
  revoked_at: number | null;
}

export interface OidcRecordRow {
  model: string;
  id: string;
  payload: string;
  grant_id: string | null;
  uid: string | null;
  account_id: string | null;
  consumed_at: number | null;
  expires_at: number | null;
}

export interface OauthClientRow {
  id: string;
  tenant_id: string;
  name: string;
  /** `public` or `confidential`. */
  type: string;
  redirect_uris: string;
  post_logout_redirect_uris: string;
  /** 0 or 1. */
  device_flow: number;
  secret_hash: string | null;
  jwks: string | null;
  /** The service account that the client acts as with `client_credentials`. */
  service_user_id: string | null;
  created_by: string;
  created_at: number;
}

export interface ApiKeyRow {
  id: string;
  tenant_id: string;
  user_id: string;
  /** `api_key` or `personal_token`. */
  kind: string;
  name: string;
  /** First characters of the secret, to tell keys apart. */
  hint: string;
  secret_hash: string;
  /** JSON array, or null for all that the owner may. */
  permissions: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  /** The key that took its place at a rotation; it then ends with the overlap. */
  replaced_by: string | null;
  /** Epoch ms. A deleted key works no more and is listed no more; the row goes some time later. */
  deleted_at: number | null;
}

export interface MachineKeyRow {
  id: string;
  tenant_id: string;
  user_id: string;
  public_jwk: string;
  /** JSON array: what the credential could that fetched the key; null: a platform administrator's, or of before the column. */
  maker_permissions: string | null;
  created_at: number;
  expires_at: number;
}

export interface OneTimeLinkRow {
  secret_hash: string;
  user_id: string;
  /** `invitation` or `password_reset`. */
  purpose: string;
  /** Of the account when the link was made, as in `users`; null in links of before these columns. */
  roles: string | null;
  permissions: string | null;
  /** JSON array: what the credential could that was shown the link; null: nobody's, or a platform administrator's. */
  maker_permissions: string | null;
  created_at: number;
  expires_at: number;
}

export interface LoginFailureRow {
  /** Hash of the folded e-mail: also for accounts that do not exist. */
  account: string;
  /** JSON array of epoch ms. */
  times: string;
  updated_at: number;
}

export interface AuditEventRow {
  id: string;
  tenant_id: string;
  /** From 1, without gaps, for each tenant. */
  seq: number;
  actor_id: string | null;
  actor_type: string;
  action: string;
  outcome: string;
  target_type: string | null;
  target_id: string | null;
  request_id: string | null;
  address: string | null;
  details: string;
  created_at: number;
  previous_hash: string;
  hash: string;
  /** Null in rows of before the chain was signed. */
  mac: string | null;
}

export interface AuditHeadRow {
  tenant_id: string;
  seq: number;
  hash: string;
  seal: string | null;
}

export interface IdentityTables {
  signing_keys: SigningKeyRow;
  sessions: SessionRow;
  access_tokens: AccessTokenRow;
  oidc_records: OidcRecordRow;
  oauth_clients: OauthClientRow;
  api_keys: ApiKeyRow;
  machine_keys: MachineKeyRow;
  one_time_links: OneTimeLinkRow;
  login_failures: LoginFailureRow;
  audit_events: AuditEventRow;
  audit_heads: AuditHeadRow;
}
