import type { EventOutlet } from '../../src/db/db.ts';
import type { NewEvent, PlatformEvent } from '../../src/kernel/events.ts';
import { newId } from '../../src/kernel/ids.ts';

/** For `db.emitTo` of houses without webhooks: events are numbered, and heard after the commit. */
export const outletTo = (
  publish: (event: PlatformEvent) => void,
  recorded: (event: NewEvent) => void = () => {},
): EventOutlet => ({
  record: async (_tx, event) => {
    recorded(event);
    return { ...event, id: newId(), createdAt: Date.now() };
  },
  publish,
});
