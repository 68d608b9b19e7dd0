import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { McpFault, type McpOAuthStore } from '../../kernel/mcp.ts';

/** What is kept between requests; version 1 of the form. */
export interface OAuthState {
  v: 1;
  tokens?: StoredOAuthTokens | undefined;
  /** Epoch ms at which the token ends, where its issuer has said it. */
  tokenEndsAt?: number | undefined;
  /** Until then one process, here or at another node, renews the token. */
  renewingUntil?: number | undefined;
  /** What the server has last asked for. */
  challenge?: { metadataUrl?: string | undefined; scope?: string | undefined } | undefined;
  client?: StoredOAuthClientInformation | undefined;
  discovery?: OAuthDiscoveryState | undefined;
  /** Of a sign-in under way. */
  codeVerifier?: string | undefined;
  state?: string | undefined;
}

const parse = (text: string | null): OAuthState =>
  text === null ? { v: 1 } : (JSON.parse(text) as OAuthState);

export type StoredState = ReturnType<typeof createStoredState>;

/** What is stored of a sign-in, as this process has last seen it. Several may change it: each change is one of what stands there. */
export const createStoredState = (store: McpOAuthStore) => {
  let cached: OAuthState | null = null;

  const load = async (): Promise<OAuthState> => {
    cached = parse(await store.load());
    return cached;
  };
  /** `edit` may be asked again; what it throws ends it. Null: nothing is to be changed. */
  const changeBy = async (edit: (kept: OAuthState) => Partial<OAuthState> | null): Promise<boolean> => {
    for (;;) {
      const before = await store.load();
      const kept = parse(before);
      const part = edit(kept);
      if (part === null) {
        cached = kept;
        return false;
      }
      const next = { ...kept, ...part };
      const text = JSON.stringify(next);
      if (before === null) await store.save(text);
      else if (!(await store.replace(before, text))) continue;
      cached = next;
      return true;
    }
  };

  return {
    load,
    current: async (): Promise<OAuthState> => cached ?? load(),
    /** As this process has last seen it; null before. */
    seen: (): OAuthState | null => cached,
    changeBy,
    change: (part: Partial<OAuthState>): Promise<boolean> => changeBy(() => part),
    /** Takes the state of a sign-in, so that its answer is good once, also where two come at the same moment. */
    take: (state: string): Promise<boolean> =>
      changeBy((kept) => {
        if (state === '' || kept.state !== state)
          throw new McpFault('unauthorized', 'no sign-in of this kind is under way');
        return { state: undefined };
      }),
  };
};
