import { CalendarClock } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

export const tasks: Feature = {
  id: 'tasks',
  label: 'Tasks',
  icon: CalendarClock,
  path: '/tasks',
  anyOf: ['tasks:read'],
  pages: [{ path: '/tasks', title: 'Tasks', load: () => import('./tasks-page.tsx') }],
};
