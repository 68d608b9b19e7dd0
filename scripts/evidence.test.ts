import { expect, it } from 'vitest';
import { evidenceDocument, evidenceTable, summaryOf } from './lib/evidence.ts';

const report = {
  testResults: [
    {
      assertionResults: [
        { title: 'quick', fullName: 'a quick', status: 'passed', duration: 20 },
        { title: 'slow | one', fullName: 'a slow | one', status: 'failed', duration: 2_500 },
        { title: 'left out', fullName: 'a left out', status: 'pending' },
      ],
    },
  ],
};

it('counts cases and names the failed and the slowest', () => {
  const result = summaryOf('Area', 1, 3, report);
  expect(result).toMatchObject({ cases: 3, passed: 1, failures: ['a slow | one'] });
  expect(result.slowest).toEqual({ name: 'slow | one', seconds: 2.5 });
  expect(evidenceTable([result])).toContain('| Area | 3 | 1 | 3 s | 2.5 s: slow \\| one |');
});

it('a run that ended badly without a failed case is a failure', () => {
  expect(summaryOf('Area', 1, 0, { testResults: [] }).failures).toEqual(['the run itself']);
  expect(summaryOf('Area', 0, 0, null)).toMatchObject({ cases: 0, failures: [], slowest: null });
});

it('says when, where and of what', () => {
  const text = evidenceDocument([], {
    date: '2026-11-28',
    machine: '2 cores',
    commit: 'abc',
    leftOut: ['Load'],
  });
  expect(text).toContain('2026-11-28, 2 cores, commit abc.\n\nNot run this time: Load.');
});
