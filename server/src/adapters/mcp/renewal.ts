import { setTimeout as sleep } from 'node:timers/promises';
import { extractWWWAuthenticateParams, UnauthorizedError } from '@modelcontextprotocol/client';
import type { OAuthState, StoredState } from './oauth-state.ts';

/** Longest time that a token is renewed ahead of its end, and its part of a short life. */
const AHEAD_MS = 60_000;
const AHEAD_PART = 5;
/** A process that ended while it renewed holds the others up no longer. */
const RENEWS_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 100;

const bothScopes = (one: string | undefined, other: string | undefined): string | undefined => {
  const all = new Set(`${one ?? ''} ${other ?? ''}`.split(' ').filter((scope) => scope !== ''));
  return all.size === 0 ? undefined : [...all].join(' ');
};

/** What a sign-in is to ask for. */
export interface Asked {
  resourceMetadataUrl?: URL;
  scope?: string;
}

export interface RenewalOptions {
  stored: StoredState;
  /** A person signs in, and the token is renewed by another that can be used once. */
  interactive: boolean;
  /** The registration names the scopes itself. */
  hasScope: boolean;
  run(asked: Asked): Promise<string>;
}

const needsPerson = (): UnauthorizedError =>
  new UnauthorizedError('authorization needed: a person has to sign in');

/** Keeps a token good: after a refusal, and ahead of its end. */
export const createRenewal = ({ stored, interactive, hasScope, run }: RenewalOptions) => {
  let renewing: Promise<void> | null = null;

  /** The scopes that it had are asked for again with those that were missing. */
  const noteChallenge = async (response: Response): Promise<void> => {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    await stored.changeBy(({ tokens, challenge: known }) => {
      const wanted = response.status === 403 ? bothScopes(known?.scope ?? tokens?.scope, scope) : scope;
      const challenge = { metadataUrl: resourceMetadataUrl?.href ?? known?.metadataUrl, scope: wanted };
      return JSON.stringify(challenge) === JSON.stringify(known ?? {}) ? null : { challenge };
    });
  };

  const asked = async (): Promise<Asked> => {
    const { metadataUrl, scope } = (await stored.current()).challenge ?? {};
    return {
      ...(metadataUrl === undefined ? {} : { resourceMetadataUrl: new URL(metadataUrl) }),
      ...(scope === undefined || hasScope ? {} : { scope }),
    };
  };

  /** One process renews for all, and the others wait for what it gets. False where another has renewed the token. */
  const mayRenew = async (before: string | undefined): Promise<boolean> => {
    const isNewer = ({ tokens }: OAuthState): boolean =>
      before !== undefined && tokens !== undefined && tokens.access_token !== before;
    if (!interactive) return !isNewer(await stored.load());
    for (;;) {
      const taken = await stored.changeBy((kept) => {
        if (isNewer(kept)) return null;
        if (kept.tokens?.refresh_token === undefined) throw needsPerson();
        if ((kept.renewingUntil ?? 0) > Date.now()) return null;
        return { renewingUntil: Date.now() + RENEWS_WITHIN_MS };
      });
      if (taken) return true;
      if (isNewer(await stored.current())) return false;
      await sleep(LOOK_AGAIN_MS);
    }
  };

  /** Without a person to send anywhere: only what needs none can succeed. */
  const renewOnce = async (before: string | undefined): Promise<void> => {
    if (!(await mayRenew(before))) return;
    try {
      if ((await run(await asked())) !== 'AUTHORIZED') throw needsPerson();
    } finally {
      if (interactive) await stored.change({ renewingUntil: undefined });
    }
  };

  /** However many calls are refused at a time, one of them renews for all. */
  const together = (work: () => Promise<void>): Promise<void> => {
    renewing ??= work().finally(() => {
      renewing = null;
    });
    return renewing;
  };

  return {
    asked,
    noteChallenge,

    /** After a refusal of `used`, where it is known. */
    after: (response: Response, used: string | undefined): Promise<void> =>
      together(async () => {
        const before = stored.seen()?.tokens?.access_token;
        // Was under way while another call renewed the token: the new one has not been tried.
        if (used !== undefined && used !== '' && before !== undefined && used !== before) return;
        await noteChallenge(response);
        await renewOnce(before);
      }),

    /** So that no call has to fail first; where it does not work, the token is used to its end. */
    async ahead(): Promise<void> {
      const { tokens, tokenEndsAt, renewingUntil } = await stored.current();
      const { refresh_token: refresh, expires_in: life, access_token: before } = tokens ?? {};
      if (!interactive || refresh === undefined || tokenEndsAt === undefined || life === undefined) return;
      const early = Math.min(AHEAD_MS, (life * 1000) / AHEAD_PART);
      const now = Date.now();
      if (tokenEndsAt - now > early || (renewingUntil ?? 0) > now) return;
      await together(() => renewOnce(before)).catch(() => {});
    },
  };
};
