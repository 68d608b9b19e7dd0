import type { Queryable } from '../../src/db/db.ts';
import { createLateOutbox, type EventOutbox } from '../../src/kernel/events.ts';
import { newId } from '../../src/kernel/ids.ts';

/** For houses without webhooks: events are numbered and go nowhere else. */
export const noWebhooks = (): EventOutbox<Queryable> =>
  createLateOutbox<Queryable>((event) => ({ ...event, id: newId(), createdAt: Date.now() })).outbox;
