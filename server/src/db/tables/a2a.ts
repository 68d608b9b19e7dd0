/** Where a client of the A2A door wants to be told how a task goes on. */
export interface A2aPushConfigRow {
  id: string;
  tenant_id: string;
  user_id: string;
  run_id: string;
  /** The client's own name for it. */
  config_id: string;
  url: string;
  auth_scheme: string | null;
  /** Sealed JSON: `token` and `credentials`; null where the client gave neither. */
  secrets: string | null;
  /** Version of the protocol in which it was asked for, and is told: `1.0`, `0.3`. */
  protocol: string;
  /** What the credential could do that asked (kernel/stored-credential.ts). */
  credential: string;
  /** State of the run that the client knows of; null before the first notification. */
  told: string | null;
  /** Notifications that have arrived. */
  told_count: number;
  /** Of the present notification. */
  attempts: number;
  /** When its next attempt is due; null while there is nothing to tell. */
  due: number | null;
  /** Why nothing more is told: `ended`, `gone`, `failed`, `not_allowed`, `key_deleted`, `account_inactive`. */
  end_reason: string | null;
  created_at: number;
  finished_at: number | null;
}

export interface A2aTables {
  a2a_push_configs: A2aPushConfigRow;
}
