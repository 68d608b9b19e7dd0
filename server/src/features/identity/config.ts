/** The settings that this feature reads, by their names. */
export interface IdentityConfig {
  IDP_URL: string | null;
  IDP_CLIENT_ID: string;
  IDP_CLIENT_SECRET: string | null;
  IDP_AUDIENCE: string | null;
  IDP_CREATE_USERS: boolean;
  IDP_REQUIRE_ORGANISATION: 'auto' | 'on' | 'off';
  IDP_PLATFORM_ADMINS: readonly string[];
  IDP_CONSOLE_CLIENT_ID: string;
  IDP_CLI_CLIENT_ID: string;
  IDP_PROJECT_ID: string | null;
  RATE_LIMITS: boolean;
  ACCESS_TOKEN_EXPIRE_MINUTES: number;
  REFRESH_TOKEN_EXPIRE_DAYS: number;
  API_KEY_PREFIX: string;
  LOGIN_LOCKOUT: boolean;
  LOGIN_FAILURES_PER_ADDRESS: number;
  ADMIN_EMAIL: string;
  ADMIN_PASSWORD: string | null;
}
