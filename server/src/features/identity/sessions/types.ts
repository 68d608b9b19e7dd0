import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Audit } from '../../audit/index.ts';
import type { AccessTokens } from '../access-tokens.ts';

export interface TokenPair {
  access_token: string;
  refresh_token: string;
  token_type: 'bearer';
  expires_in: number;
}

/** Where a request came from, for the list of sessions and the audit. */
export interface Origin {
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
}

export interface FamiliesOptions {
  db: Db;
  clock: Clock;
  tokens: AccessTokens;
  audit: Audit;
  accessLifeS: number;
  refreshLifeS: number;
  /** Clients that need no secret: only their refresh tokens are taken without one. */
  isPublicClient(clientId: string): Promise<boolean>;
  /** Tokens of the session must not be accepted from memory any more. */
  onClosed(sessionId: string): void;
}
