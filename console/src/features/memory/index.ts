import { Waypoints } from 'lucide-react';
import type { Feature } from '../../lib/feature.ts';

export const memory: Feature = {
  id: 'memory',
  label: 'Memory',
  icon: Waypoints,
  path: '/memory',
  anyOf: ['memory:read'],
  pages: [{ path: '/memory', title: 'Memory', load: () => import('./memory-page.tsx') }],
  places: [
    { label: 'Entities', path: '/memory', search: { tab: 'entities' }, anyOf: [], words: 'people things' },
    { label: 'Relations', path: '/memory', search: { tab: 'relations' }, anyOf: [] },
  ],
};
