import { describe, expect, it } from 'vitest';
import type { Caller } from '../../kernel/caller.ts';
import { createAuthenticator, type Proof } from './authenticate.ts';
import { startIdentity } from './testing/identity.ts';

const caller = (name: string): Caller => ({
  userId: 'u',
  tenantId: 't',
  email: 'e',
  name,
  roles: [],
  permissions: new Set(),
  tier: 'free',
  type: 'person',
  platformAdmin: false,
  whole: true,
  credential: 'jwt',
  tokenId: 'j',
  sessionId: null,
  expiresAt: null,
});

describe('authenticator', () => {
  it('does not keep a state that was read before a change and came after it', async () => {
    const t = await startIdentity();
    try {
      const before = Promise.withResolvers<Caller>();
      let reads = 0;
      const proof: Proof = {
        refusedAfter: null,
        state: () => {
          reads += 1;
          return reads === 1 ? before.promise : Promise.resolve(caller('after'));
        },
      };
      const authenticate = createAuthenticator({
        db: t.db,
        clock: t.clock,
        apiKeyPrefix: 'ptk_',
        proveToken: () => Promise.resolve(proof),
        isPlatformAdmin: () => false,
        used: () => {},
      });
      const first = authenticate('token');
      await Promise.resolve();
      // The change comes while the old state is on its way.
      await new Promise((next) => setImmediate(next));
      authenticate.forget(() => true);
      before.resolve(caller('before'));
      expect((await first).name).toBe('before');
      expect((await authenticate('token')).name).toBe('after');
      expect(reads).toBe(2);
    } finally {
      await t.close();
    }
  });
});
