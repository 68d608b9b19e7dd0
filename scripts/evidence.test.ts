import { expect, it } from 'vitest';
import { evidenceDocument, evidenceTable, figuresSummary, stepsSummary, summaryOf } from './lib/evidence.ts';

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
  expect(result.worst).toBe('2.5 s: slow \\| one');
  expect(evidenceTable([result])).toContain('| Area | 3 | 1 | 3 s | 2.5 s: slow \\| one |');
});

it('a run that ended badly without a failed case is a failure', () => {
  expect(summaryOf('Area', 1, 0, { testResults: [] }).failures).toEqual(['the run itself']);
  expect(summaryOf('Area', 0, 0, null)).toMatchObject({ cases: 0, failures: [], worst: '' });
});

it('a command is a case', () => {
  const steps = [
    { name: 'quick', code: 0, seconds: 1 },
    { name: 'slow', code: 2, seconds: 3 },
  ];
  expect(stepsSummary('Area', steps)).toEqual({
    name: 'Area',
    code: 1,
    cases: 2,
    passed: 1,
    seconds: 4,
    worst: '3.0 s: slow',
    failures: ['slow'],
  });
});

it('a figure under its floor is shown and fails nothing; one that is missing fails', () => {
  const more = { figure: 'more', unit: '× T', value: 0.1, floor: 0.2, aim: 0.4, floorReached: false };
  const less = { figure: 'less', unit: 'ms', value: 4, floor: 3, aim: 1, floorReached: false };
  const good = { figure: 'good', unit: 's', value: 1, floor: 3, aim: 1, floorReached: true };
  expect(figuresSummary('Load', 0, 9, { goals: [less, more, good] })).toMatchObject({
    cases: 3,
    passed: 1,
    worst: '0.10 × T (floor 0.2): more',
    failures: [],
  });
  const missing = { figure: 'lost', unit: 's', floor: 3, aim: 1 };
  expect(figuresSummary('Load', 1, 9, { goals: [good, missing] }).failures).toEqual(['lost']);
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
