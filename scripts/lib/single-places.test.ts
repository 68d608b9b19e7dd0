import { describe, expect, it } from 'vitest';
import { countOf, faultsOfEngine, faultsOfPlaces, SINGLE_PLACES } from './single-places.ts';

const FEATURE = 'server/src/features/tasks/runs.ts';

describe('what is called in one place', () => {
  it.each([
    ['await options.outbox.record(tx, event);', 'outbox.record'],
    ['lateOutbox?.record(tx, event);', 'lateOutbox.record'],
    ['options.events.publish(event);', 'events.publish'],
    ['bus.publish(event);', 'bus.publish'],
    ['const hold = await deps.costs\n  .hold(tx, request);', 'costs.hold'],
  ])('is a fault elsewhere: %s', (text, call) => {
    expect(faultsOfPlaces(FEATURE, text)).toHaveLength(1);
    expect(faultsOfPlaces(FEATURE, text)[0]).toContain(`calls ${call}:`);
  });

  it.each([
    'store.hold(tx, runId);',
    'redis.publish(channel, text);',
    'history.record(entry);',
    'const costs = { hold: given.costs.hold };',
    '// costs.hold(tx, request)',
  ])('is none where it only looks alike: %s', (text) => {
    expect(faultsOfPlaces(FEATURE, text)).toEqual([]);
  });

  it('is none in its own place, but within the work of a write', () => {
    const afterDecision = 'server/src/features/governance/after-decision.ts';
    expect(faultsOfPlaces(afterDecision, 'events.publish(event);')).toEqual([]);
    const within = 'db.write(async (tx) => {\n  events.publish(event);\n});';
    expect(faultsOfPlaces(afterDecision, within).map((fault) => fault.split(' ')[0])).toEqual([
      `${afterDecision}:2`,
    ]);
  });

  it('is counted where it stands', () => {
    const [record] = SINGLE_PLACES;
    if (record === undefined) throw new Error('no places');
    expect(countOf(FEATURE, 'outbox.record(a); outbox.record(b); other.record(c);', record)).toBe(2);
  });

  it('is the engine in statements alone', () => {
    const text = "const a = 1;\nconst alone = db.dialect === 'sqlite';\n";
    expect(faultsOfEngine(FEATURE, text).map((fault) => fault.split(' ')[0])).toEqual([`${FEATURE}:2`]);
    expect(faultsOfEngine('server/src/features/tasks/store.ts', text)).toEqual([]);
  });
});
