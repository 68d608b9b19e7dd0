import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../kernel/errors.ts';
import { countAndLog } from './run-log.ts';
import { outcomeOf, type RunReport } from './run-report.rules.ts';

const provider = new AppError('UPSTREAM_ERROR', 'it said no', { details: { provider: 'compatible' } });

describe('the end of a run', () => {
  it.each([
    ['completed', null, 'completed'],
    ['cancelled', provider, 'cancelled'],
    ['cost_exceeded', provider, 'cost_exceeded'],
    ['failed', null, 'failed'],
    ['failed', provider, 'model_failed'],
    ['failed', new AppError('SERVICE_UNAVAILABLE', 'restarted'), 'interrupted'],
    ['failed', new AppError('FORBIDDEN', 'not allowed any more'), 'refused'],
    ['failed', new AppError('INTERNAL_ERROR', 'a fault'), 'failed'],
  ] as const)('%s with %s is reported as %s', (status, error, outcome) => {
    expect(outcomeOf(status, error)).toBe(outcome);
  });

  const told = (outcome: RunReport['outcome'], error: AppError | null) => {
    const [run, error_, warn] = [vi.fn(), vi.fn(), vi.fn()];
    const end = { runId: 'r', requestId: 'q', agentId: 'zeus', model: 'm', outcome, error };
    countAndLog({ run }, { error: error_, warn })(end);
    expect(run).toHaveBeenCalledExactlyOnceWith(end);
    return { error: error_.mock.calls, warn: warn.mock.calls };
  };

  it('is counted always, and logged where it failed', () => {
    expect(told('completed', null)).toEqual({ error: [], warn: [] });
    expect(told('cost_exceeded', provider)).toEqual({ error: [], warn: [] });
    expect(told('refused', provider).warn).toHaveLength(1);
    expect(told('refused', provider).error).toHaveLength(0);
  });

  it('is a fault of ours with its cause, and one of others with a reason that holds no words of people', () => {
    const cause = new Error('what broke');
    const [[line, words] = []] = told('failed', new AppError('INTERNAL_ERROR', 'a fault', { cause })).error;
    expect(words).toBe('run failed');
    expect(line).toMatchObject({
      run_id: 'r',
      request_id: 'q',
      agent: 'zeus',
      model: 'm',
      code: 'INTERNAL_ERROR',
    });
    expect(line.err).toBe(cause);
    expect(line).not.toHaveProperty('reason');
    expect(told('model_failed', provider).warn[0]?.[0]).toMatchObject({ reason: 'it said no' });
    expect(told('interrupted', provider).warn[0]?.[0]).toMatchObject({ reason: 'it said no' });
    expect(told('refused', provider).warn[0]?.[0]).not.toHaveProperty('reason');
    const shaped = new AppError('UPSTREAM_ERROR', 'no name Ann', {
      details: { provider: 'p', reason: 'Ann' },
    });
    expect(JSON.stringify(told('model_failed', shaped).warn)).not.toContain('Ann');
  });
});
