import { describe, expect, it } from 'vitest';
import type { Decision, RunProposals } from '../../kernel/decisions.ts';
import { notFound } from '../../kernel/errors.ts';
import { createDecisionWaits } from './decision-waits.ts';

const OWNER = { tenantId: 't1', userId: 'ada' };
const APPROVED: Decision = { status: 'approved', reason: null, execution: null, proposal: { id: 'p1' } };

const portOf = (decisionOn: RunProposals['decisionOn']): RunProposals => ({
  show: () => Promise.reject(new Error('not asked for')),
  decisionOn,
  withdrawOf: () => Promise.resolve(),
});
const going = (): AbortSignal => new AbortController().signal;

describe('a run that waits for a decision', () => {
  it('goes on without its call where the proposal is gone from the start', async () => {
    const faults: unknown[] = [];
    const waits = createDecisionWaits(60_000, (error) => faults.push(error));
    const port = portOf(() => Promise.reject(notFound('proposal')));
    expect(await waits.wait(OWNER, 'p1', port, going())).toMatchObject({
      status: 'cancelled',
      execution: null,
      proposal: { id: 'p1', status: 'cancelled' },
    });
    expect(faults).toEqual([]);
  });

  it('goes on where the proposal is erased while it waits', async () => {
    let isGone = false;
    const waits = createDecisionWaits(5, () => {});
    const port = portOf(() => (isGone ? Promise.reject(notFound('proposal')) : Promise.resolve(null)));
    const waited = waits.wait(OWNER, 'p1', port, going());
    isGone = true;
    expect((await waited).status).toBe('cancelled');
  });

  it('outlasts a store that cannot be asked, and finds the decision that nobody could tell it', async () => {
    const faults: unknown[] = [];
    let asked = 0;
    const waits = createDecisionWaits(5, (error) => faults.push(error));
    const port = portOf(() => {
      asked += 1;
      return asked < 4 ? Promise.reject(new Error('the store is away')) : Promise.resolve(APPROVED);
    });
    expect(await waits.wait(OWNER, 'p1', port, going())).toEqual(APPROVED);
    expect(faults).toHaveLength(3);
  });

  it('is told at once, and ends with its signal', async () => {
    const waits = createDecisionWaits(60_000, () => {});
    const port = portOf(() => Promise.resolve(null));
    const waited = waits.wait(OWNER, 'p1', port, going());
    waits.deliver('p1', APPROVED);
    expect(await waited).toEqual(APPROVED);
    const abort = new AbortController();
    const stopped = waits.wait(OWNER, 'p2', port, abort.signal);
    abort.abort(new Error('the person has left'));
    await expect(stopped).rejects.toThrow('the person has left');
  });
});
