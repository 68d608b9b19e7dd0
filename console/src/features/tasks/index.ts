import { CalendarClock } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

export const tasks: Feature = {
  id: 'tasks',
  label: 'Tasks',
  icon: CalendarClock,
  path: '/tasks',
  anyOf: ['tasks:read'],
  pages: [{ path: '/tasks', title: 'Tasks', load: () => import('./tasks-page.tsx') }],
  places: [
    {
      label: 'Schedules',
      path: '/tasks',
      search: { view: 'schedules' },
      anyOf: [],
      words: 'cron repeat reminders',
    },
    { label: 'Calendar of tasks', path: '/tasks', search: { view: 'calendar' }, anyOf: [], words: 'week' },
  ],
};
