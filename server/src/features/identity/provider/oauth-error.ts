/** Errors of the identity provider's own surface, RFC 6749 section 5.2 and RFC 6750 section 3.1. */
const STATUS = {
  invalid_request: 400,
  invalid_grant: 400,
  invalid_scope: 400,
  unsupported_grant_type: 400,
  unsupported_token_type: 400,
  unauthorized_client: 400,
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  access_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  temporarily_unavailable: 429,
  server_error: 500,
} as const;

export type OAuthErrorCode = keyof typeof STATUS;

export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** `status` where HTTP has a better one than the code's own. */
  constructor(
    code: OAuthErrorCode,
    description: string,
    headers: Readonly<Record<string, string>> = {},
    status: number = STATUS[code],
  ) {
    super(description);
    this.name = 'OAuthError';
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}
