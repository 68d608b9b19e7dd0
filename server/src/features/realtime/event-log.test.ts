import { describe, expect, it } from 'vitest';
import type { PlatformEvent } from '../../kernel/events.ts';
import { createEventLog } from './event-log.ts';

const event = (n: number): PlatformEvent => ({
  id: `id-${String(n).padStart(6, '0')}`,
  type: 'notification',
  tenantId: 't',
  userId: 'u',
  reach: 'own',
  permission: 'conversations:read',
  data: { n },
  createdAt: 1_000,
});

describe('event log', () => {
  it('finds the place of every event that it holds, asked at any time', () => {
    const log = createEventLog({ keepMs: 60_000, keepCount: 3_000 });
    for (let n = 0; n < 10; n++) log.add(event(n));
    expect(log.after('id-000003')).toEqual({ position: 4, complete: true });
    for (let n = 10; n < 20; n++) log.add(event(n));
    for (let n = 0; n < 20; n++) expect(log.after(event(n).id)).toEqual({ position: n + 1, complete: true });
    expect(log.at(12)?.id).toBe('id-000012');
  });

  it('says that something may be missing once an event was dropped, whether it had been asked for or not', () => {
    const log = createEventLog({ keepMs: 60_000, keepCount: 3_000 });
    for (let n = 0; n < 100; n++) log.add(event(n));
    log.after('id-000050');
    for (let n = 100; n < 10_000; n++) log.add(event(n));
    expect(log.end()).toBe(10_000);
    for (const n of [0, 50, 150, 6_000]) expect(log.after(event(n).id).complete).toBe(false);
    for (const n of [7_001, 8_500, 9_999])
      expect(log.after(event(n).id)).toEqual({ position: n + 1, complete: true });
    expect(log.at(6_000)).toBeUndefined();
    expect(log.at(9_000)?.id).toBe('id-009000');
  });
});
