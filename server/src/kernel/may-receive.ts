import type { Caller } from './caller.ts';
import type { PlatformEvent } from './events.ts';

/** What an event asks of its readers. */
export type EventNeeds = Pick<PlatformEvent, 'tenantId' | 'userId' | 'reach' | 'permission'>;

/** Whether the caller may read the record that the event is about (contract, section 3: scope of reading). */
export const mayReceive = (caller: Caller, event: EventNeeds): boolean => {
  if (event.tenantId !== caller.tenantId) return false;
  if (!caller.permissions.has(event.permission)) return false;
  if (event.reach === 'tenant' || event.userId === caller.userId) return true;
  if (event.reach === 'person') return false;
  return caller.roles.includes('admin') || caller.roles.includes('operator');
};
