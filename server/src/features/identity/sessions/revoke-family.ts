import { browserSessionOf, destroyBrowserSession, destroyRecordsOfGrant } from '../provider/store.ts';
import { closeSession, findSession } from './store.ts';
import type { FamiliesOptions, Origin } from './types.ts';

/**
 * Ends a family: no token of it is accepted from now on. Safe to call again. With `browser` the browser that it was
 * granted in is signed out too, which could else fetch itself another family without a password.
 */
export type RevokeFamily = (
  sessionId: string,
  reason: string,
  origin: Origin | null,
  how?: { browser: boolean },
) => Promise<void>;

export const createRevocation =
  ({
    db,
    clock,
    audit,
    onClosed,
  }: Pick<FamiliesOptions, 'db' | 'clock' | 'audit' | 'onClosed'>): RevokeFamily =>
  async (sessionId, reason, origin, how = { browser: false }) => {
    await db.write(async (tx) => {
      const at = clock.now();
      const session = await findSession(tx, sessionId);
      const browser = how.browser ? await browserSessionOf(tx, sessionId) : null;
      if (browser !== null && session !== undefined)
        await destroyBrowserSession(tx, session.user_id, browser);
      await destroyRecordsOfGrant(tx, sessionId);
      if (session === undefined || !(await closeSession(tx, sessionId, at))) return;
      await audit.append(tx, {
        tenantId: session.tenant_id,
        actorId: session.user_id,
        actorType: 'user',
        action: 'session.revoked',
        targetType: 'session',
        targetId: sessionId,
        requestId: origin?.requestId,
        address: origin?.address,
        details: { reason },
      });
    });
    onClosed(sessionId);
  };
