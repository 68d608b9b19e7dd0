import { describe, expect, it } from 'vitest';
import { governanceConfig } from './config.ts';

describe('the file', () => {
  it('changes thresholds, seats and policies, and says what is wrong', () => {
    const changed = governanceConfig({
      thresholds: { auto_usd: 1, pentarchy_usd: 2 },
      seats: { aegis: { holder: 'role:admin', model: 'a/b' } },
      voting_s: 10,
    });
    expect(changed.approvals).toMatchObject({ autoNano: 1e9, pentarchyNano: 2e9 });
    expect(changed.seats.aegis).toMatchObject({ holder: { kind: 'role', name: 'admin' }, model: 'a/b' });
    expect(changed.votingMs).toBe(10_000);
    expect(() => governanceConfig({ thresholds: { auto_usd: -1 }, seats: { zeus: {} } })).toThrow(
      /auto_usd[\s\S]*seats/,
    );
    expect(() => governanceConfig({ thresholds: { auto_usd: 200 } })).toThrow(/pentarchy_usd/);
    expect(() => governanceConfig([])).toThrow(/GOVERNANCE_FILE/);
  });
});
