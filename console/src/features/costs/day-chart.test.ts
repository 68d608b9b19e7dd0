import { expect, it } from 'vitest';
import { everyDay } from './day-chart.tsx';

it('has the days without spend too, in order, and the days with spend alone where there are too many', () => {
  const spent = [
    { date: '2026-03-01', cost_usd: 2 },
    { date: '2026-02-27', cost_usd: 1 },
  ];
  expect(everyDay(spent, '2026-02-26', '2026-03-01')).toEqual([
    { date: '2026-02-26', cost_usd: 0 },
    { date: '2026-02-27', cost_usd: 1 },
    { date: '2026-02-28', cost_usd: 0 },
    { date: '2026-03-01', cost_usd: 2 },
  ]);
  expect(everyDay(spent, '2020-01-01', '2026-03-01').map(({ date }) => date)).toEqual([
    '2026-02-27',
    '2026-03-01',
  ]);
});
