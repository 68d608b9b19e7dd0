export interface NotificationRow {
  id: string;
  tenant_id: string;
  user_id: string;
  /** tasks, proposals, costs, documents, agents, system */
  category: string;
  /** info, warning, critical */
  level: string;
  title: string;
  body: string;
  data: string;
  /** Event that it tells of: one notification a person for each. */
  event_id: string | null;
  read_at: number | null;
  created_at: number;
}

export interface NotificationPreferencesRow {
  user_id: string;
  tenant_id: string;
  /** JSON: channels by category. */
  preferences: string;
  updated_at: number;
}

export interface NotificationTables {
  notifications: NotificationRow;
  notification_preferences: NotificationPreferencesRow;
}
